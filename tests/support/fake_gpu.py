"""A GPU for machines that have none: fake_cuda.c, and arrays in its memory as libraries of arrays show theirs."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from compiled import compiled
from numpy.typing import NDArray

STREAM = 7
"""On which the program that owns the arrays works."""


class FakeGpu:
    """The device, with the calls of fake_cuda.c for tests."""

    def __init__(self) -> None:
        self.driver = compiled("fake_cuda.c", ["-shared", "-fPIC", "-pthread"])
        self._calls = ctypes.CDLL(str(self.driver))
        self._calls.fake_allocate.restype = ctypes.c_uint64
        self._calls.fake_allocate.argtypes = [ctypes.c_size_t]
        for name in ("fake_write", "fake_read"):
            getattr(self._calls, name).argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]
        self._calls.fake_fill.argtypes = [ctypes.c_uint64, ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t]
        self._calls.fake_hold.argtypes = [ctypes.c_size_t]

    def array(self, elements: Any, key: Any = ..., **description: Any) -> FakeArray:
        """An array of the device with the elements, and of its elements those of the key: with their strides."""
        whole = np.array(elements, order="K", subok=False)
        dense = np.ascontiguousarray(whole.T if whole.flags.f_contiguous else whole)
        address = self._calls.fake_allocate(max(dense.nbytes, 1))
        assert address != 0, "the fake GPU is full"
        if dense.nbytes > 0:
            self._calls.fake_write(address, dense.ctypes.data, dense.nbytes)
        part = whole[key]
        begin = part.ctypes.data - whole.ctypes.data if part.size else 0
        return FakeArray(self, address, dense.nbytes, begin, part.shape, part.strides, whole.dtype, **description)

    def free_all(self) -> None:
        """Give all arrays' memory back."""
        self._calls.fake_free_all()

    def fill(self, array: FakeArray, byte: int, stream: int = STREAM) -> None:
        """Start a kernel that sets all bytes of an array's memory."""
        self._calls.fake_fill(array.memory, array.memory_size, byte, stream)

    def content(self, array: FakeArray) -> NDArray[Any]:
        """What an array holds now."""
        memory = np.empty(array.memory_size, "u1")
        self._calls.fake_read(array.memory, memory.ctypes.data, memory.size)
        return np.ndarray(array.shape, array.dtype, memory, array.begin, array.strides).copy()

    def hold(self, stream: int = STREAM) -> None:
        """Let nothing happen on a stream until `go_on`."""
        self._calls.fake_hold(stream)

    def go_on(self) -> None:
        """Let all streams go on."""
        self._calls.fake_hold(0)

    def fail(self, function: str, code: int) -> None:
        """Let the next call of a function of the driver fail."""
        self._calls.fake_fail(function.encode(), code)

    def calls(self, function: str) -> int:
        """How often a function of the driver was called."""
        return int(self._calls.fake_calls(function.encode()))

    @property
    def faults(self) -> int:
        """How often memory was taken away from under a copy, or was none."""
        return int(self._calls.fake_faults())

    @property
    def contexts(self) -> int:
        """Those that this thread has entered and not left."""
        return int(self._calls.fake_contexts())


@dataclass
class FakeArray:
    """An array as CuPy shows it: by ``__cuda_array_interface__``."""

    gpu: FakeGpu
    memory: int
    memory_size: int
    begin: int  # of the first element, in the memory
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    stream: int | None = STREAM
    version: int = 3
    read_only: bool = False
    typestr: str = ""
    mask: Any = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        dense = self.strides == np.empty(self.shape, self.dtype).strides
        return {
            "shape": self.shape,
            "typestr": self.typestr or self.dtype.str,
            "data": (self.memory + self.begin if 0 not in self.shape else 0, self.read_only),
            "version": self.version,
            "strides": None if dense else self.strides,
            "stream": self.stream,
            "mask": self.mask,
        }

    def content(self) -> NDArray[Any]:
        """What it holds now."""
        return self.gpu.content(self)


class DlpackArray:
    """The same array as a library shows it that has DLPack alone."""

    def __init__(self, array: FakeArray, device: tuple[int, int] = (2, 0)) -> None:
        self._array = array
        self._device = device
        self.asked_for: list[int | None] = []
        """Streams."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        self.asked_for.append(stream)
        array = self._array
        memory = memoryview((ctypes.c_char * max(array.memory_size, 1)).from_address(array.memory))
        shown = np.ndarray(array.shape, array.dtype, memory, array.begin, array.strides)  # and never looked at
        return shown.__dlpack__()
