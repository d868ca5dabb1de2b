"""`staithe top`."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live

from ..workflow import stats
from ..workflow.rates import RateMeter, Rates
from .tables import Table, print_table
from .units import NOTHING, duration, frequency, known, percent, rate, size

# Shorter ones are how streams work.
_LONG_SECONDS = 1.0


class Watch:
    """The rates of all live streams, frame by frame."""

    def __init__(self) -> None:
        self._meters: dict[str, RateMeter] = {}

    def frame(self) -> Table:
        """The streams as they are now; rates are over the time since the last frames."""
        table = Table(
            ("stream", "program", "steps", "steps/s", "data/s", "queue", "stall", "drops", "spilled", "readers (lag)"),
            numbers=("steps", "steps/s", "data/s", "queue", "stall", "drops", "spilled"),
        )
        streams = [stats.StreamStats.of(description) for description in stats.describe_live()]
        self._meters = {stream.name: self._meters.get(stream.name, RateMeter()) for stream in streams}
        for stream in streams:
            rates = self._meters[stream.name].update(stream, time.monotonic())
            table.add(*_cells(stream, rates))
        return table


def watch(once: bool, interval: float) -> None:
    """Draws a frame every `interval` seconds until it is interrupted; just one if asked, or in a pipe."""
    console = Console()
    view = Watch()
    if once or not console.is_terminal:
        # Rates need two samples.
        view.frame()
        time.sleep(min(interval, 1.0))
        print_table(view.frame(), console)
        return
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                table = view.frame()
                title = "live streams" if table.rows else f"no live streams in {stats.run_directory()}"
                live.update(table.drawn(title), refresh=True)
                time.sleep(interval)
    except KeyboardInterrupt:
        pass


def _cells(stream: stats.StreamStats, rates: Rates | None) -> tuple[str, ...]:
    readers = ", ".join(f"{reader.program} ({_state(reader)})" for reader in stream.readers)
    return (
        stream.name,
        stream.program,
        str(stream.steps),
        frequency(rates.steps if rates else None),
        rate(rates.bytes if rates else None),
        f"{stream.queue_steps}/{stream.queue_limit}",
        percent(rates.stall if rates else None),
        known(stream.dropped),
        NOTHING if stream.spilled_bytes is None else size(stream.spilled_bytes),
        readers or NOTHING,
    )


def _state(reader: stats.ReaderStats) -> str:
    """How far a reader group is behind, and what else there is to know of it."""
    words = [str(reader.lag)]
    if reader.dropped:
        words.append(f"{reader.dropped} dropped")
    if reader.paused:
        words.append("paused")
    elif reader.waiting_seconds is not None and reader.waiting_seconds >= _LONG_SECONDS:
        words.append(f"waits {duration(reader.waiting_seconds)}")
    elif reader.holding_seconds is not None and reader.holding_seconds >= _LONG_SECONDS:
        words.append(f"holds {duration(reader.holding_seconds)}")
    return ", ".join(words)
