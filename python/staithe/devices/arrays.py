"""Arrays in the memory of a GPU, as their libraries describe them: ``__cuda_array_interface__`` and DLPack."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import InvalidArgument
from .driver import DEFAULT_STREAM


@dataclass(frozen=True)
class DeviceArray:
    """An array in the memory of a GPU."""

    what: str  # it is, for messages
    address: int  # of its first element; 0 if it has none
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in bytes
    dtype: np.dtype[Any]
    stream: int | None  # on which its program works with it; None: nobody says
    read_only: bool
    owner: object  # keeps the memory

    @property
    def column_major(self) -> bool:
        """Whether the first index runs fastest."""
        strides = [abs(stride) for stride, length in zip(self.strides, self.shape, strict=True) if length > 1]
        return len(strides) > 1 and strides == sorted(set(strides))


def find(array: object, what: str) -> DeviceArray | None:
    """The array as one of a GPU; None if it is in the memory of the host, or none at all.

    Its content is there, or will be by what is done on its stream.

    Args:
        array: any object.
        what: it is, for messages.

    Raises:
        InvalidArgument: it lies where nothing can copy from, has elements that streams have not, or its library
            refuses to show it.
    """
    try:
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            if (stream := _stream_of_torch(array, what)) is not None:
                return _from_interface(array, {**interface, "stream": stream}, what)
            # Only since its version 3 the interface says what to wait for; DLPack always did.
            if interface["version"] >= 3 or not hasattr(array, "__dlpack__"):
                return _from_interface(array, interface, what)
        return _from_dlpack(array, what) if _is_on_gpu(array, what) else None
    except InvalidArgument:
        raise
    except Exception as error:
        raise InvalidArgument(f"{what}: its library does not show where it lies: {error}") from error


def _from_interface(array: object, interface: Mapping[str, Any], what: str) -> DeviceArray:
    if interface.get("mask") is not None:
        raise InvalidArgument(f"{what} has a mask, and masks are not kept: put its values and its mask as two arrays")
    address, read_only = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides") or _dense(shape, dtype)
    return DeviceArray(what, address or 0, shape, tuple(strides), dtype, interface.get("stream"), read_only, array)


def _dense(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """The strides of such an array in C order."""
    strides = [dtype.itemsize]
    for length in shape[:0:-1]:
        strides.append(strides[-1] * length)
    return tuple(reversed(strides[: len(shape)]))


def _stream_of_torch(array: object, what: str) -> int | None:
    """PyTorch has a stream in which it works, and says so nowhere else; nor that what lies in memory is not it yet."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor):
        return None
    if array.is_conj() or array.is_neg():
        raise InvalidArgument(
            f"{what} has yet to be conjugated or negated by PyTorch: take tensor.resolve_conj().resolve_neg()"
        )
    return int(torch.cuda.current_stream(array.device).cuda_stream) or DEFAULT_STREAM


class _Tensor(Structure):
    """DLTensor of dlpack.h, with which a DLManagedTensor begins."""

    _fields_: ClassVar = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_pointer_of = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

_ON_THE_HOST = {1, 3, 11}  # plain, and pinned by CUDA or ROCm
_ON_A_GPU = {2, 13}  # CUDA's own memory, and managed memory
_ELSEWHERE = {4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI", 15: "WebGPU"}
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # of elements
_BFLOAT = 4


def _is_on_gpu(array: object, what: str) -> bool:
    """By DLPack, if it knows that."""
    tell_device = getattr(array, "__dlpack_device__", None)
    kind = int(tell_device()[0]) if tell_device is not None else 1
    if kind in _ON_THE_HOST | _ON_A_GPU:
        return kind in _ON_A_GPU
    raise InvalidArgument(
        f"{what} lies on a device of {_ELSEWHERE.get(kind, f'DLPack kind {kind}')}: arrays are taken from the host and "
        "from GPUs of CUDA. Copy it to the host first"
    )


def _from_dlpack(array: Any, what: str) -> DeviceArray:
    capsule = array.__dlpack__(stream=DEFAULT_STREAM)  # that it does not take, it releases as it goes
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    if tensor.code not in _KINDS or tensor.lanes != 1:
        name = "bfloat16" if tensor.code == _BFLOAT else f"elements of DLPack code {tensor.code}"
        raise InvalidArgument(f"{what} cannot have dtype {name}: convert it to one that NumPy has, such as float32")
    dtype = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(stride * dtype.itemsize for stride in tensor.strides[: tensor.ndim]) if tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    return DeviceArray(what, address, shape, strides or _dense(shape, dtype), dtype, None, True, (capsule, array))
