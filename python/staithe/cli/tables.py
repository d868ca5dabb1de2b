"""Tables: drawn by Rich on a terminal; aligned plain text, cut nowhere, in a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from .shown import shown
from .units import NOTHING


@dataclass
class Table:
    """Columns, of which those in `numbers` are aligned to the right, and rows of text."""

    columns: Sequence[str]
    numbers: Sequence[str] = ()
    rows: list[Sequence[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Adds a row."""
        assert len(cells) == len(self.columns)
        self.rows.append([shown(cell) for cell in cells])

    def without_empty(self, *columns: str) -> Table:
        """The same table without those of these columns in which no row has anything."""
        kept = [
            at
            for at, column in enumerate(self.columns)
            if column not in columns or any(row[at] != NOTHING for row in self.rows)
        ]
        rows: list[Sequence[str]] = [[row[at] for at in kept] for row in self.rows]
        return Table([self.columns[at] for at in kept], self.numbers, rows)

    def drawn(self, title: str | None = None) -> RichTable:
        """For a terminal."""
        heading = None if title is None else Text(shown(title))
        table = RichTable(
            box=box.SIMPLE_HEAD,
            title=heading,
            title_justify="left",
            padding=(0, 1, 0, 0),
            pad_edge=False,
            show_edge=False,
        )
        for column in self.columns:
            number = column in self.numbers
            # Numbers stay whole: where the terminal is narrow, it is names that go on in a second line.
            table.add_column(column, justify="right" if number else "left", overflow="fold", no_wrap=number)
        for row in self.rows:
            # Nothing in them is markup.
            table.add_row(*map(Text, row))
        return table

    def plain(self) -> str:
        """For a pipe or a file."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.columns))]
        right = [column in self.numbers for column in self.columns]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        )


def print_table(table: Table, console: Console) -> None:
    """Prints a table as the console can show it."""
    if console.is_terminal:
        console.print(table.drawn())
    else:
        console.file.write(table.plain() + "\n")
