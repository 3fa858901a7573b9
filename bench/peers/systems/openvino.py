import importlib.metadata
import sys

sys.modules["openvino_telemetry"] = None  # absent: it would fork a process that reports to the vendor

import openvino


class Model:
    version = importlib.metadata.version("openvino")

    def __init__(self, path, inputs, threads, options):
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY",
        }
        compiled = openvino.Core().compile_model(path, "CPU", settings)
        self.request = compiled.create_infer_request()
        for name, value in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(value, shared_memory=True))

    def run(self):
        self.request.infer()

    def outputs(self):
        return [tensor.data for tensor in self.request.output_tensors]
