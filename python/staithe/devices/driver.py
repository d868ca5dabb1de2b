"""CUDA's driver, as far as copies need it. It is loaded when the first array of a GPU comes."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import ClassVar, NamedTuple

from ..errors import LimitReached, SystemFailure

LIBRARY = "libcuda.so.1"

DEFAULT_STREAM = 1
"""The legacy default stream, as cuda.h, ``__cuda_array_interface__`` and DLPack number it."""

LARGEST_PITCH = 2**31 - 1
"""In bytes, from row to row: what a device takes at least."""

_HOST, _DEVICE = 1, 2  # CUmemorytype
_DEVICE_ORDINAL = 9  # CUpointer_attribute
_FOR_ALL_CONTEXTS = 1
_SLEEP_AND_TAKE_NO_TIME = 1 | 2  # CUevent_flags
_OUT_OF_MEMORY = 2


class _Memcpy2D(Structure):
    """CUDA_MEMCPY2D_v2 of cuda.h."""

    _fields_: ClassVar = [
        (side + name, kind)
        for side in ("src", "dst")
        for name, kind in (
            ("XInBytes", c_size_t),
            ("Y", c_size_t),
            ("MemoryType", c_int),
            ("Host", c_void_p),
            ("Device", c_uint64),
            ("Array", c_void_p),
            ("Pitch", c_size_t),
        )
    ] + [("WidthInBytes", c_size_t), ("Height", c_size_t)]


# By the names that the library exports: cuda.h maps those that its programs use to the newest versions of them.
_PARAMETERS = {
    "cuInit": (c_uint,),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
    "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (POINTER(c_void_p),),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpy2DAsync_v2": (POINTER(_Memcpy2D), c_void_p),
    "cuStreamSynchronize": (c_void_p,),
    "cuEventCreate": (POINTER(c_void_p), c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventSynchronize": (c_void_p,),
    "cuEventDestroy_v2": (c_void_p,),
    "cuMemHostAlloc": (POINTER(c_void_p), c_size_t, c_uint),
    "cuMemFreeHost": (c_void_p,),
    "cuMemHostRegister_v2": (c_void_p, c_size_t, c_uint),
    "cuMemHostUnregister": (c_void_p,),
}


class Rows(NamedTuple):
    """Rows of bytes that are copied at once, and where they begin at both ends."""

    host: int
    device: int
    width: int
    rows: int = 1
    host_pitch: int = 0  # from row to row
    device_pitch: int = 0


class Device:
    """A GPU, by its primary context: the one that CuPy, PyTorch, JAX and Numba work in.

    All but `wait` are called in a block of `current`. What fails raises SystemFailure, or LimitReached where memory has
    run out.
    """

    def __init__(self, library: ctypes.CDLL, ordinal: int) -> None:
        self._library = library
        self._context = c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), ordinal)

    def _call(self, name: str, *arguments: object) -> None:
        _call(self._library, name, *arguments)

    @property
    def pinning(self) -> tuple[int, int, int, int, int]:
        """Where to find the functions that pin memory, and the context for them."""
        names = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuMemHostRegister_v2", "cuMemHostUnregister")
        push, pop, register, unregister = (
            ctypes.cast(getattr(self._library, name), c_void_p).value or 0 for name in names
        )
        return push, pop, register, unregister, self._context.value or 0

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """While the block runs, calls of this thread mean this device."""
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(c_void_p()))

    def copy(self, rows: Rows, stream: int, *, to_host: bool) -> None:
        """Begin to copy."""
        if rows.rows > 1:
            host = (0, 0, _HOST, rows.host, 0, None, rows.host_pitch)
            device = (0, 0, _DEVICE, None, rows.device, None, rows.device_pitch)
            source, target = (device, host) if to_host else (host, device)
            self._call("cuMemcpy2DAsync_v2", ctypes.byref(_Memcpy2D(*source, *target, rows.width, rows.rows)), stream)
        elif to_host:
            self._call("cuMemcpyDtoHAsync_v2", rows.host, rows.device, rows.width, stream)
        else:
            self._call("cuMemcpyHtoDAsync_v2", rows.device, rows.host, rows.width, stream)

    def mark(self, stream: int) -> int:
        """An event, for `wait`: all that was begun on the stream so far is done."""
        event = c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), _SLEEP_AND_TAKE_NO_TIME)
        self._call("cuEventRecord", event, stream)
        return event.value or 0

    def wait(self, event: int) -> None:
        """Wait for an event, and end it. Other threads run meanwhile."""
        with self.current():
            self._call("cuEventSynchronize", event)
            self._call("cuEventDestroy_v2", event)

    def settle(self, stream: int) -> None:
        """Wait for all that was begun on a stream."""
        self._call("cuStreamSynchronize", stream)

    def allocate_pinned(self, size: int) -> int:
        """Memory of the host that every device copies from by itself."""
        memory = c_void_p()
        self._call("cuMemHostAlloc", ctypes.byref(memory), size, _FOR_ALL_CONTEXTS)
        return memory.value or 0

    def free_pinned(self, memory: int) -> None:
        """Give such memory back."""
        self._call("cuMemFreeHost", memory)


def device_of(address: int, what: str) -> Device:
    """The device in whose memory that address is; `what` lies there, for messages.

    Raises:
        SystemFailure: CUDA's driver cannot be loaded, or knows of no such address.
    """
    try:
        library = _load(LIBRARY)
    except OSError as error:
        raise SystemFailure(
            f"{what} lies in the memory of a GPU, and CUDA's driver cannot be loaded: {error}. Copy it to the host"
        ) from error
    ordinal = c_int()
    _call(library, "cuPointerGetAttribute", ctypes.byref(ordinal), _DEVICE_ORDINAL, address)
    return _device(library, ordinal.value)


@functools.cache
def _load(name: str) -> ctypes.CDLL:
    library = ctypes.CDLL(name)
    for function, parameters in _PARAMETERS.items():
        getattr(library, function).argtypes = parameters
    _call(library, "cuInit", 0)
    return library


@functools.cache
def _device(library: ctypes.CDLL, ordinal: int) -> Device:
    return Device(library, ordinal)


def _call(library: ctypes.CDLL, name: str, *arguments: object) -> None:
    code = getattr(library, name)(*arguments)
    if code != 0:
        text = c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        kind = LimitReached if code == _OUT_OF_MEMORY else SystemFailure
        raise kind(f"CUDA's driver: {name}: {(text.value or b'unknown error').decode()} ({code})")
