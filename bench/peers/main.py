"""How fast is Tessera beside other compilers and runtimes, on whole networks?

Each system runs in a process of its own; on each model they take turns, round by round, on as many threads.
"""

import argparse
import contextlib
import importlib.util
import itertools
import json
import os
import pathlib
import sys
import tempfile

import numpy

import models
import report
import tuning
import wheels
from contestant import Contestant, Failed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Each system, and the module without which it cannot run; ours needs none.
SYSTEMS = {
    "tessera": None,
    "onnxruntime": "onnxruntime",
    "openvino": "openvino",
    "iree": "iree.compiler",
    "tvm": "tvm",
}
REFERENCE = "onnxruntime"
FEWEST_SAMPLES = 3


def is_missing(system):
    module = SYSTEMS[system]
    if module is None:
        return False
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:  # its parent is absent
        return True


def relative_error(got, expected):
    """The largest difference of an output's elements, in units of its largest element."""
    worst = 0.0
    for a, b in zip(got, expected, strict=True):
        if a.shape != b.shape:
            raise Failed(f"an output of shape {a.shape}, expected {b.shape}")
        if not numpy.isfinite(a).all():
            raise Failed("an output that is not finite")
        difference = numpy.abs(a.astype(numpy.float64) - b.astype(numpy.float64)).max(initial=0)
        scale = numpy.abs(b.astype(numpy.float64)).max(initial=0)
        worst = max(worst, float(difference / scale) if scale else float(difference))
    return worst


class Match:
    """All systems on one model."""

    def __init__(self, name, options, folder):
        self.name = name
        self.options = options
        self.folder = folder

    def load_argument(self, path, inputs):
        package = self.options.package and str(self.options.package / f"{self.name}.tessera")
        return {
            "model": str(path),
            "inputs": str(inputs),
            "threads": self.options.threads,
            "options": {"build": str(self.options.build), "package": package},
        }

    def outputs_of(self, contestant):
        path = self.folder / f"{contestant.system}.npz"
        contestant.run(1)
        contestant.ask("outputs", str(path))
        with numpy.load(path) as archive:
            return [archive[name] for name in archive.files]

    def attempt(self, contestant, act):
        """Does `act` unless the contestant has failed before; a failure now ends it."""
        if contestant.failure:
            return None
        try:
            return act()
        except Failed as failure:
            contestant.failure = str(failure)
            contestant.times_ms = []
            contestant.end()
            return None

    def prepare(self, contestants, argument):
        """Loads all, one after the other, and compares what they give."""
        outputs = {}
        for contestant in contestants:
            self.attempt(contestant, lambda: contestant.load(argument))
            outputs[contestant.system] = self.attempt(contestant, lambda: self.outputs_of(contestant))
        expected = outputs.get(REFERENCE)
        for contestant in contestants:
            got = outputs[contestant.system]
            if got is not None and expected is not None:
                contestant.error = self.attempt(contestant, lambda: relative_error(got, expected))

    def count_for(self, contestant):
        """How often a contestant runs in each round; found by running it, which warms it up too.

        One whose single run takes all the time there is has been measured by that.
        """
        milliseconds = contestant.run(1)[0]
        if milliseconds >= 1e3 * self.options.seconds:
            contestant.times_ms = [milliseconds]
            return 0
        milliseconds = min(milliseconds, contestant.run(1)[0])
        return max(1, round(1e3 * self.options.seconds / self.options.rounds / milliseconds))

    def has_finished(self, contestant):
        """Whether the time is used up, which a slow system's first rounds may do."""
        times = contestant.times_ms
        is_enough = len(times) >= FEWEST_SAMPLES or max(times, default=0) >= 1e3 * self.options.seconds
        return is_enough and sum(times) >= 1e3 * self.options.seconds

    def compete(self, contestants):
        counts = {c: self.attempt(c, lambda: self.count_for(c)) for c in contestants}
        for _ in range(self.options.rounds):
            for contestant in itertools.filterfalse(self.has_finished, contestants):
                # The first run of a round finds the caches full of other systems' data.
                times = self.attempt(contestant, lambda: contestant.run(1 + counts[contestant])[1:])
                contestant.times_ms += times or []
        for contestant in contestants:
            peak = self.attempt(contestant, lambda: contestant.ask("peak_mb", None))
            contestant.peak_mb = peak and peak["peak_mb"]

    def rows(self):
        path = models.fetch(self.name, self.options.models_folder, self.options.build / "tessera")
        inputs = self.folder / "inputs.npz"
        numpy.savez(inputs, **models.draw_inputs(path))
        with contextlib.ExitStack() as stack:
            contestants = [stack.enter_context(Contestant(system)) for system in self.options.systems]
            self.prepare(contestants, self.load_argument(path, inputs))
            self.compete(contestants)
            return [report.row_of(self.name, contestant) for contestant in contestants]


