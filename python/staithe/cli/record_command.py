"""`staithe record` and `staithe replay`."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

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
        there: list[int] = []
        is_kept = True
        try:
            for step in steps:
                if step.index <= newest:
                    there.append(step.index)
                elif step.index % every == 0:
                    out.append(step)
                    progress.advance(step, keep)
        except KeyboardInterrupt:
            pass  # the usual way to end it
        except Exception:
            is_kept = resume or out.newest is not None
            if not is_kept:  # the command that is right will want the name
                out.close()
                _remove(output)
            raise
        finally:
            if is_kept:
                progress.end(f"in {shown(str(output))}{_left_out(there, newest)}")


def replay_recording(recording: Path, stream: str, rate: float | None, timeout: float | None) -> None:
    """Writes the steps of a recording as a stream: by as many ranks as it has local arrays of."""
    if rate is not None and not 0 < rate < math.inf:
        raise CommandError(f"--rate {rate:g}: give steps a second, more than 0")
    progress = _Progress(f"replaying {shown(str(recording))}")
    with staithe.reader(str(recording), placement="file") as steps:
        ranks = max((step.writers for step in steps), default=1)
    with (
        staithe.reader(str(recording), placement="file") as steps,
        _Ranks(stream, ranks, dict(steps.attrs), timeout) as out,
        progress.shown(),
    ):
        began = time.monotonic()
        for step in steps:
            if rate is not None:
                time.sleep(max(0.0, began + progress.steps / rate - time.monotonic()))
            out.write(step)
            progress.advance(step)
        progress.end(f"as '{shown(stream)}'")


class _Ranks:
    """All writers of a group, in this process: what one does with the others, each does in a thread."""

    def __init__(self, stream: str, ranks: int, attrs: dict[str, Any], timeout: float | None) -> None:
        self._threads = ThreadPoolExecutor(max(1, ranks - 1))

        def join(rank: int) -> staithe.Writer:
            return staithe.writer(stream, group=(rank, ranks), attrs=attrs, timeout=timeout)

        others = [self._threads.submit(join, rank) for rank in range(1, ranks)]
        self._writers = [staithe.writer(stream, attrs=attrs, timeout=timeout) if ranks == 1 else join(0)]
        self._writers += [other.result() for other in others]

    def __enter__(self) -> _Ranks:
        return self

    def __exit__(self, *error: Any) -> None:
        leaving = [self._threads.submit(writer.__exit__, *error) for writer in self._writers[1:]]
        try:
            self._writers[0].__exit__(*error)
        except KeyboardInterrupt:
            for writer in self._writers:
                writer.fail("it was interrupted")
            raise
        finally:
            for other in leaving:
                other.result()

    def write(self, step: staithe.Step) -> None:
        variables = list(step.items())
        blocks_of = {name: {block.rank: block for block in each.blocks} for name, each in variables if each.local}
        for rank, writer in enumerate(self._writers):
            with writer.step() as copy:
                copy.attrs.update(step.attrs if rank == 0 else {})
                for name, variable in variables:
                    said: dict[str, Any] = {"unit": variable.unit, "attrs": variable.attrs}
                    if name in blocks_of:
                        if rank in blocks_of[name]:
                            copy.put(name, blocks_of[name][rank].data, **said)
                    elif rank == 0:
                        copy.put(name, variable[...], **said)


def _left_out(there: Sequence[int], newest: int) -> str:
    """Of steps whose numbers say that a recording has them. A run that was begun anew is told from one that goes on."""
    if not there:
        return ""
    which = f"step {there[0]} was" if len(there) == 1 else f"steps {there[0]} to {there[-1]} were"
    return f"; {which} left out, since it had steps up to {newest} already"


def _remove(recording: Path) -> None:
    with suppress(OSError):
        shutil.rmtree(recording) if recording.is_dir() else recording.unlink()


def _bound_of(text: str) -> tuple[str, str]:
    """The name of a variable, "*" for all others, and its bound. Names may have a `=` in them, bounds have none."""
    name, is_named, bound = text.rpartition("=")
    return (name if is_named else "*", bound)


def _bytes_of(variable: staithe.Variable) -> int:
    """Local arrays have no shape together."""
    return variable.dtype.itemsize * sum(math.prod(block.box.count) for block in variable.blocks)


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
        self.bytes += sum(_bytes_of(step[name]) for name in names or step)
        self._status.update(f"{self.what}: {self._count()}, the last one is step {step.index}")

    def end(self, where: str) -> None:
        self._status.stop()
        print(f"{self._count()} {where}")

    def _count(self) -> str:
        return f"{self.steps} {'step' if self.steps == 1 else 'steps'}, {size(self.bytes)},"
