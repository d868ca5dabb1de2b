"""`staithe record` and `staithe replay`."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.status import Status

import staithe

from .. import _core
from .faults import CommandError
from .shown import shown
from .units import size


def record_stream(
    stream: str,
    output: Path,
    *,
    every: int,
    errors: list[str],
    codec: str | None,
    derive: list[str],
    keep: list[str],
    resume: bool,
    timeout: float | None,
) -> None:
    """Appends the steps of a stream to a recording, until the stream ends or the user ends it."""
    error = dict(_bound_of(text) for text in errors)
    _core.check_recording(str(output), error, codec)  # while the writer still waits for its reader
    progress = _Progress(f"recording '{shown(stream)}'")
    with (
        # What is rounded here was not rounded on its way: the errors would add up.
        staithe.reader(
            stream, timeout=timeout, program="record", error="exact" if error else None, derive=derive, history=""
        ) as steps,
        staithe.Recorder(
            output, attrs=dict(steps.attrs), error=error, codec=codec, variables=keep, resume=resume
        ) as out,
        progress.shown(),
    ):
        newest = -1 if out.newest is None else out.newest
        try:
            for step in steps:
                if step.index > newest and step.index % every == 0:
                    out.append(step)
                    progress.advance(step, keep)
        except KeyboardInterrupt:
            pass  # the usual way to end it
        finally:
            progress.end(f"in {shown(str(output))}")


def replay_recording(recording: Path, stream: str, rate: float | None, timeout: float | None) -> None:
    """Writes the steps of a recording as a stream."""
    if rate is not None and not 0 < rate < math.inf:
        raise CommandError(f"--rate {rate:g}: give steps a second, more than 0")
    progress = _Progress(f"replaying {shown(str(recording))}")
    with (
        staithe.reader(str(recording), placement="file") as steps,
        staithe.writer(stream, attrs=dict(steps.attrs), timeout=timeout) as out,
        progress.shown(),
    ):
        began = time.monotonic()
        for step in steps:
            if rate is not None:
                time.sleep(max(0.0, began + progress.steps / rate - time.monotonic()))
            with out.step() as copy:
                copy.attrs.update(step.attrs)
                for name, variable in step.items():
                    copy.put(name, variable[...], unit=variable.unit, attrs=variable.attrs)
            progress.advance(step)
        progress.end(f"as '{shown(stream)}'")


def _bound_of(text: str) -> tuple[str, str]:
    """The name of a variable, "*" for all others, and its bound. Names may have a `=` in them, bounds have none."""
    name, is_named, bound = text.rpartition("=")
    return (name if is_named else "*", bound)


class _Progress:
    """Of steps, one after the other: on a terminal as they come, and in a line at the end."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.steps = 0
        self.bytes = 0
        self._status = Status(what, console=Console(stderr=True))

    def shown(self) -> Status:
        return self._status

    def advance(self, step: staithe.Step, names: Sequence[str] = ()) -> None:
        """By these variables of the step; by all, if there is none."""
        self.steps += 1
        self.bytes += sum(step[name].nbytes for name in names or step)
        self._status.update(f"{self.what}: {self._count()}, the last one is step {step.index}")

    def end(self, where: str) -> None:
        self._status.stop()
        print(f"{self._count()} {where}")

    def _count(self) -> str:
        return f"{self.steps} {'step' if self.steps == 1 else 'steps'}, {size(self.bytes)},"
