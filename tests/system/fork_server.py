"""Processes by the dozen: a server that has imported Staithe forks one for each order, within milliseconds.

A child runs a function of a module beside this file: `function(stage, **arguments)`. Its `Stage` sends events to the
test (`tell`), waits for its word (`wait_for_word`) and kills the child where the order says so (`point`). The
server has neither threads nor streams, so its children begin like fresh programs. It may be on a host of the test's
(hosts.py).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hosts import Host

HERE = Path(__file__).resolve().parent
_LARGEST_ORDER = 1 << 16
_CREDENTIALS = struct.Struct("3i")  # as the kernel passes them on: pid, user, group


@dataclass(frozen=True)
class Event:
    """What a child told, and when (time.monotonic, which all processes of a machine share)."""

    at: float
    what: str
    details: tuple[Any, ...]


# In the child ------------------------------------------------------------------------------------------------


class GivesUp(Exception):
    """What ends a program that goes wrong, instead of a signal."""


class Stage:
    """A child's side of the conversation with the test."""

    def __init__(self, events: int, words: int, death: dict[str, Any] | None) -> None:
        self._events = events
        self._words = words
        self._death = death
        self.is_doomed = False  # the test is about to kill this process

    def tell(self, what: str, *details: Any) -> None:
        os.write(self._events, (json.dumps([time.monotonic(), what, *details]) + "\n").encode())

    def wait_for_word(self) -> None:
        """Waits until the test says something, or is gone."""
        os.read(self._words, 1)

    def point(self, name: str, number: int = 0) -> None:
        """A point of this process's life. If it is to die here, it does, or the test kills it a moment later."""
        if self._death is None or (self._death["point"], self._death["number"]) != (name, number):
            return
        if self._death["delay"] is None:
            self.tell("dies", name, number)
            if self._death["raises"]:
                raise GivesUp(f"it gives up {name} {number}")
            os.kill(os.getpid(), signal.SIGKILL)
        self.is_doomed = True
        self.tell("is to die", name, number)

    @contextlib.contextmanager
    def call(self, name: str, number: int = 0) -> Iterator[None]:
        """Tells of a call that may wait: when it was made, and how it ended."""
        self.point(name, number)
        self.tell("calls", name, number)
        try:
            yield
        except Exception as error:
            self.tell("fails", name, number, type(error).__name__, str(error))
            raise
        self.tell("returns", name, number)


