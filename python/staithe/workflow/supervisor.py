"""Starts the programs of a run, passes their output on, and sees to it that they all end.

One thread waits on everything at once: output pipes, the ends of processes (pidfds), signals to the launcher.
"""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ..errors import SystemFailure
from ..signals import SignalInbox
from .child import Child, OutputPipe
from .ending import Ending, culprit
from .launch import Launch
from .roster import Roster
from .run_directory import RunDirectory

_TICK_SECONDS = 0.25
# mpiexec needs a moment after SIGTERM to end its ranks.
_LEAST_BEFORE_KILL_SECONDS = 1.0
# What servers have to leave word of their streams, once nobody uses them any more.
_SERVERS_END_SECONDS = 5.0


class Observer(Protocol):
    """Who is told what happens during a run; all calls come from the thread of `Supervisor.run`."""

    def started(self, program: str) -> None:
        """A program was started."""

    def output(self, program: str, pipe: str, line: str) -> None:
        """A program printed a line on "stdout" or "stderr"."""

    def ended(self, ending: Ending) -> None:
        """A program ended."""

    def stopping(self, programs: list[str], why: str) -> None:
        """The programs were sent a signal, or will be."""

    def tick(self) -> None:
        """Some time has passed; called a few times a second."""


class StartError(SystemFailure):
    """A program of the run could not be started; those before it were ended again."""


@dataclass(frozen=True)
class Outcome:
    """How all programs ended, in that order, and the signal that the launcher got, if any."""

    endings: tuple[Ending, ...]
    interrupted: signal.Signals | None = None

    @property
    def culprit(self) -> Ending | None:
        """The program that made the run fail."""
        return culprit(list(self.endings))

    @property
    def ok(self) -> bool:
        """Whether every program ended well by itself."""
        return self.interrupted is None and self.culprit is None


class Supervisor:
    """Runs programs until the last has ended. Servers are there before the first of them, and end behind the last.

    When one fails, be it a server, the other programs get `grace` seconds to end by themselves (readers of a dead
    writer do), then SIGTERM, and as long again (a second at least) before SIGKILL. A signal to the launcher goes to all
    programs, with SIGKILL after that time or at the second signal; to servers only where there are no programs.
    """

    def __init__(self, directory: RunDirectory, roster: Roster, observer: Observer, grace: float) -> None:
        self._directory = directory
        self._roster = roster
        self._observer = observer
        self._grace = grace
        self._kill_after = max(grace, _LEAST_BEFORE_KILL_SECONDS)
        self._selector = selectors.DefaultSelector()
        self._running: list[Child] = []
        self._endings: list[Ending] = []
        self._interrupted: signal.Signals | None = None
        # Signals that are due at some time, soonest first.
        self._due: list[tuple[float, signal.Signals]] = []

    def run(self, launches: Iterable[Launch]) -> Outcome:
        """Starts the programs and waits for all of them. Raises StartError if one cannot be started."""
        launches = tuple(launches)
        with self._selector, SignalInbox() as inbox:
            self._watch(inbox.fileno(), lambda: self._interrupt(inbox))
            try:
                self._start_each(launch for launch in launches if launch.serves)
                self._wait_while(self._servers_are_missing)
                if self._interrupted is None:
                    self._start_each(launch for launch in launches if not launch.serves)
                self._wait_while(lambda: bool(self._programs()))
                self._end_servers()
            finally:
                for child in self._running:
                    child.send(signal.SIGKILL)
                    child.end()
        return Outcome(tuple(self._endings), self._interrupted)

    def _wait_while(self, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            for key, _ in self._selector.select(self._patience()):
                key.data()
            self._send_due()
            self._observer.tick()

    def _servers_are_missing(self) -> bool:
        for ending in self._endings:
            if ending.failed:
                raise StartError(f"{ending.program}: ended before it could serve ({ending.how})")
        return self._interrupted is None and not all(child.is_there for child in self._running)

    def _end_servers(self) -> None:
        self._send(signal.SIGTERM)
        self._due = [(time.monotonic() + _SERVERS_END_SECONDS, signal.SIGKILL)]
        self._wait_while(lambda: bool(self._running))

    def _start_each(self, launches: Iterable[Launch]) -> None:
        for launch in launches:
            self._start(launch)

    def _start(self, launch: Launch) -> None:
        try:
            child = Child(launch, self._observer.output)
        except OSError as error:
            raise StartError(f"{launch.name}: cannot start {launch.words[0]} ({error.strerror})") from error
        self._directory.guard(child.group)
        if not child.serves:
            self._roster.started(child.name, child.group)
        self._running.append(child)
        self._watch(child.end_descriptor, lambda: self._ended(child))
        for pipe in child.pipes:
            self._watch(pipe.fileno(), partial(self._read, pipe))
        self._observer.started(child.name)

    def _watch(self, descriptor: int, then: Callable[[], None]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, then)

    def _read(self, pipe: OutputPipe) -> None:
        # It may have been closed by the end of its program, in this same round.
        if not pipe.closed and not pipe.read():
            self._selector.unregister(pipe.fileno())

    def _ended(self, child: Child) -> None:
        for descriptor in (child.end_descriptor, *(pipe.fileno() for pipe in child.pipes)):
            if descriptor in self._selector.get_map():
                self._selector.unregister(descriptor)
        self._running.remove(child)
        ending = child.end()
        if not child.has_leftovers():
            self._directory.forget(child.group)
        self._endings.append(ending)
        self._observer.ended(ending)
        programs = self._programs()
        if ending.failed and programs and not self._due:
            now = time.monotonic()
            self._due = [
                (now + self._grace, signal.SIGTERM),
                (now + self._grace + self._kill_after, signal.SIGKILL),
            ]
            why = f"{ending.program} failed; they have {self._grace:g} s to end by themselves"
            self._observer.stopping([other.name for other in programs], why)

    def _interrupt(self, inbox: SignalInbox) -> None:
        for number in inbox.read():
            names = [child.name for child in self._next_to_end()]
            if self._interrupted is None:
                self._interrupted = number
                self._due = [(time.monotonic() + self._kill_after, signal.SIGKILL)]
                self._observer.stopping(names, f"{number.name}; once more to kill at once")
                self._send(number)
            else:
                self._observer.stopping(names, f"second {number.name}: killed")
                self._send(signal.SIGKILL)

    def _send_due(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            _, number = self._due.pop(0)
            self._send(number)

    def _send(self, number: signal.Signals) -> None:
        for child in self._next_to_end():
            child.send(number)

    def _programs(self) -> list[Child]:
        return [child for child in self._running if not child.serves]

    def _next_to_end(self) -> list[Child]:
        """The programs; where there are none, the servers."""
        return self._programs() or self._running

    def _patience(self) -> float:
        if not self._due:
            return _TICK_SECONDS
        return min(_TICK_SECONDS, max(0.0, self._due[0][0] - time.monotonic()))
