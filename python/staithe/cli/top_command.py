"""`staithe top`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from ..diagnosis import Wait, waits_in
from ..workflow import stats
from ..workflow.rates import RateMeter, Rates
from .names import chosen, none_of
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, duration, frequency, known, percent, rate, size

# Shorter ones are how streams work.
_LONG_SECONDS = 1.0


@dataclass(frozen=True)
class Line:
    """One stream as it is now; its rates are None until it was seen twice."""

    stats: stats.StreamStats
    rates: Rates | None
    waits: tuple[Wait, ...]

    def as_json(self) -> dict[str, Any]:
        """What `staithe top --json` says of the stream."""
        return {
            "name": self.stats.name,
            "program": self.stats.program,
            "steps": self.stats.steps,
            "bytes": self.stats.bytes,
            "steps_per_second": self.rates and self.rates.steps,
            "bytes_per_second": self.rates and self.rates.bytes,
            "stall": self.rates and self.rates.stall,
            "queue_steps": self.stats.queue_steps,
            "queue_limit": self.stats.queue_limit,
            "dropped": self.stats.dropped,
            "spilled_bytes": self.stats.spilled_bytes,
            "readers": [
                {"program": reader.program, "lag": reader.lag, "dropped": reader.dropped, "paused": reader.paused}
                for reader in self.stats.readers
            ],
            "waits": [
                {"who": asdict(wait.who), "wants": wait.wants, "seconds": wait.seconds, "reason": wait.reason}
                for wait in self.waits
            ],
        }


class Watch:
    """The rates of all live streams, frame by frame."""

    def __init__(self, patterns: Sequence[str] = (), address: str | None = None) -> None:
        self._patterns = patterns
        self._address = address
        self._meters: dict[str, RateMeter] = {}

    def frame(self) -> list[Line]:
        """The streams as they are now; rates are over the time since the last frames."""
        descriptions = chosen(stats.describe_live(self._address), self._patterns)
        self._meters = {str(one["name"]): self._meters.get(one["name"], RateMeter()) for one in descriptions}
        return [self._line(description) for description in descriptions]

    def _line(self, description: stats.Description) -> Line:
        stream = stats.StreamStats.of(description)
        rates = self._meters[stream.name].update(stream, time.monotonic())
        waits = waits_in(description) if stream.state == "open" else ()
        return Line(stream, rates, tuple(wait for wait in waits if wait.seconds >= _LONG_SECONDS))


def watch(patterns: Sequence[str], once: bool, interval: float, as_json: bool, address: str | None = None) -> None:
    """Draws a frame every `interval` seconds until it is interrupted; just one if asked, or in a pipe."""
    console = Console(highlight=False)
    view = Watch(patterns, address)
    if once or as_json or not console.is_terminal:
        # Rates need two samples.
        view.frame()
        time.sleep(min(interval, 1.0))
        _print_once(view.frame(), patterns, as_json, console, address)
        return
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                live.update(drawn(view.frame(), address), refresh=True)
                time.sleep(interval)
    except KeyboardInterrupt:
        pass


def _print_once(
    lines: list[Line], patterns: Sequence[str], as_json: bool, console: Console, address: str | None
) -> None:
    if as_json:
        print(json.dumps([line.as_json() for line in lines], indent=2))
        return
    if not lines:
        if patterns:
            raise none_of(patterns, stats.describe_live(address), address)
        print(_no_streams(address))
        return
    print_table(_streams(lines), console)
    waits = _waits(lines)
    if waits.rows:
        console.print()
        print_table(waits, console)


def drawn(lines: list[Line], address: str | None = None) -> Group:
    """A frame, for a terminal."""
    if not lines:
        return Group(Text(_no_streams(address)))
    streams, waits = _streams(lines).drawn("live streams"), _waits(lines)
    return Group(streams, Text(), waits.drawn()) if waits.rows else Group(streams)


def _no_streams(address: str | None) -> str:
    return f"no live streams in {shown(stats.where(address))}"


def _streams(lines: Iterable[Line]) -> Table:
    table = Table(
        ("stream", "program", "steps", "steps/s", "data/s", "queue", "stall", "drops", "spilled", "readers (lag)"),
        numbers=("steps", "steps/s", "data/s", "queue", "stall", "drops", "spilled"),
    )
    for line in lines:
        table.add(*_cells(line.stats, line.rates))
    # Most streams lose and spill nothing, and lines are to fit 80 columns.
    return table.without_empty("drops", "spilled")


def _cells(stream: stats.StreamStats, rates: Rates | None) -> tuple[str, ...]:
    readers = ", ".join(f"{reader.program} ({_state(reader)})" for reader in stream.readers)
    return (
        stream.name,
        stream.program,
        str(stream.steps),
        frequency(rates.steps if rates else None).removesuffix(" /s"),
        rate(rates.bytes if rates else None),
        f"{stream.queue_steps}/{stream.queue_limit}",
        percent(rates.stall if rates else None),
        known(stream.dropped or None),
        size(stream.spilled_bytes) if stream.spilled_bytes else NOTHING,
        readers or NOTHING,
    )


def _state(reader: stats.ReaderStats) -> str:
    """How far a reader group is behind, and what else there is to know of it."""
    dropped = [f"{reader.dropped} dropped"] if reader.dropped else []
    return ", ".join([str(reader.lag), *dropped, *(["paused"] if reader.paused else [])])


def _waits(lines: Iterable[Line]) -> Table:
    table = Table(("waiting", "for", "since", "because"), numbers=("since",))
    waits = [wait for line in lines for wait in line.waits]
    for wait in sorted(waits, key=lambda wait: -wait.seconds):
        who = wait.who.program if wait.who.rank is None else f"{wait.who.program} rank {wait.who.rank}"
        table.add(who, f"{wait.wants} '{wait.stream}'", duration(wait.seconds), wait.reason)
    return table
