"""Tables on the terminal, and how far a case is."""

import math
import sys
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as Grid

from .results import LIMIT, OURS, Row, Table, Verdict, number
from .trial import Outcome, Trial

COLOURS = {"met": "green", "missed": "red", "not measured": "dim"}


class Trials:
    """A bar on stderr while a case runs, and above it a line for each trial; where there is no terminal, the lines."""

    def __init__(self, title: str) -> None:
        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        width = None if sys.stderr.isatty() else 180
        console = Console(stderr=True, width=width, highlight=False, log_path=False)
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task(title, total=1.0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def done(self, trial: Trial, outcome: Outcome, share: float) -> None:
        result = f"[yellow]{escape(outcome.failure)}[/yellow]" if outcome.failure else "ok"
        self._bar.console.log(f"{trial.case}: {escape(trial.point)}: {trial.contender}: {result}")
        self._bar.update(self._task, completed=share)


def show(console: Console, table: Table) -> None:
    grid = Grid(title=f"[bold]{escape(table.title)}[/bold]\n[dim]{escape(table.note)}[/dim]", title_justify="left")
    grid.add_column("row")
    for name in table.contenders:
        grid.add_column(name, justify="right", style="bold" if name == OURS else "")
    grid.add_column("unit")
    grid.add_column("ours ÷ limit", justify="right")
    grid.add_column("ours ÷ best peer", justify="right")
    grid.add_column("target")
    for row in table.rows:
        cells = [number(row.cells[name].median) if name in row.cells else "" for name in table.contenders]
        best = row.best_peer
        against_best = f"{number(row.ratio(best))} ({best})" if best else ""
        against_limit = number(row.ratio(LIMIT)) if LIMIT in row.cells else ""
        grid.add_row(row.label, *cells, row.unit, against_limit, against_best, _verdicts(row))
    console.print(grid)
    for name, reason in table.failures.items():
        console.print(f"  [yellow]{name}[/yellow]: {escape(reason)}", highlight=False)
    console.print()


def show_summary(console: Console, tables: list[Table]) -> None:
    verdicts = [verdict for table in tables for row in table.rows for verdict in row.verdicts()]
    words = [verdict.word for verdict in verdicts]
    counts = ", ".join(f"[{colour}]{words.count(word)} {word}[/{colour}]" for word, colour in COLOURS.items())
    console.print(f"Targets: {counts}")


def _verdicts(row: Row) -> str:
    return "\n".join(_verdict(verdict, row.unit) for verdict in row.verdicts())


def _verdict(verdict: Verdict, unit: str) -> str:
    reached = "" if math.isnan(verdict.value) else f" ({number(verdict.value)})"
    return f"[{COLOURS[verdict.word]}]{verdict.target.text(unit)}: {verdict.word}{reached}[/]"
