"""ZeroMQ: PUSH and PULL over TCP, without a copy on either side where it can, and a queue of as many messages."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..harness.trial import Seat
from .base import Array, Contender, SparePool, StepReader, StepWriter, untyped
from .socket_pair import port_of


class ZeromqWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        zmq = untyped("zmq")
        self._socket: Any = zmq.Context.instance().socket(zmq.PUSH)
        self._socket.set_hwm(seat.queue)
        self._socket.bind(f"tcp://*:{port_of(seat)}")
        self._more = zmq.SNDMORE
        self._pool = SparePool()

    def put(self, arrays: Mapping[str, Array]) -> None:
        # A copy: the array may change once this returns. Of short ones ZeroMQ makes one itself.
        threshold = self._socket.copy_threshold
        self._send([array if array.nbytes < threshold else self._pool.copy_of(array) for array in arrays.values()])

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        array = self._pool.take(items)
        yield array
        self._send([array])

    def _send(self, arrays: list[Array]) -> None:
        *first, last = arrays
        for array in first:
            self._socket.send(array, self._more, copy=False)
        self._socket.send(last, copy=False)

    def close(self) -> None:
        self._socket.close()


class ZeromqReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        zmq = untyped("zmq")
        self._socket: Any = zmq.Context.instance().socket(zmq.PULL)
        self._socket.set_hwm(seat.queue)
        host = seat.trial.host_of("reader" if seat.role == "writer" else "writer", 0)
        self._socket.connect(f"tcp://{host}:{port_of(seat)}")
        self._names = seat.names

    def next(self) -> Mapping[str, Array]:
        parts = self._socket.recv_multipart(copy=False)
        return {name: np.frombuffer(part.buffer) for name, part in zip(self._names, parts, strict=True)}


class Zeromq(Contender):
    """Messages without streams: who needs names, steps and selections makes them."""

    name = "zeromq"
    package = "pyzmq"

    def load(self, seat: Seat) -> None:
        untyped("zmq")

    def writer(self, seat: Seat) -> StepWriter:
        return ZeromqWriter(seat)

    def reader(self, seat: Seat) -> StepReader:
        return ZeromqReader(seat)


CONTENDER = Zeromq()
