"""iceoryx2, by its Python API: publish and subscribe over shared memory; `put` copies into a lent sample.

Its readers poll. Where a case is about waiting (setting `blocking`), the reader sleeps on an event service, and the
writer notifies it of every step, which is how iceoryx2 means it.
"""

import ctypes
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..harness.trial import Seat
from .base import Array, Contender, StepReader, StepWriter, untyped

# Samples are C arrays to iceoryx2; NumPy takes them by address.
Doubles = ctypes.POINTER(ctypes.c_double)


class Services:
    """The two services of a stream: samples, and the event that says there is one."""

    def __init__(self, seat: Seat) -> None:
        self.iox: Any = untyped("iceoryx2")
        self.iox.set_log_level(self.iox.LogLevel.Error)
        # Kept: the services go with their node.
        self._node = self.iox.NodeBuilder.new().create(self.iox.ServiceType.Ipc)
        name = self.iox.ServiceName.new(seat.stream)
        self.samples = (
            self._node.service_builder(name)
            .publish_subscribe(self.iox.Slice[ctypes.c_double])
            .enable_safe_overflow(False)
            .subscriber_max_buffer_size(seat.queue * len(seat.names))
            .subscriber_max_borrowed_samples(len(seat.names))
            .open_or_create()
        )
        # Until a reader has connected, a publisher that should wait for room drops samples in silence.
        self.joined = Path(seat.directory) / "iceoryx2-joined"
        self.blocking = bool(seat.settings.get("blocking"))
        if self.blocking:
            self.event = self._node.service_builder(name).event().open_or_create()

    def view(self, sample: Any, items: int) -> Array:
        address = ctypes.cast(sample.payload_ptr, Doubles)
        return np.ctypeslib.as_array(address, (items,))


class IceoryxWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        self._services = services = Services(seat)
        self._publisher = (
            services.samples.publisher_builder()
            .initial_max_slice_len(seat.items)
            .backpressure_strategy(services.iox.BackpressureStrategy.RetryUntilDelivered)
            .create()
        )
        if services.blocking:
            self._notifier = services.event.notifier_builder().create()
        while not services.joined.exists():
            time.sleep(0.001)
        self._publisher.update_connections()

    def put(self, arrays: Mapping[str, Array]) -> None:
        for array in arrays.values():
            sample = self._publisher.loan_slice_uninit(array.size)
            ctypes.memmove(sample.payload_ptr, array.ctypes.data, array.nbytes)
            sample.assume_init().send()
        self._notify()

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        sample = self._publisher.loan_slice_uninit(items)
        yield self._services.view(sample, items)
        sample.assume_init().send()
        self._notify()

    def _notify(self) -> None:
        if self._services.blocking:
            self._notifier.notify()


class IceoryxReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._services = services = Services(seat)
        self._names, self._items = seat.names, seat.items
        self._held: list[Any] = []
        self._subscriber = services.samples.subscriber_builder().buffer_size(
            seat.queue * len(seat.names)
        ).create()  # fmt: skip
        if services.blocking:
            self._listener = services.event.listener_builder().create()
            self._patience = services.iox.Duration.from_secs(60)
        while services.samples.dynamic_config.number_of_publishers == 0:
            time.sleep(0.001)
        assert self._subscriber.receive() is None  # connects
        services.joined.touch()

    def next(self) -> Mapping[str, Array]:
        self._held.clear()
        arrays: dict[str, Array] = {}
        for name in self._names:
            sample = self._receive()
            self._held.append(sample)
            arrays[name] = self._services.view(sample, self._items)
        return arrays

    def _receive(self) -> Any:
        while (sample := self._subscriber.receive()) is None:
            if self._services.blocking:
                self._listener.timed_wait(self._patience)
        return sample


class Iceoryx2(Contender):
    """The closest relative: zero-copy messages between processes."""

    name = package = "iceoryx2"

    def load(self, seat: Seat) -> None:
        untyped("iceoryx2")

    def writer(self, seat: Seat) -> StepWriter:
        self._kept = IceoryxWriter(seat)  # what readers have not taken yet would go with it
        return self._kept

    def reader(self, seat: Seat) -> StepReader:
        return IceoryxReader(seat)


CONTENDER = Iceoryx2()
