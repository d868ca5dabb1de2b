"""The limit: what two processes reach by hand, on pre-faulted shared memory with a fixed number of slots.

`put` is one copy into a slot, by NumPy or as the case says; `lend` the slot itself. Each side counts its steps in a
word of its own; who waits spins for 50 µs, then sleeps in the kernel on the other's word. In this file there is no
protocol, no name, no shape and no error: what a library adds on top is what the comparison shows.
"""

import ctypes
import mmap
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..harness.trial import Seat
from .base import Array, Contender, DurableStore, ObjectStore, StepReader, StepWriter

SYS_FUTEX = 202 if os.uname().machine == "x86_64" else 98
FUTEX_WAIT, FUTEX_WAKE = 0, 1
SPIN_NS = 50_000
PAGE = mmap.PAGESIZE


class Word:
    """A 32-bit counter in shared memory that one process moves and another waits for."""

    _syscall = ctypes.CDLL(None, use_errno=True).syscall

    def __init__(self, memory: mmap.mmap, offset: int) -> None:
        self._value = memoryview(memory)[offset : offset + 4].cast("I")
        self._address = ctypes.addressof(ctypes.c_uint32.from_buffer(memory, offset))

    def increase(self) -> None:
        self._value[0] += 1
        # Always: to know that nobody sleeps takes a memory fence, which Python does not have.
        self._futex(FUTEX_WAKE, 1)

    def wait_beyond(self, count: int) -> None:
        until = time.perf_counter_ns() + SPIN_NS
        while (seen := self._value[0]) <= count:
            if time.perf_counter_ns() > until:
                self._futex(FUTEX_WAIT, seen)  # returns at once if the word has moved

    def _futex(self, operation: int, value: int) -> None:
        self._syscall(SYS_FUTEX, ctypes.c_void_p(self._address), operation, value, None, None, 0)


class Slots:
    """The shared file: a page with the two words, then the slots."""

    def __init__(self, seat: Seat) -> None:
        path = Path("/dev/shm") / seat.stream
        slot_bytes = -(-seat.step_bytes // PAGE) * PAGE
        size = PAGE + seat.queue * slot_bytes
        if seat.role == "writer":
            unfinished = path.with_suffix(".new")
            descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            os.posix_fallocate(descriptor, 0, size)
            unfinished.rename(path)
        else:
            while not path.exists():
                time.sleep(0.001)
            descriptor = os.open(path, os.O_RDWR)
            path.unlink()
        memory = mmap.mmap(descriptor, size, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        os.close(descriptor)
        self.published, self.released = Word(memory, 0), Word(memory, 64)
        self.slots: list[dict[str, Array]] = [
            {
                name: np.frombuffer(memory, np.float64, seat.items, PAGE + slot * slot_bytes + 8 * seat.items * place)
                for place, name in enumerate(seat.names)
            }
            for slot in range(seat.queue)
        ]


def copy_of(library: str, name: str) -> Callable[[Array, Array], None]:
    """A copy of cpp/hand_copies.cpp; no name: NumPy's."""
    if not name:
        return np.copyto
    function = getattr(ctypes.CDLL(library), f"copy_{name}")
    function.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    function.restype = None
    return lambda to, source: function(to.ctypes.data, source.ctypes.data, source.nbytes)


class LimitWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        self._shared = Slots(seat)
        self._copy = copy_of(*seat.settings.get("copy", ("", "")))
        self._step = 0

    def put(self, arrays: Mapping[str, Array]) -> None:
        slot = self._next_slot()
        for name, array in arrays.items():
            self._copy(slot[name], array)
        self._publish()

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        yield self._next_slot()[name][:items]
        self._publish()

    def _next_slot(self) -> dict[str, Array]:
        slots = self._shared.slots
        if self._step >= len(slots):
            self._shared.released.wait_beyond(self._step - len(slots))
        return slots[self._step % len(slots)]

    def _publish(self) -> None:
        self._step += 1
        self._shared.published.increase()


class LimitReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._shared = Slots(seat)
        self._step = 0

    def next(self) -> Mapping[str, Array]:
        if self._step:
            self._shared.released.increase()
        self._shared.published.wait_beyond(self._step)
        self._step += 1
        return self._shared.slots[(self._step - 1) % len(self._shared.slots)]


class LimitObjects(ObjectStore):
    """Memory of this process: of a put and a get there is nothing left but the copy."""

    def __init__(self) -> None:
        self._kept: dict[str, Array] = {}

    def put(self, name: str, array: Array) -> None:
        if name not in self._kept:
            self._kept[name] = np.ones_like(array)
        np.copyto(self._kept[name], array)

    def get(self, name: str) -> Array:
        return self._kept[name]


class LimitFile(DurableStore):
    """A file that grows; what has come to it is read again in one go."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "file"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._places: dict[str, tuple[int, int]] = {}  # offset, bytes

    def put(self, name: str, array: Array) -> None:
        self.put_all({name: array})

    def put_all(self, arrays: Mapping[str, Array]) -> None:
        end = os.fstat(self._file).st_size
        for name, array in arrays.items():
            self._places[name] = end, array.nbytes
            end += array.nbytes
        views = [array.data.cast("B") for array in arrays.values()]
        data = memoryview(b"".join(views)) if len(views) > 1 else views[0]
        while data:
            data = data[os.write(self._file, data) :]
        os.fdatasync(self._file)

    def restart(self) -> float:
        """Memory that is there already, as the page cache's is: reading alone."""
        room = bytearray(64 << 20)
        began = time.perf_counter()
        with self._path.open("rb", buffering=0) as file:
            while file.readinto(room):
                pass
        return time.perf_counter() - began

    def get(self, name: str) -> Array:
        offset, count = self._places[name]
        return np.frombuffer(os.pread(self._file, count, offset))


class LimitSteps(StepWriter):
    """A file that grows, past the kernel's cache, of memory that lies as the disk takes it."""

    def __init__(self, path: Path, items: int) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
        self._memory = mmap.mmap(-1, 8 * items)
        np.frombuffer(self._memory)[:] = np.random.default_rng(1).normal(size=items)
        self._size = 0

    def put(self, arrays: Mapping[str, Array]) -> None:
        self._size += os.pwrite(self._descriptor, self._memory, self._size)

    def close(self) -> None:
        os.fdatasync(self._descriptor)
        os.close(self._descriptor)


class Limit(Contender):
    """By hand."""

    name = "limit"

    def filing(self, path: Path, items: int) -> StepWriter:
        return LimitSteps(path, items)

    def writer(self, seat: Seat) -> StepWriter:
        return LimitWriter(seat)

    def reader(self, seat: Seat) -> StepReader:
        return LimitReader(seat)

    def objects(self, seat: Seat) -> ObjectStore:
        return LimitObjects()

    @contextmanager
    def durable(self, directory: Path, timeout: float) -> Iterator[DurableStore]:
        yield LimitFile(directory)


CONTENDER = Limit()
