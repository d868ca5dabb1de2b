from __future__ import annotations

import pytest

from staithe.cli import units


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 KB"),
        (12_345_678, "12.3 MB"),
        (999_600_000, "1.00 GB"),
        (268_435_456, "268 MB"),
        (5e18, "5000 PB"),
    ],
)
def test_sizes(amount: float, text: str) -> None:
    assert units.size(amount) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.0, "0.00 s"), (12.34, "12.3 s"), (59.97, "60.0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert units.duration(seconds) == text


def test_rates() -> None:
    assert units.rate(1.24e9) == "1.24 GB/s"
    assert units.rate(45.6e6) == "45.6 MB/s"
    assert units.rate(None) == "-"
    assert units.frequency(123.4) == "123 /s"
    assert units.percent(0.123) == "12 %"
