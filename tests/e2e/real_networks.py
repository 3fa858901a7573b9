"""real_networks.py BUILD FOLDER: networks with real weights give what they give in onnxruntime.

Keeps them below FOLDER. Ends with code 77 where onnxruntime is absent, which bench/peers/environment.py installs, or
the package index does not give the networks.
"""

import pathlib
import sys

SKIPPED = 77

try:
    import onnxruntime
except ImportError as absent:
    print(f"skipped: {absent}; run python3 bench/peers/environment.py")
    sys.exit(SKIPPED)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))

import models
import wheels
from contestant import Failed
from main import relative_error
from systems import onnxruntime as reference, tessera

LARGEST_ERROR = 1e-4
THREADS = 2


def outputs(system, path, options):
    model = system.Model(str(path), models.draw_inputs(path), THREADS, options)
    model.run()
    return model.outputs()


def problem(path, build):
    """Why a network is not right, or nothing."""
    try:
        got = outputs(tessera, path, {"build": build, "package": None})
        error = relative_error(got, outputs(reference, path, {}))
    except (RuntimeError, Failed) as reason:
        return str(reason)
    return None if error <= LARGEST_ERROR else f"relative error {error:.3g}, expected at most {LARGEST_ERROR}"


def main():
    build, folder = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    found = 0
    for name in models.REAL:
        try:
            path = models.fetch(name, pathlib.Path(folder), build + "/tessera")
        except wheels.Unavailable as reason:
            print(f"skipped: {name} cannot be had: {reason}")
            return SKIPPED
        if reason := problem(path, build):
            print(f"{name}: {reason}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