def listed(text, known, what):
    names = text.split(",")
    for name in names:
        if name not in known:
            sys.exit(f"peers: {what} {name}: not known, expected some of {', '.join(known)}")
    return names


def parse_options():
    parser = argparse.ArgumentParser(
        prog="bench/run peers", description=__doc__.splitlines()[0],
        epilog="Example: bench/run peers --models resnet50,bert_base --systems tessera,onnxruntime",
    )
    parser.add_argument("--models", help="names, with commas; all of the zoo and the real ones by default")
    parser.add_argument("--systems", help=f"some of {','.join(SYSTEMS)}, with commas; all by default")
    parser.add_argument("--threads", type=int, default=2, help="of each system, 2 by default")
    parser.add_argument("--seconds", type=float, default=3, help="for each system on each model, 3 by default")
    parser.add_argument("--rounds", type=int, default=10, help="in which the systems take turns, 10 by default")
    parser.add_argument("--package", type=pathlib.Path, metavar="DIR",
                        help="with MODEL.tessera for each model, instead of compiling them")
    parser.add_argument("--tune-tvm", action="store_true",
                        help="tune with ours and with TVM's MetaSchedule instead, resnet50 and bert_base by default")
    parser.add_argument("--minutes", type=float, default=20, help="of tuning by each, 20 by default")
    parser.add_argument("--our-minutes", type=float, help="of tuning by ours, where less is enough")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", default=ROOT / "build",
                        help="where Tessera has been built, build/ by default")
    parser.add_argument("--json", metavar="FILE", help="writes the rows to a file")
    options = parser.parse_args()
    if options.threads < 1 or options.rounds < 1 or options.seconds <= 0:
        parser.error("--threads, --rounds and --seconds: expected more than 0")
    return options


def chosen(options):
    """The options with names in place of texts; systems that are absent are told of and left out."""
    known_models = models.zoo_names(options.build / "tessera") + list(models.REAL)
    if options.tune_tvm and not options.models:
        options.models = "resnet50,bert_base"
    options.models = listed(options.models, known_models, "model") if options.models else known_models
    systems = listed(options.systems, SYSTEMS, "system") if options.systems else list(SYSTEMS)
    for system in filter(is_missing, systems):
        print(f"peers: {system} is not installed, skipped", file=sys.stderr)
    options.systems = [system for system in systems if not is_missing(system)]
    options.models_folder = options.build / "models"
    options.models_folder.mkdir(exist_ok=True)
    return options


def warn_of_load():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"peers: this machine is busy (load {load:.1f}); times will be long and uneven", file=sys.stderr)


def main():
    options = chosen(parse_options())
    warn_of_load()
    if options.tune_tvm:
        if is_missing("tvm"):
            sys.exit("peers: tvm is not installed, and nothing else is to be tuned")
        return tuning.main(options)
    print(report.HEADER, flush=True)
    rows = []
    for name in options.models:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = Match(name, options, pathlib.Path(folder)).rows()
            except wheels.Unavailable as reason:
                print(f"peers: {name} cannot be had, skipped: {reason}", file=sys.stderr)
                continue
        print(report.table_of(found), flush=True)
        rows += found
    ratios = report.geomean_ratios(rows)
    for system, ratio in ratios.items():
        print(f"geomean of ours / {system}: {ratio:.3f}")
    over_best = report.geomean_over_best(rows)
    if over_best:
        print(f"times as fast as the fastest other, geomean: {over_best:.3f}")
    if options.json:
        document = {"threads": options.threads, "rows": rows, "geomean_ratio": ratios,
                    "geomean_over_best": over_best}
        pathlib.Path(options.json).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
