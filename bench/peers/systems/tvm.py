import importlib.metadata
import os
import pathlib

import onnx


def cpu_name():
    """The widest level of x86-64 that this machine has: names of cores promise more than virtual ones do."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
        return "x86-64-v4"
    return "x86-64-v3" if {"avx2", "fma"} <= flags else "x86-64"


class Model:
    version = importlib.metadata.version("apache-tvm")

    def __init__(self, path, inputs, threads, options):
        os.environ["TVM_NUM_THREADS"] = str(threads)  # read when the library is loaded
        import tvm
        from tvm.relax import VirtualMachine
        from tvm.relax.frontend.onnx import from_onnx

        model = onnx.load(path)
        target = tvm.target.Target({"kind": "llvm", "mcpu": cpu_name(), "num-cores": threads})
        compiled = tvm.compile(from_onnx(model), target=target)
        machine = VirtualMachine(compiled, tvm.cpu())
        self.main = machine["main"]
        initialised = {tensor.name for tensor in model.graph.initializer}
        names = [value.name for value in model.graph.input if value.name not in initialised]
        self.arguments = [tvm.runtime.tensor(inputs[name]) for name in names]

    def run(self):
        self.result = self.main(*self.arguments)

    def outputs(self):
        several = not hasattr(self.result, "numpy")
        return [value.numpy() for value in (self.result if several else [self.result])]
