"""The native codec beside SZ3 and zfp, a line for each field: for a page that says more about it."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from ..harness.markdown import insert, line
from ..harness.results import number
from .coders import LIMIT, SZ3
from .measure import Cell
from .report import Results

OURS = ("dq fast", "dq dense")
BARE = "zfp"


def write_summary(path: Path, results: Results) -> None:
    """Writes the bounds that are not exact between the page's lines that say `transforms`."""
    tables = [_table(share, cells) for share, cells in results.bounds() if share > 0]
    insert(path, "transforms", "\n".join(tables))


def _table(share: float, cells: Sequence[Cell]) -> str:
    speeds = [f"{coder} in, out" for coder in (*OURS, SZ3)]
    rows = [line([f"REL {share:g}", "memcpy", *speeds, f"ratios: {SZ3}", *OURS, BARE]), line(["---", *["--:"] * 8])]
    for field, group in groupby(cells, lambda cell: cell.field):
        by_name = {cell.coder: cell for cell in group}
        if all(name in by_name and not by_name[name].failure for name in (LIMIT, *OURS, SZ3, BARE)):
            rows.append(line([field, *_texts(by_name)]))
    return "\n".join(rows) + "\n"


def _texts(by_name: dict[str, Cell]) -> list[str]:
    sz3 = by_name[SZ3]
    return [
        f"{by_name[LIMIT].speeds[0]:.0f}",
        *(", ".join(f"{speed:.1f}" for speed in by_name[name].speeds) for name in OURS),
        ", ".join(f"{speed:.2f}" for speed in sz3.speeds),
        number(sz3.ratio),
        *(f"{number(by_name[name].ratio)} ({by_name[name].ratio / sz3.ratio:.2f})" for name in OURS),
        number(by_name[BARE].ratio) + ("†" if by_name[BARE].worst > 1 else ""),
    ]
