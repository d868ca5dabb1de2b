"""Starts the processes of a trial, watches over them, and gathers what they report."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from ..contenders import contender_named
from .commands import commands_of, environment_of
from .control import Desk
from .leftovers import Leftovers
from .memory import MemoryWatch
from .native import NotBuilt
from .places import Place, hosts_skip_reason, place_of
from .trial import Outcome, Role, Trial

# A worker ends itself at the trial's timeout, with its stacks; the launcher kills what is left a little later.
GRACE = 5.0


class Failed(Exception):
    """The trial came to nothing; the text says why."""


class Launcher:
    """Runs trials, one at a time, on the given cores."""

    def __init__(self, cores: Sequence[int]) -> None:
        self._cores = tuple(cores)
        self._count = 0

    def run(self, trial: Trial) -> Outcome:
        contender = contender_named(trial.contender)
        reason = contender.missing() or (hosts_skip_reason() if trial.network else None)
        if reason:
            return Outcome(failure=reason)
        self._count += 1
        # Short, and in /tmp: the paths of Unix sockets hold 107 characters.
        directory = Path(tempfile.mkdtemp(prefix="staithe-bench-", dir="/tmp"))
        control = directory / "control"
        try:
            stream = f"bench-{os.getpid()}-{self._count}"
            with place_of(trial, directory) as place:
                if contender.runs_itself:
                    return Outcome(program=contender.run(trial, place.hosts, self._cores))
                commands = commands_of(trial, self._cores, stream, directory, control, place)
                with Run(trial, directory, control, commands, place) as run:
                    return run.program_outcome() if trial.program else run.workers_outcome()
        except (Failed, NotBuilt) as problem:
            return Outcome(failure=str(problem))
        except Exception as problem:  # whatever one does, the others have their turn
            return Outcome(failure=f"{type(problem).__name__}: {problem}"[:200])
        finally:
            shutil.rmtree(directory, ignore_errors=True)


class Run:
    """The processes of one trial; whatever happens, none of them outlives the `with` block."""

    def __init__(
        self, trial: Trial, directory: Path, control: Path, commands: list[tuple[str, list[str]]], place: Place
    ) -> None:
        self._trial = trial
        self._hosts = bool(place.hosts) and len(commands) == trial.writers + trial.readers
        self._leftovers = Leftovers()
        self._desk = Desk(str(control))
        self._pids: dict[tuple[Role, int], int] = {}  # of who has said hello, as this machine calls them
        self._watches: list[MemoryWatch] = []  # over all, and over the readers
        self._output = directory / "output"
        self._started = time.monotonic()
        with self._output.open("wb") as stream:
            self._processes = [
                place.start(
                    command,
                    host,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    env=environment_of(trial, directory),
                    start_new_session=True,  # a group of its own, so that all of it can be killed
                )
                for host, command in commands
            ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for watch in self._watches:
            watch.stop()
        self._desk.close()
        self._leftovers.remove()

    def program_outcome(self) -> Outcome:
        """Of a program that prints its result."""
        process = self._processes[0]
        with suppress(subprocess.TimeoutExpired):
            process.wait(self._trial.timeout)
        if process.returncode != 0:
            raise self._failed(f"ended with {process.returncode}")
        return Outcome(program=json.loads(self._output.read_text().splitlines()[-1]))

    def workers_outcome(self) -> Outcome:
        """Of writers and readers that report over their control lines."""
        reports = self._reports()
        peaks = [watch.stop() for watch in self._watches] or [0, 0]
        self._leftovers.note(self._pids.values())
        self._desk.tell_all("leave")
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):  # it has reported: __exit__ sees to the rest
                process.wait(GRACE)
        return Outcome(
            tuple(reports["writer"]), tuple(reports["reader"]), peak_bytes=peaks[0], readers_peak_bytes=peaks[1]
        )

    def _reports(self) -> dict[Role, list[dict[str, Any]]]:
        expected = self._trial.writers + self._trial.readers
        reports: dict[Role, dict[int, dict[str, Any]]] = {"writer": {}, "reader": {}}
        while sum(map(len, reports.values())) < expected:
            for message in self._desk.messages():
                if "failure" in message:
                    raise Failed(message["failure"].splitlines()[0])
                if "hello" in message:
                    role, rank = message["hello"], message["rank"]
                    # On a host of its own it goes by another number.
                    number = rank if role == "writer" else self._trial.writers + rank
                    self._pids[role, rank] = self._processes[number].pid if self._hosts else message["pid"]
                    if len(self._pids) == expected:
                        self._leftovers.note(self._pids.values())
                        self._watches = self._watch_memory()
                        self._desk.tell_all("go")
                else:
                    reports[message["role"]][message["rank"]] = message["result"]
            for process in self._processes:
                if process.poll():
                    raise self._failed(f"a process ended with {process.returncode}")
            if time.monotonic() - self._started > self._trial.timeout + GRACE:
                raise self._failed("")
            # While they start, soon; from `go` on the cores belong to the workers.
            time.sleep(0.001 if len(self._pids) < expected else 0.02)
        return {role: [of_role[rank] for rank in sorted(of_role)] for role, of_role in reports.items()}

    def _watch_memory(self) -> list[MemoryWatch]:
        if not self._trial.watch_memory:
            return []
        readers = [pid for (role, _), pid in self._pids.items() if role == "reader"]
        return [MemoryWatch(self._pids.values()), MemoryWatch(readers)]

    def _failed(self, how: str) -> Failed:
        if time.monotonic() - self._started >= self._trial.timeout:
            return Failed(f"not done after {self._trial.timeout:.0f} s")
        lines = [line for line in self._output.read_text(errors="replace").splitlines() if line.strip()]
        return Failed(f"{how} ({lines[-1].strip()[:200]})" if lines else how)
