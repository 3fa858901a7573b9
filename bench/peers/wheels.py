"""Wheels of the package index as archives; nothing of them is installed."""

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile


class Unavailable(Exception):
    """Why something cannot be had."""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable((done.stderr.strip().splitlines() or ["no reason given"])[-1])
    return done.stdout


@contextlib.contextmanager
def opened(requirement):
    """The wheel of a requirement as pip reads it."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    with tempfile.TemporaryDirectory() as folder:
        run(*pip, "--retries", "1", "--timeout", "10", "--dest", folder, requirement)
        with zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl"))) as archive:
            yield archive
