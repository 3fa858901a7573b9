"""The virtual environment that holds the peers: made on first use, completed when something is missing.

Nothing of Tessera needs it: what the package index does not give is left out, with a message.
"""

import pathlib
import subprocess
import sys
import venv

FOLDER = pathlib.Path(__file__).resolve().parent.parent / ".venv"
PYTHON = FOLDER / "bin" / "python"

PACKAGES = [
    "numpy",
    "onnx",
    "onnxruntime",
    "openvino",
    "iree-base-compiler",
    "iree-base-runtime",
    "apache-tvm-ffi<0.1.15",  # with later ones apache-tvm 0.27 crashes in its MetaSchedule,
    "apache-tvm",
    "xgboost",  # which it learns with, and
    "psutil",  # which it
    "cloudpickle",  # needs
]


def installed():
    """Names of the packages in the environment."""
    listing = "import importlib.metadata as m; print('\\n'.join(d.name for d in m.distributions()))"
    return set(subprocess.check_output([PYTHON, "-c", listing], text=True).split())


def install(package):
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    done = subprocess.run(pip, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"peers: {package} cannot be had, left out: {reason}", file=sys.stderr)


def prepare():
    if not PYTHON.exists():
        print(f"peers: making {FOLDER.name}", file=sys.stderr)
        venv.create(FOLDER, with_pip=True)
    present = installed()
    for package in PACKAGES:
        if package.split("<")[0] not in present:
            print(f"peers: installing {package}", file=sys.stderr)
            install(package)


if __name__ == "__main__":
    prepare()
