"""Ours, through the C library (include/tessera_runtime.h)."""

import ctypes
import pathlib
import subprocess
import tempfile

import numpy
import onnx


class Port(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("element_type", ctypes.c_int),
        ("rank", ctypes.c_size_t),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("size_bytes", ctypes.c_size_t),
    ]


def open_library(path):
    library = ctypes.CDLL(path)
    pointer, size, integer = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    pointers = ctypes.POINTER(pointer)
    signatures = {
        "tessera_version": (ctypes.c_char_p, []),
        "tessera_last_error": (ctypes.c_char_p, []),
        "tessera_package_open": (pointer, [ctypes.c_char_p]),
        "tessera_input_count": (size, [pointer]),
        "tessera_output_count": (size, [pointer]),
        "tessera_input": (Port, [pointer, size]),
        "tessera_output": (Port, [pointer, size]),
        "tessera_session_create": (pointer, [pointer, integer]),
        "tessera_session_run": (integer, [pointer, pointers, size, pointers, size]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def compile_package(program, model, package, threads):
    command = [program, "compile", model, "-o", package, "--threads", str(threads)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])


def aligned(shape, dtype):
    """An array at a multiple of 64 bytes, which is used in place."""
    size = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    memory = numpy.empty(size + 64, numpy.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def array_for(port):
    dtype = onnx.helper.tensor_dtype_to_np_dtype(port.element_type)
    return aligned([port.shape[n] for n in range(port.rank)], dtype)


def addresses(arrays):
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


class Model:
    def __init__(self, path, inputs, threads, options):
        build = pathlib.Path(options["build"])
        self.library = open_library(build / "lib" / "libtessera_runtime.so")
        self.version = self.library.tessera_version().decode()
        if options["package"]:
            self.open(options["package"], threads)
        else:
            with tempfile.TemporaryDirectory() as folder:
                package = folder + "/model.tessera"
                compile_package(build / "tessera", path, package, threads)
                self.open(package, threads)
        self.bind(inputs)

    def checked(self, result):
        if not result:
            raise RuntimeError(self.library.tessera_last_error().decode())
        return result

    def open(self, path, threads):
        self.package = self.checked(self.library.tessera_package_open(path.encode()))
        self.session = self.checked(self.library.tessera_session_create(self.package, threads))

    def bind(self, inputs):
        library, package = self.library, self.package
        in_ports = [library.tessera_input(package, n) for n in range(library.tessera_input_count(package))]
        out_ports = [library.tessera_output(package, n) for n in range(library.tessera_output_count(package))]
        self.in_arrays = [array_for(port) for port in in_ports]
        self.out_arrays = [array_for(port) for port in out_ports]
        for port, array in zip(in_ports, self.in_arrays):
            array[...] = inputs[port.name.decode()]
        self.in_addresses, self.out_addresses = addresses(self.in_arrays), addresses(self.out_arrays)

    def run(self):
        code = self.library.tessera_session_run(
            self.session, self.in_addresses, len(self.in_arrays), self.out_addresses, len(self.out_arrays)
        )
        self.checked(code == 0)

    def outputs(self):
        return self.out_arrays
