"""Ours and TVM's MetaSchedule tune the same networks on this machine, one after the other, for as many minutes."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

import models
from curves import seconds_to_reach

FOLDER = pathlib.Path(__file__).resolve().parent
HEADER = f"{'model':<14} {'untuned ms':>10} {'tuned ms':>10} {'TVM ms':>10} {'TVM trials':>10} {'reached in s':>12} {'ratio':>8}"


class Failed(Exception):
    pass


def run(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])


def our_minutes(options):
    return options.our_minutes or options.minutes


def tune_ours(model, options, folder):
    package = folder / "model.tessera"
    run([options.build / "tessera", "tune", model, "-o", package, "--db", folder / "store.db",
         "--budget", f"{60 * our_minutes(options):.0f}s", "--threads", options.threads])
    document = json.loads((folder / "model.run.json").read_text())
    medians = {entry["name"]: entry["median_ms"] for entry in document["finalists"]}
    return {
        "untuned_ms": medians["untuned"],
        "tuned_ms": medians[document["winner"]],
        "trials": sum(document["outcomes"].values()),
        "curve": [[point["elapsed_seconds"], 1e3 * point["network_seconds"]] for point in document["curve"]],
    }


def tune_tvm(model, inputs, options, folder):
    out = folder / "tvm.json"
    run([sys.executable, FOLDER / "tvm_tuning.py", model, inputs, options.threads, options.minutes, out])
    return json.loads(out.read_text())


def compare(name, options):
    model = models.fetch(name, options.models_folder, options.build / "tessera")
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        inputs = folder / "inputs.npz"
        numpy.savez(inputs, **models.draw_inputs(model))
        ours = tune_ours(model, options, folder)
        theirs = tune_tvm(model, inputs, options, folder)
    by_tasks = theirs["curve"][-1][1] if theirs["curve"] else None
    if by_tasks and theirs["final_ms"] > 2 * by_tasks:
        print(f"peers: {name}: the tasks that TVM tuned take {by_tasks:.1f} ms together, the network compiled with them "
              f"{theirs['final_ms']:.1f} ms: were they found again?", file=sys.stderr)
    reached = seconds_to_reach(ours["curve"], theirs["final_ms"])
    ratio = 60 * options.minutes / reached if reached else None
    return {"model": name, "tessera": ours, "tvm": theirs, "seconds_to_reach": reached, "ratio": ratio}


def line(row):
    ours, theirs = row["tessera"], row["tvm"]
    reached = f"{row['seconds_to_reach']:.1f}" if row["seconds_to_reach"] else "never"
    ratio = f"{row['ratio']:.1f}" if row["ratio"] else "-"
    return (f"{row['model']:<14} {ours['untuned_ms']:>10.3f} {ours['tuned_ms']:>10.3f} {theirs['final_ms']:>10.3f} "
            f"{theirs['trials']:>10} {reached:>12} {ratio:>8}")


def main(options):
    print(HEADER, flush=True)
    rows = []
    for name in options.models:
        try:
            rows.append(compare(name, options))
            print(line(rows[-1]), flush=True)
        except Failed as reason:
            print(f"peers: {name}: {reason}", file=sys.stderr)
    if options.json:
        document = {"threads": options.threads, "minutes": options.minutes, "our_minutes": our_minutes(options),
                    "rows": rows}
        pathlib.Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    return 0 if len(rows) == len(options.models) else 1
