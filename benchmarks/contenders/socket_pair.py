"""Sockets by hand: a TCP connection that carries the bytes of each step, and a byte back for each that was read.

In this file there is no protocol, no name, no shape and no error, and the reader receives into the same memory always.
It is the limit for what lies in memory, where iperf3 sends the same 128 KiB out of the cache again and again: in C,
with MSG_WAITALL or without, and with nobody to wait for, it is no faster.
"""

import socket
import time
from collections.abc import Mapping

import numpy as np

from ..harness.trial import Seat
from .base import Array, Contender, StepReader, StepWriter

FIRST_PORT = 7700
# Bytes that the kernel is given at a time: from 512 KiB to 1 MiB it carries nearly twice as much as from 2 MiB on.
AT_ONCE = 1 << 20


def port_of(seat: Seat) -> int:
    """Another one for the stream that goes back."""
    return FIRST_PORT + (1 if seat.stream.endswith("-back") else 0)


class SocketWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        with socket.create_server(("0.0.0.0", port_of(seat))) as listener:
            self._socket, _ = listener.accept()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._credit = seat.queue

    def put(self, arrays: Mapping[str, Array]) -> None:
        while self._credit == 0:
            self._credit += len(self._socket.recv(64))
        self._credit -= 1
        for array in arrays.values():
            whole = array.view(np.uint8).data
            for start in range(0, len(whole), AT_ONCE):
                self._socket.sendall(whole[start : start + AT_ONCE])

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)
        while self._socket.recv(64):  # else what the reader still says would cut it off
            pass


class SocketReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        host = seat.trial.host_of("reader" if seat.role == "writer" else "writer", 0)
        while True:
            try:
                self._socket = socket.create_connection((host, port_of(seat)))
                break
            except ConnectionRefusedError:
                time.sleep(0.001)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._arrays = {name: np.empty(seat.items) for name in seat.names}
        self._has_step = False

    def next(self) -> Mapping[str, Array]:
        if self._has_step:
            self._socket.sendall(b"x")
        for array in self._arrays.values():
            left = array.view(np.uint8).data
            while len(left) > 0:
                left = left[self._socket.recv_into(left) :]
        self._has_step = True
        return self._arrays


class SocketPair(Contender):
    """By hand, between hosts."""

    name = "socket_pair"

    def writer(self, seat: Seat) -> StepWriter:
        return SocketWriter(seat)

    def reader(self, seat: Seat) -> StepReader:
        return SocketReader(seat)


CONTENDER = SocketPair()
