"""The line between the launcher and its workers: a Unix socket with one JSON object a line.

A worker says hello once its libraries are loaded, waits for `go`, works, reports, and waits for `leave`: nobody goes
home while another may still need its memory.
"""

import json
import socket
from collections.abc import Mapping
from typing import Any


class Control:
    """A worker's end."""

    def __init__(self, path: str, timeout: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(path)
        self._lines = self._socket.makefile("r")

    def send(self, message: Mapping[str, Any]) -> None:
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def wait_for(self, word: str) -> None:
        line = self._lines.readline().strip()
        if line != word:
            raise ConnectionError(f"the launcher said {line!r} in place of {word!r}")


class Desk:
    """The launcher's end: accepts every worker and gathers what they say, without ever blocking for long."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        self._listener.settimeout(0.0)
        self._lines: dict[socket.socket, bytes] = {}

    def messages(self) -> list[dict[str, Any]]:
        """What has arrived since the last call."""
        self._accept()
        found: list[dict[str, Any]] = []
        for worker in list(self._lines):
            try:
                data = worker.recv(1 << 20)
            except BlockingIOError:
                continue
            except ConnectionError:
                data = b""
            if not data:
                del self._lines[worker]
                worker.close()
                continue
            *complete, rest = (self._lines[worker] + data).split(b"\n")
            self._lines[worker] = rest
            found += [json.loads(line) for line in complete]
        return found

    def tell_all(self, word: str) -> None:
        for worker in self._lines:
            worker.sendall(word.encode() + b"\n")

    def close(self) -> None:
        for worker in self._lines:
            worker.close()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                worker, _ = self._listener.accept()
            except BlockingIOError:
                return
            worker.settimeout(0.0)
            self._lines[worker] = b""