def _run_child(order: dict[str, Any], events: int, words: int) -> None:
    stage = Stage(events, words, order["death"])
    try:
        os.environ.update(order["environment"])
        if order["output"]:
            os.dup2(events, 1)
            os.dup2(events, 2)
        function = getattr(importlib.import_module(order["module"]), order["function"])
        function(stage, **order["arguments"])
    except SystemExit as end:
        stage.tell("exits", end.code or 0)
    except BaseException:
        stage.tell("breaks", traceback.format_exc())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def serve(connection: socket.socket) -> None:
    """Forks a child for every order, until the test is gone; then ends those that are left."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children: the kernel buries them
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, _LARGEST_ORDER, 2)
        if not message:
            os.killpg(0, signal.SIGKILL)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection.send(str(os.getpid()).encode())
            connection.close()
            _run_child(json.loads(message), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


# In the test -------------------------------------------------------------------------------------------------


@dataclass
class Child:
    """A process that the server forked, as the test sees it. `read` collects its events; `gone` says that it ended."""

    name: str
    pid: int
    host: str
    pid_inside: int  # on its host
    events: list[Event] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # that it, or what it started, printed
    gone: bool = False
    gone_at: float = 0.0
    _pipe: int = -1
    _words: int = -1
    _rest: bytes = b""

    def fileno(self) -> int:
        return self._pipe

    def read(self) -> None:
        """Takes what is there; waits if there is nothing."""
        data = os.read(self._pipe, 1 << 16)
        if not data:
            self.gone, self.gone_at = True, time.monotonic()
            self.forget()
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                at, what, *details = json.loads(line)
                self.events.append(Event(at, what, tuple(details)))
            except (ValueError, TypeError):
                self.lines.append(line.decode(errors="replace"))

    def say(self) -> None:
        """A word for `wait_for_word`."""
        if not self.gone:
            with contextlib.suppress(BrokenPipeError):
                os.write(self._words, b".")

    def signal(self, number: int) -> None:
        if not self.gone:  # then its number may be another's
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)

    def stop(self) -> None:
        """SIGSTOP; returns when it stands still."""
        from standing_still import stop  # not there for the server, which is a program of its own

        assert not self.gone, self.story()
        stop(self.pid)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def wait_for(self, what: str, *details: Any, seconds: float = 30.0) -> Event:
        """The first such event; the details may be cut short."""
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event.what == what and event.details[: len(details)] == details:
                    return event
            assert not self.gone, f"{self.name} ended before it {what} {details}: {self.story()}"
            assert self._readable(deadline), f"{self.name} never {what} {details}: {self.story()}"
            self.read()

    def wait(self, seconds: float = 30.0) -> Child:
        """Until it has ended."""
        deadline = time.monotonic() + seconds
        while not self.gone:
            assert self._readable(deadline), f"{self.name} goes on and on: {self.story()}"
            self.read()
        return self

    def all(self, what: str, *details: Any) -> list[Event]:
        return [event for event in self.events if event.what == what and event.details[: len(details)] == details]

    def has(self, what: str, *details: Any) -> bool:
        return bool(self.all(what, *details))

    def story(self) -> str:
        start = self.events[0].at if self.events else 0.0
        told = [f"  {event.at - start:8.4f} {event.what} {' '.join(map(str, event.details))}" for event in self.events]
        return "\n".join([f"{self.name} (pid {self.pid}{', gone' if self.gone else ''}):", *told, *self.lines])

    def forget(self) -> None:
        for descriptor in (self._pipe, self._words):
            if descriptor >= 0:
                os.close(descriptor)
        self._pipe = self._words = -1

    def _readable(self, deadline: float) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            return bool(selector.select(max(0.0, deadline - time.monotonic())))


class ForkServer:
    """The server as the test sees it. Any thread may start children."""

    def __init__(self, host: Host | None = None) -> None:
        """On that host, else here."""
        self.host = os.uname().nodename if host is None else host.name
        self._lock = threading.Lock()
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        start = subprocess.Popen if host is None else host.popen
        threadless = ["env", "OPENBLAS_NUM_THREADS=1"]  # threads do not survive a fork
        with theirs:
            self._process = start(
                [*threadless, sys.executable, "-W", "error", str(Path(__file__)), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=None,
                stderr=None,
            )

    def start(
        self,
        module: str,
        function: str,
        *,
        called: str = "",
        environment: dict[str, str] | None = None,
        death: dict[str, Any] | None = None,
        output: bool = False,
        **arguments: Any,
    ) -> Child:
        """Has `function` of `module` run in a process of its own, known as `called`. `output`: what it prints goes to
        `Child.lines`."""
        order = {
            "module": module,
            "function": function,
            "environment": environment or {},
            "death": death,
            "output": output,
            "arguments": arguments,
        }
        events, told = os.pipe()
        heard, words = os.pipe()
        with self._lock:
            socket.send_fds(self._connection, [json.dumps(order).encode()], [told, heard])
            os.close(told)
            os.close(heard)
            # What it is called there, and from the kernel what it is called here.
            said, [(_, _, credentials)], *_ = self._connection.recvmsg(64, socket.CMSG_SPACE(_CREDENTIALS.size))
        pid = _CREDENTIALS.unpack(credentials)[0]
        assert pid > 0, "a signal to 0 would be one to this process and all of its group"
        return Child(called or function, pid, self.host, int(said), _pipe=events, _words=words)

    def stop(self) -> None:
        self._connection.close()
        self._process.wait(20)


def watch(children: Sequence[Child], until: float) -> list[Child]:
    """Waits until some of the children have told something, or the time (time.monotonic) has come; reads it."""
    with selectors.DefaultSelector() as selector:
        for child in children:
            if not child.gone:
                selector.register(child, selectors.EVENT_READ)
        if not selector.get_map():
            time.sleep(max(0.0, until - time.monotonic()))
            return []
        heard = [key.fileobj for key, _ in selector.select(max(0.0, until - time.monotonic()))]
    for child in heard:
        child.read()  # type: ignore[union-attr]
    return heard  # type: ignore[return-value]


if __name__ == "__main__":
    # As `__main__` and by its name this file would be two modules.
    module = importlib.import_module("fork_server")
    for preloaded in ("numpy", "staithe.opening", "staithe.spaces", "staithe.cli.app", "staithe.cli.ls_command"):
        importlib.import_module(preloaded)
    module.serve(socket.socket(fileno=int(sys.argv[1])))
