from __future__ import annotations

import dataclasses

import pytest

from staithe.workflow.rates import RateMeter
from staithe.workflow.stats import StreamStats

STATS = StreamStats(
    name="melt",
    program="sim",
    pid=1,
    ranks=2,
    placement="producer",
    state="open",
    started=100.0,
    steps=0,
    bytes=0,
    queue_steps=1,
    queue_limit=8,
    queue_bytes=0,
    stall_seconds=0.0,
    readers=(),
)


def test_rates_are_over_the_last_seconds() -> None:
    meter = RateMeter()
    assert meter.update(STATS, 0.0) is None
    for second in range(1, 11):
        # Ten steps a second in the first five seconds, two in the last.
        steps = min(second, 5) * 10 + max(second - 5, 0) * 2
        now = dataclasses.replace(STATS, steps=steps, bytes=steps * 1000, stall_seconds=second * 0.25)
        rates = meter.update(now, float(second))
    assert rates is not None
    assert rates.steps == pytest.approx(2.0)
    assert rates.bytes == pytest.approx(2000.0)
    assert rates.stall == pytest.approx(0.25)


def test_a_new_writer_of_the_same_name_starts_anew() -> None:
    meter = RateMeter()
    meter.update(dataclasses.replace(STATS, steps=1000), 0.0)
    assert meter.update(dataclasses.replace(STATS, started=200.0, steps=1), 1.0) is None
