import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile

import iree.runtime
import onnx


def run_tool(name, *arguments):
    tool = pathlib.Path(sys.executable).parent / name
    done = subprocess.run([tool, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise RuntimeError(f"{name}: {lines[0] if lines else done.returncode}")


def compiled(path, folder):
    """The module and the archive of its weights."""
    program, module, weights = folder / "model.mlir", folder / "model.vmfb", folder / "model.irpa"
    run_tool("iree-import-onnx", path, "-o", program, "--externalize-params",
             "--num-elements-threshold", 1024, "--save-params-to", weights)
    run_tool("iree-compile", program, "-o", module,
             "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu",
             "--iree-llvmcpu-target-cpu=host",
             "--iree-opt-level=O3")
    return module, weights


class Model:
    version = importlib.metadata.version("iree-base-runtime")

    def __init__(self, path, inputs, threads, options):
        iree.runtime.flags.parse_flags(f"--task_topology_max_group_count={threads}")
        config = iree.runtime.Config("local-task")
        with tempfile.TemporaryDirectory() as name:
            module, weights = compiled(path, pathlib.Path(name))
            index = iree.runtime.ParameterIndex()
            if weights.exists():
                index.load(str(weights))
            provider = index.create_provider(scope="model")
            parameters = iree.runtime.create_io_parameters_module(config.vm_instance, provider)
            code = iree.runtime.VmModule.copy_buffer(config.vm_instance, module.read_bytes())
            modules = iree.runtime.load_vm_modules(parameters, code, config=config)
        graph = onnx.load(path, load_external_data=False).graph
        self.main = modules[-1][graph.name]
        names = [value.name for value in graph.input]
        self.arguments = [iree.runtime.asdevicearray(config.device, inputs[name]) for name in names]

    def run(self):
        self.result = self.main(*self.arguments)

    def outputs(self):
        several = isinstance(self.result, (list, tuple))
        return [value.to_host() for value in (self.result if several else [self.result])]
