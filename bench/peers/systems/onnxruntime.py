import importlib.metadata

import onnxruntime


class Model:
    version = importlib.metadata.version("onnxruntime")

    def __init__(self, path, inputs, threads, options):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, settings, ["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, value)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()
