"""The disk that steps are spilled to really fills: a small tmpfs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import staithe


def noise(number: int) -> NDArray[np.float64]:
    """What no codec makes smaller: steps are spilled encoded."""
    return np.random.default_rng(number).random(50_000)


def write_until_it_fails(out: staithe.Writer) -> tuple[int, str]:
    for number in range(100):
        try:
            step = out.step(timeout=0.3)
        except staithe.Timeout as error:
            return number, str(error)
        with step:
            step.put("x", noise(number))
    raise AssertionError("40 MB went to a disk of 2 MB")


def test_a_spill_directory_that_fills(stream: str, small_disk: Path) -> None:
    with (
        staithe.writer(
            stream, queue_steps=2, queue_bytes="1 MiB", overflow="spill", spill_dir=small_disk, spill_bytes="64 MiB"
        ) as out,
        staithe.reader(stream) as reader,
    ):
        written, message = write_until_it_fails(out)
        assert re.search("the queue stayed full .* on disk", message)
        assert 2 < written < 10, "memory and disk were used, and the limit of 64 MiB was out of reach"
        for number in range(written):
            np.testing.assert_array_equal(next(reader)["x"][...], noise(number))
        for number in range(written, written + 20):  # all goes on once there is room
            with out.step() as step:
                step.put("x", noise(number))
            np.testing.assert_array_equal(next(reader)["x"][...], noise(number))
    assert list(small_disk.iterdir()) == []
