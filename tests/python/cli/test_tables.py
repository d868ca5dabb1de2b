from __future__ import annotations

import io

from rich.console import Console

from staithe.cli.tables import Table, print_table


def example() -> Table:
    table = Table(("name", "count"), numbers=("count",))
    table.add("a[red]b", "1")
    table.add("a name that is longer than any terminal " * 3, "1000")
    return table


def test_a_pipe_gets_whole_lines() -> None:
    out = io.StringIO()
    print_table(example(), Console(file=out, width=40))
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("a[red]b ")
    assert lines[2].endswith("  1000")


def test_a_terminal_gets_a_drawn_table_without_markup_from_names() -> None:
    out = io.StringIO()
    print_table(example(), Console(file=out, width=40, force_terminal=True))
    assert "a[red]b" in out.getvalue()
    assert "─" in out.getvalue()
