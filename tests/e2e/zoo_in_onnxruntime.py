"""zoo_in_onnxruntime.py TESSERA: exports of the zoo run in onnxruntime, and their activations stay sane.

Ends with code 77 where onnxruntime is absent; bench/peers/environment.py installs it.
"""

import pathlib
import sys
import tempfile

SKIPPED = 77

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as absent:
    print(f"skipped: {absent}; run python3 bench/peers/environment.py")
    sys.exit(SKIPPED)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))

import models

LAYERS = {"Conv", "Gemm", "MatMul", "BatchNormalization", "LayerNormalization"}
SMALLEST_DEVIATION = 0.05
LARGEST_DEVIATION = 30


def add_layers_to_outputs(graph):
    declared = {value.name for value in graph.output}
    layers = [name for node in graph.node if node.op_type in LAYERS for name in node.output]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in layers if name not in declared)


def problems(path):
    model = onnx.load(path)
    shapes = {value.name: models.shape_of(value) for value in model.graph.output}
    add_layers_to_outputs(model.graph)
    options = onnxruntime.SessionOptions()
    # As written, so that every layer is there to look at.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    for name, value in zip(names, session.run(names, models.draw_inputs(path))):
        if name in shapes and list(value.shape) != shapes[name]:
            yield f"{name}: shape {value.shape}, declared {shapes[name]}"
        deviation = numpy.std(value, dtype=numpy.float64)
        if value.size > 1 and not SMALLEST_DEVIATION <= deviation <= LARGEST_DEVIATION:
            yield f"{name}: standard deviation {deviation:.3g}"


def main():
    tessera = sys.argv[1]
    found = 0
    for name in models.zoo_names(tessera):
        with tempfile.TemporaryDirectory() as folder:
            path = models.fetch(name, pathlib.Path(folder), tessera)
            for problem in problems(path):
                print(f"{name}: {problem}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
