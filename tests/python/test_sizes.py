from __future__ import annotations

import re
from pathlib import Path

import pytest

import staithe
from staithe.sizes import parse_bytes

TABLE = Path(__file__).parents[1] / "support" / "byte_sizes.inc"
ROWS = [(text, int(size)) for text, size in re.findall(r'^\{"(.*)", (-?\d+)\},$', TABLE.read_text(), re.MULTILINE)]
AMOUNTS = [row for row in ROWS if row[1] >= 0]


@pytest.mark.parametrize(("text", "size"), [(4096, 4096), (1e6, 1_000_000), *AMOUNTS])
def test_amounts(text: float | str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", [text for text, size in ROWS if size < 0])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="no amount of memory"):
        parse_bytes(text)


def test_the_table_was_read() -> None:
    assert len(ROWS) == TABLE.read_text().count("{")
