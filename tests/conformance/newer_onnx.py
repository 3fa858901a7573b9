"""newer_onnx.py CONFORMANCE_TEST FOLDER: the tests of a newer ONNX than Debian's, with its light networks.

Keeps them below FOLDER. Ends with code 77 where the package index does not give them.
"""

import pathlib
import subprocess
import sys

SKIPPED = 77
VERSION = "1.22.0"
DATA = "onnx/backend/test/data/"

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench" / "peers"))

import wheels


def fetch(folder):
    """The folder of the tests."""
    data = folder / f"onnx-{VERSION}"
    if not data.exists():
        with wheels.opened(f"onnx=={VERSION}") as archive:
            unfinished = data.with_suffix(".unfinished")
            archive.extractall(unfinished, [name for name in archive.namelist() if name.startswith(DATA)])
            unfinished.rename(data)
    return data / DATA


def main():
    program, folder = sys.argv[1:]
    try:
        data = fetch(pathlib.Path(folder))
    except wheels.Unavailable as reason:
        print(f"skipped: onnx {VERSION} cannot be had: {reason}; run python3 bench/peers/environment.py")
        return SKIPPED
    lists = [HERE / "skipped.txt", HERE / "skipped_of_1.22.txt"]
    return subprocess.run([program, "--data", data, "--skipped", *lists]).returncode


if __name__ == "__main__":
    sys.exit(main())
