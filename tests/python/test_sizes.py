from __future__ import annotations

import pytest

import staithe
from staithe.sizes import parse_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (4096, 4096),
        ("4096", 4096),
        ("256 MiB", 256 << 20),
        ("256mib", 256 << 20),
        ("1.5 GB", 1_500_000_000),
        (" 2 kB ", 2000),
        ("0.5 KiB", 512),
        ("3 TiB", 3 << 40),
        ("7 b", 7),
    ],
)
def test_amounts(text: int | str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1 MiX", "1 2", "1e6", "ten"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="no amount of memory"):
        parse_bytes(text)
