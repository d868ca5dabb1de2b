"""The queue is bounded in steps and bytes, and whoever waits in vain is told why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe

MEGABYTE = np.zeros(1 << 17)


def fill(out: staithe.Writer, array: Any = 0) -> int:
    """Writes until there is no room; returns how many steps that took."""
    written = 0
    while written < 100:
        try:
            step = out.step(timeout=0)
        except staithe.Timeout:
            return written
        with step:
            step.put("x", array)
        written += 1
    raise AssertionError("the queue has no bound")


@pytest.mark.parametrize("queue_steps", [1, 2, 3, 8])
def test_the_queue_holds_so_many_steps(stream: str, queue_steps: int) -> None:
    with staithe.writer(stream, queue_steps=queue_steps) as out, staithe.reader(stream) as reader:
        assert fill(out) == queue_steps
        assert staithe.describe(stream)["queue"]["steps"] == queue_steps
        next(reader).release()
        assert fill(out) == 1


def test_eight_steps_are_the_default(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream):
        assert fill(out) == 8
        queue = staithe.describe(stream)["queue"]
    assert queue == {"steps": 8, "limit_steps": 8, "bytes": 64, "limit_bytes": 256 << 20}


@pytest.mark.parametrize(("queue_bytes", "steps"), [("3 MiB", 3), (5 << 20, 5), ("1 KiB", 2), (1, 2)])
def test_the_queue_holds_so_many_bytes_but_always_two_steps(stream: str, queue_bytes: Any, steps: int) -> None:
    with staithe.writer(stream, queue_steps=20, queue_bytes=queue_bytes) as out, staithe.reader(stream) as reader:
        for _ in range(3):
            assert fill(out, MEGABYTE) == steps
            assert staithe.describe(stream)["queue"]["bytes"] == steps << 20
            assert out.stats()["pool_bytes"] <= (steps + 1 << 20) * 1.05, "memory is used again"
            for _ in range(steps):
                step = next(reader)
                assert step["x"][...].sum() == 0
            step.release()


def test_a_bound_in_bytes_does_not_need_two_steps_if_one_was_asked_for(stream: str) -> None:
    with staithe.writer(stream, queue_steps=1, queue_bytes=1) as out, staithe.reader(stream):
        assert fill(out, MEGABYTE) == 1


def test_steps_are_kept_for_expected_readers(stream: str) -> None:
    with staithe.writer(stream, queue_steps=3) as out:
        assert fill(out) == 3
        with staithe.reader(stream) as reader:
            assert [next(reader).index for _ in range(3)] == [0, 1, 2]


def test_with_no_reader_expected_nothing_is_kept(stream: str) -> None:
    with staithe.writer(stream, queue_steps=2, readers=0) as out:
        for i in range(10):
            with out.step(timeout=0) as step:
                step.put("x", i)
        with staithe.reader(stream) as reader:
            with out.step() as step:
                step.put("x", 10)
            assert next(reader).index == 10


def test_a_full_queue_says_who_holds_the_steps(stream: str) -> None:
    with staithe.writer(stream, queue_steps=1) as out:
        with staithe.reader(stream, program="slow analysis"):
            fill(out)
            with pytest.raises(staithe.Timeout, match=r"stayed full \(1 steps.* for 0.3 s.*slow analysis"):
                out.step(timeout=0.3)
        assert out.stats()["stall_seconds"] >= 0.3


def test_a_full_queue_without_readers_says_so(stream: str) -> None:
    out = staithe.writer(stream, queue_steps=1, timeout=0.3)
    fill(out)
    with pytest.raises(staithe.Timeout, match="reader"):
        out.step()
    with pytest.raises(staithe.Timeout, match="reader"):
        out.close()
    assert out.closed, "a close that fails has closed all the same"
    out.close()


def test_a_reader_that_waits_in_vain_says_for_whom(stream: str) -> None:
    with staithe.writer(stream), staithe.reader(stream) as reader:
        with pytest.raises(staithe.Timeout, match=r"no step came within 0.3 s after 0 steps"):
            reader.next(timeout=0.3)
        assert reader.stats()["wait_seconds"] >= 0.3


def test_views_that_hold_the_whole_queue_are_an_error_that_says_so(stream: str) -> None:
    with staithe.writer(stream, queue_steps=2) as out, staithe.reader(stream) as reader:
        fill(out, MEGABYTE)
        kept = [next(reader)["x"][...] for _ in range(2)]
        with pytest.raises(staithe.LimitReached, match=r"holds 2 steps by their views.*queue_steps=2"):
            next(reader)
        kept.pop()
        fill(out)
        assert next(reader)["x"][()] == 0


@pytest.mark.parametrize("timeout", [-1.0, float("nan")])
def test_timeouts_that_cannot_be(stream: str, timeout: float) -> None:
    with pytest.raises(staithe.InvalidArgument, match="timeout"):
        staithe.writer(stream, timeout=timeout)
    with pytest.raises(staithe.InvalidArgument, match="timeout"):
        staithe.reader(stream, timeout=timeout)
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        with pytest.raises(staithe.InvalidArgument, match="timeout"):
            out.step(timeout)
        with pytest.raises(staithe.InvalidArgument, match="timeout"):
            reader.next(timeout)
