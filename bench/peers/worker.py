"""One system in a process of its own: takes commands as lines of JSON, answers each with one line.

    {"load": {"model": PATH, "inputs": NPZ, "threads": N, "options": {...}}}  -> {"version", "compile_s"}
    {"run": COUNT}                                                            -> {"ms": [...]}
    {"outputs": NPZ}                                                          -> {}
    {"peak_mb": null}                                                         -> {"peak_mb"}

A command that fails is answered with {"error": REASON}.
"""

import importlib
import json
import os
import sys
import time

import numpy


def resident_mb(field):
    """A line of /proc/self/status, in megabytes."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith(field + ":"))
    return int(line.split()[1]) / 1024


class Worker:
    def __init__(self, system):
        self.system = importlib.import_module("systems." + system)

    def load(self, argument):
        with numpy.load(argument["inputs"]) as archive:
            self.inputs = dict(archive)  # kept: systems may read them in place
        self.start_mb = resident_mb("VmRSS")
        start = time.perf_counter()
        self.model = self.system.Model(
            argument["model"], self.inputs, argument["threads"], argument["options"]
        )
        return {
            "version": self.model.version,
            "compile_s": time.perf_counter() - start,
        }

    def run(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            self.model.run()
            times.append(1e3 * (time.perf_counter() - start))
        return {"ms": times}

    def outputs(self, path):
        numpy.savez(path, *self.model.outputs())
        return {}

    def peak_mb(self, _):
        """Of what the model and its system take; interpreter and inputs do not count."""
        return {"peak_mb": resident_mb("VmHWM") - self.start_mb}


def reply_to(worker, line):
    (command, argument), = json.loads(line).items()
    try:
        return getattr(worker, command)(argument)
    except BaseException as error:  # some libraries throw what is no Exception
        return {"error": " ".join(f"{type(error).__name__}: {error}".split())[:300]}


def main():
    # Libraries print what they like; answers go where they cannot reach.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(reply_to(worker, line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
