"""Arrow Flight (pyarrow): a table without end whose record batches are the steps, sent without a copy where it can."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from queue import Queue
from typing import Any

from ..harness.trial import Seat
from .base import Array, Contender, SparePool, StepReader, StepWriter, untyped
from .socket_pair import port_of


class FlightWriter(StepWriter):
    """A server, out of whose queue the one reader's stream is fed."""

    def __init__(self, seat: Seat) -> None:
        self._arrow, flight = untyped("pyarrow"), untyped("pyarrow.flight")
        self._schema = schema = self._arrow.schema([(name, self._arrow.float64()) for name in seat.names])
        self._batches = batches = Queue[Any](seat.queue)

        def do_get(server: Any, context: Any, ticket: Any) -> Any:
            return flight.GeneratorStream(schema, _until_none(batches))

        serving = type("Serving", (flight.FlightServerBase,), {"do_get": do_get})
        self._server = serving(f"grpc://0.0.0.0:{port_of(seat)}")
        self._pool = SparePool()

    def put(self, arrays: Mapping[str, Array]) -> None:
        # A copy: the array may change once this returns.
        self._send([self._pool.copy_of(array) for array in arrays.values()])

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        array = self._pool.take(items)
        yield array
        self._send([array])

    def _send(self, arrays: list[Array]) -> None:
        columns = [self._arrow.array(array) for array in arrays]
        self._batches.put(self._arrow.record_batch(columns, schema=self._schema))

    def close(self) -> None:
        self._batches.put(None)
        self._server.shutdown()  # waits for the stream that is under way


def _until_none(batches: "Queue[Any]") -> Iterator[Any]:
    while (batch := batches.get()) is not None:
        yield batch


class FlightReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        flight = untyped("pyarrow.flight")
        host = seat.trial.host_of("writer", 0)
        while True:
            try:
                self._client = flight.connect(f"grpc://{host}:{port_of(seat)}")
                self._stream = self._client.do_get(flight.Ticket(b"steps"))
                return
            except flight.FlightUnavailableError:
                time.sleep(0.01)

    def next(self) -> Mapping[str, Array]:
        batch = self._stream.read_chunk().data
        return {name: batch[name].to_numpy() for name in batch.schema.names}


class Flight(Contender):
    """Tables between programs, over gRPC."""

    name = "flight"
    package = "pyarrow"

    def load(self, seat: Seat) -> None:
        untyped("pyarrow.flight")

    def writer(self, seat: Seat) -> StepWriter:
        return FlightWriter(seat)

    def reader(self, seat: Seat) -> StepReader:
        return FlightReader(seat)


CONTENDER = Flight()
