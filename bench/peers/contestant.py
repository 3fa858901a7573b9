"""A system on its way through one model: the process that runs it and what was measured of it."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


class Failed(Exception):
    """Why a system gives no numbers for a model."""


class Contestant:
    """The process is ended with the block that it was made for."""

    def __init__(self, system, command=None):
        self.system = system
        self.version = None
        self.compile_s = None
        self.peak_mb = None
        self.error = None  # max. relative, against the reference
        self.failure = None
        self.times_ms = []
        self.process = subprocess.Popen(
            command or [sys.executable, str(HERE / "worker.py"), system],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # closing a pipe to a dead process then writes nothing
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends the process and what it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, command, argument, timeout_s=600):
        try:
            self.process.stdin.write((json.dumps({command: argument}) + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            raise Failed(self.ending()) from None
        answer = self.read_line(command, timeout_s)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def read_line(self, command, timeout_s):
        pipe = self.process.stdout.fileno()
        deadline = time.monotonic() + timeout_s
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([pipe], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Failed(f"{command} took more than {timeout_s} s")
            piece = os.read(pipe, 1 << 16)
            if not piece:
                raise Failed(self.ending())
            line += piece
        return json.loads(line)

    def ending(self):
        code = self.process.wait()
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def load(self, argument):
        answer = self.ask("load", argument)
        self.version = answer["version"]
        self.compile_s = answer["compile_s"]

    def run(self, count):
        return self.ask("run", count)["ms"]
