"""Tunes one model with TVM's MetaSchedule for a number of minutes, in a process of its own.

    python tvm_tuning.py MODEL.onnx INPUTS.npz THREADS MINUTES OUT.json

OUT gets {"version", "tasks", "trials", "curve": [[seconds, ms or null]], "final_ms"}: the curve is the sum over tasks of
weight times best, null until each task has a schedule that runs; `final_ms` is the network compiled with the best and run.
"""

import json
import os
import statistics
import sys
import tempfile
import time

import numpy
import onnx

from curves import Curve

TRIALS = 1_000_000  # more than there is time for
RUNS = 20


def seconds_of(result):
    if result.error_msg is not None or not result.run_secs:
        return None
    return float(statistics.mean(float(s) for s in result.run_secs))


def callback_for(curve):
    from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback
    from tvm.ir.utils import derived_object

    @derived_object
    class Watch(PyMeasureCallback):
        def apply(self, task_scheduler, task_id, candidates, builder_results, runner_results):
            curve.add(int(task_id), [seconds_of(result) for result in runner_results])

    return Watch()


def prepared(model):
    """The network with batch norms folded, and that as fused loops, as `compile_relax` makes them before it looks into
    the database: what it gets must be the former, or it finds nothing there."""
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    simplify = [
        relax.transform.FoldBatchnormToConv2D(),
        relax.transform.DecomposeOpsForInference(),
        relax.transform.FoldConstant(),
    ]
    fuse = [
        relax.transform.LegalizeOps(),
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FoldConstant(),
        relax.transform.FuseOps(),
        relax.transform.FuseTIR(),
    ]
    network = tvm.transform.Sequential(simplify)(from_onnx(model))
    return network, tvm.transform.Sequential(fuse)(network)


def build(loops, target, _):
    """MetaSchedule's own `default_build` without the import of all targets' tensor intrinsics: it takes 20 seconds in each
    round of builds, and loops of floats on CPUs use none of them."""
    from tvm.driver import build as tvm_build
    from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

    return tvm_build(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(loops), target=target)


def tune(loops, target, threads, minutes, folder):
    from tvm.s_tir import meta_schedule as ms

    extracted = ms.relax_integration.extract_tasks(loops, target)
    tasks, weights = ms.relax_integration.extracted_tasks_to_tune_contexts(
        extracted, work_dir=folder, num_threads=threads, seed=1
    )
    curve = Curve([int(weight) for weight in weights], minutes)
    database = ms.database.MemoryDatabase()
    callbacks = list(ms.MeasureCallback.create("default")) + [callback_for(curve)]
    try:
        ms.tune.tune_tasks(
            tasks=tasks, task_weights=weights, work_dir=folder, max_trials_global=TRIALS,
            builder=ms.builder.LocalBuilder(max_workers=threads, f_build=build),
            database=database, measure_callbacks=callbacks,
        )
    except RuntimeError:  # TimeIsUp, after a way through C++
        if not curve.is_over():
            raise
    return database, curve, len(tasks)


def final_ms(network, database, target, model, inputs):
    import tvm
    from tvm.relax import VirtualMachine
    from tvm.s_tir import meta_schedule as ms

    main = VirtualMachine(ms.relax_integration.compile_relax(database, network, target, None), tvm.cpu())["main"]
    initialised = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in initialised]
    arguments = [tvm.runtime.tensor(inputs[name]) for name in names]
    times = []
    for _ in range(RUNS + 2):
        start = time.perf_counter()
        main(*arguments)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[2:])


def main():
    path, inputs, threads, minutes, out = sys.argv[1:]
    os.environ["TVM_NUM_THREADS"] = threads  # read when the library is loaded
    import tvm
    from systems.tvm import cpu_name

    model = onnx.load(path)
    target = tvm.target.Target({"kind": "llvm", "mcpu": cpu_name(), "num-cores": int(threads)})
    network, loops = prepared(model)
    with tempfile.TemporaryDirectory() as folder:
        database, curve, tasks = tune(loops, target, int(threads), float(minutes), folder)
        with numpy.load(inputs) as archive:
            latency = final_ms(network, database, target, model, dict(archive))
    document = {"version": tvm.__version__, "tasks": tasks, "trials": curve.trials,
                "curve": curve.points, "final_ms": latency}
    with open(out, "w") as file:
        json.dump(document, file)


if __name__ == "__main__":
    main()
