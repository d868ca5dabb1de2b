"""What a terminal shows during `staithe run`: the programs' output, and a live line for each stream and server below.

Where stdout is no terminal, the programs' output is passed on as it comes, and a plain line on each stream and server
is printed every few seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ..workflow import Ending, Sample, ServerSample, Workflow
from .shown import shown
from .units import duration, frequency, percent, rate, size

_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "bright_cyan", "bright_magenta", "bright_green")
_FRAME_SECONDS = 0.25
_PLAIN_SECONDS = 5.0


class RunView:
    """Shows a run on stdout and stderr; the observer of `workflow.run`."""

    def __init__(self, workflow: Workflow, out: Console, plain_seconds: float = _PLAIN_SECONDS) -> None:
        self.out = out
        # One console draws the whole terminal, else the live lines and stderr would overwrite each other.
        self._err = self.out if sys.stderr.isatty() and self.out.is_terminal else _stderr()
        self._workflow = workflow
        names = [program.name for program in workflow.programs] + list(workflow.server_names)
        self._width = max(map(len, names))
        self._colours = {name: _COLOURS[at % len(_COLOURS)] for at, name in enumerate(names)}
        self._samples: Callable[[], Mapping[str, Sample]] = dict
        self._servers: Callable[[], Mapping[str, ServerSample]] = dict
        self._waiting: list[tuple[Console, str, str]] = []
        self._live = Live(
            console=self.out,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._plain_seconds = plain_seconds
        self._shown = time.monotonic()

    def __enter__(self) -> RunView:
        if self.out.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._print_waiting()
        self._live.stop()

    def follow(
        self, samples: Callable[[], Mapping[str, Sample]], servers: Callable[[], Mapping[str, ServerSample]]
    ) -> None:
        """Takes the sources of the samples."""
        self._samples, self._servers = samples, servers

    def started(self, program: str) -> None:
        """The first line of a program shows that it has started."""

    def output(self, program: str, pipe: str, line: str) -> None:
        """Keeps a line until the next tick: lines that come together are drawn together."""
        self._waiting.append((self.out if pipe == "stdout" else self._err, program, line))

    def ended(self, ending: Ending) -> None:
        """Says which program failed, and how; why, its own last lines say, which stand above."""
        self._print_waiting()
        if ending.failed:
            self._say(f"{ending.program} failed after {duration(ending.seconds)}: {ending.how}", "bold red")

    def stopping(self, programs: list[str], why: str) -> None:
        """Says who is being stopped."""
        self._print_waiting()
        self._say(f"stopping {', '.join(programs)}: {why}", "yellow")

    def tick(self) -> None:
        """Prints what has come, and the streams and servers from time to time."""
        self._print_waiting()
        since = time.monotonic() - self._shown
        if self.out.is_terminal and since >= _FRAME_SECONDS:
            self._live.update(self._frame(), refresh=True)
            self._shown = time.monotonic()
        elif not self.out.is_terminal and since >= self._plain_seconds:
            for line in self._plain_lines():
                self.out.file.write(f"staithe: {line}\n")
            self.out.file.flush()
            self._shown = time.monotonic()

    def _print_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for console, lines in groupby(waiting, key=itemgetter(0)):
            if console.is_terminal:
                # In one print: the live lines are drawn anew after each.
                drawn = [self._coloured(program, line) for _, program, line in lines]
                console.print(Text("\n").join(drawn), soft_wrap=True)
            else:
                console.file.writelines(f"{self._prefix(program)}{line}\n" for _, program, line in lines)
                console.file.flush()

    def _prefix(self, program: str) -> str:
        return f"{program:<{self._width}} | "

    def _coloured(self, program: str, line: str) -> Text:
        text = Text.from_ansi(line) if "\x1b" in line else Text(line)
        return Text.assemble((self._prefix(program), self._colours[program]), text)

    def _say(self, line: str, style: str) -> None:
        if self._err.is_terminal:
            self._err.print(Text(f"staithe: {shown(line)}", style), soft_wrap=True)
        else:
            self._err.file.write(f"staithe: {shown(line)}\n")
            self._err.file.flush()

    def _frame(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        for name, cells, is_seen in self._lines():
            grid.add_row(Text(name, "bold"), *(Text(cell, "" if is_seen else "dim") for cell in cells))
        return grid

    def _plain_lines(self) -> list[str]:
        return [f"{name}: {', '.join(cells)}" for name, cells, _ in self._lines()]

    def _lines(self) -> Iterator[tuple[str, tuple[str, ...], bool]]:
        """Of each stream and server its name, what there is to say, and whether it was seen."""
        samples, servers = self._samples(), self._servers()
        for stream in self._workflow.streams:
            seen = samples.get(stream.name)
            absent = f"in {shown(str(stream.file))}" if stream.is_recording else f"waiting for {stream.source}"
            yield stream.name, _cells(seen) if seen else (absent,), seen is not None
        for name in self._workflow.server_names:
            server = servers.get(name)
            yield name, _server_cells(server) if server else ("no answer",), server is not None


def _stderr() -> Console:
    return Console(stderr=True, highlight=False)


def _cells(sample: Sample) -> tuple[str, ...]:
    stats = sample.stats
    if not sample.live:
        return (f"{stats.steps} steps", "closed")
    rates = sample.rates
    return (
        f"{stats.steps} steps",
        frequency(rates.steps if rates else None).replace(" /s", " steps/s"),
        rate(rates.bytes if rates else None),
        f"queue {stats.queue_steps}/{stats.queue_limit}",
        f"stall {percent(rates.stall if rates else None)}",
    )


def _server_cells(server: ServerSample) -> tuple[str, ...]:
    limit = "" if server.limit is None else f" of {size(server.limit)}"
    return f"memory {size(server.memory)}{limit}", f"streams {server.streams}", f"spaces {server.spaces}"
