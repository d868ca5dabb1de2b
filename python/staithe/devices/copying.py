"""Copies between the memory of a GPU and that of the host, which go on while the program does.

They stand on the array's stream: what its program does there next comes after them. Where nobody says which stream
that is, they are waited for at once.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument, SystemFailure
from .arrays import DeviceArray, find
from .driver import DEFAULT_STREAM, LARGEST_PITCH, Device, Rows, device_of

if TYPE_CHECKING:
    from .._core import Variable


def rows_of(array: DeviceArray, host: int) -> Iterator[Rows]:
    """The rows that make the array, and their places in dense memory of the host, which has the array's own order."""
    dimensions: list[tuple[int, int, int]] = []  # length, and strides of device and host; the innermost one first
    host_stride = array.dtype.itemsize
    order = 1 if array.column_major else -1
    for length, stride in zip(array.shape[::order], array.strides[::order], strict=True):
        if dimensions and stride == dimensions[-1][0] * dimensions[-1][1]:
            joined, *strides = dimensions.pop()  # it goes on where the last one ends
            dimensions.append((joined * length, strides[0], strides[1]))
        elif length != 1:
            dimensions.append((length, stride, host_stride))
        host_stride *= length
    width = array.dtype.itemsize
    if dimensions and dimensions[0][1] == width:
        width *= dimensions.pop(0)[0]
    by_pitch = [dimension for dimension in dimensions if width <= dimension[1] and max(dimension) <= LARGEST_PITCH]
    rows, device_pitch, host_pitch = max(by_pitch, default=(1, 0, 0))
    if by_pitch:
        dimensions.remove((rows, device_pitch, host_pitch))
    for index in itertools.product(*(range(length) for length, _, _ in dimensions)):
        offsets = [(i * device, i * host) for i, (_, device, host) in zip(index, dimensions, strict=True)]
        first = array.address + sum(device for device, _ in offsets)
        yield Rows(host + sum(host for _, host in offsets), first, width, rows, host_pitch, device_pitch)


def _begin(device: Device, array: DeviceArray, host: int, *, to_host: bool) -> int:
    """Begins to copy all of an array; gives the event of the copy's end."""
    stream = array.stream or DEFAULT_STREAM
    with device.current():
        for rows in rows_of(array, host):
            device.copy(rows, stream, to_host=to_host)
        return device.mark(stream)


def _settle(device: Device, array: DeviceArray) -> None:
    """Waits for whatever of a copy has begun."""
    with device.current():
        device.settle(array.stream or DEFAULT_STREAM)


class CopyToHost:
    """Of an array into a block of a step, from `start` on. Until `wait` has returned, it keeps the array."""

    def __init__(self, array: DeviceArray, host: int) -> None:
        self._array: DeviceArray | None = array
        self._host = host
        self._event: int | None = None
        self._device = device_of(array.address, array.what)
        self.pinning = self._device.pinning

    def start(self) -> None:
        """Begin to copy.

        Raises:
            SystemFailure: the driver refused. So does `wait`, then.
        """
        assert self._array is not None, "it serves once"
        self._event = _begin(self._device, self._array, self._host, to_host=True)
        if self._array.stream is None:
            self.wait()

    def wait(self) -> None:
        """Wait until the block is there. To wait again does nothing.

        Raises:
            SystemFailure: it will never be there.
        """
        if self._array is None:
            return
        if self._event is None:
            _settle(self._device, self._array)
            raise SystemFailure(f"{self._array.what} was not copied from the GPU, as its put said: abandon the step")
        event, self._event = self._event, None  # which is gone then, even if Ctrl-C comes in between
        self._device.wait(event)
        self._array = None


class _PinnedBuffer:
    """Memory of the host from which a GPU copies by itself, as large as the largest array that came."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._memory = 0
        self._size = 0
        self._last: tuple[Device, int] | None = None  # copy out of it, by its event

    def hold(self, device: Device, size: int) -> int:
        """Room for so many bytes, which no copy reads any more."""
        self.settle()
        if size > self._size:
            with device.current():
                if self._size > 0:
                    device.free_pinned(self._memory)
                    self._size = 0
                self._memory = device.allocate_pinned(size)
            self._size = size
        return self._memory

    def is_read_until(self, device: Device, event: int) -> None:
        """A copy out of it has begun."""
        self._last = device, event

    def settle(self) -> None:
        """Waits for that copy."""
        if self._last is not None:
            device, event = self._last
            self._last = None
            device.wait(event)


_buffers = itertools.cycle([_PinnedBuffer(), _PinnedBuffer()])  # one is filled while the other one is copied


def read_into(variable: Variable, key: Any, out: object) -> bool:
    """Read a selection into an array of a GPU; False if `out` is none.

    Raises:
        InvalidArgument: `out` cannot be written to; and what Variable.read says.
        SystemFailure: CUDA's driver cannot copy.
    """
    array = find(out, "out")
    if array is None:
        return False
    if array.read_only:
        raise InvalidArgument("out cannot be written to: it is read-only, or only DLPack shows where it lies")
    order: Any = "F" if array.column_major else "C"
    size = int(np.prod(array.shape, dtype=np.int64)) * array.dtype.itemsize
    if size == 0:
        variable.read(key, out=np.empty(array.shape, array.dtype))
        return True
    device = device_of(array.address, "out")
    buffer = next(_buffers)
    with buffer.lock:
        memory = buffer.hold(device, size)
        staged = memoryview((ctypes.c_char * size).from_address(memory))
        variable.read(key, out=np.ndarray(array.shape, array.dtype, staged, order=order))
        try:
            buffer.is_read_until(device, _begin(device, array, memory, to_host=False))
        except BaseException:
            _settle(device, array)
            raise
        if array.stream is None:
            buffer.settle()
    return True
