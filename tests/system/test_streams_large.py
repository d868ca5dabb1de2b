"""Many and large: variables, steps, shapes and blocks beyond 32 bits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fork_server import Child

import staithe

Play = Callable[..., Child]

HUGE = 1 << 33  # elements: more than 32 bits can count


def test_shapes_beyond_32_bits(play: Play, stream: str) -> None:
    writer = play(
        """
        with staithe.writer(name) as out, out.step() as step:
            for first in (0, (1 << 32) - 2, huge - 3):
                step.put("x", np.arange(first, first + 3), offset=first, shape=huge)
            step.put("grid", np.full((2, 2, 2), 7, "u1"), offset=(huge - 2, 0, huge - 2), shape=(huge, 2, huge))
        """,
        name=stream,
        huge=HUGE,
    )
    with staithe.reader(stream) as reader:
        step = next(reader)
        x = step["x"]
        assert x.shape == (HUGE,)
        assert x[(1 << 32) - 2 : (1 << 32) + 1].tolist() == [(1 << 32) - 2, (1 << 32) - 1, 1 << 32]
        assert (x[-1], x[HUGE - 3], x[(1 << 32)]) == (HUGE - 1, HUGE - 3, 1 << 32)
        assert x[HUGE - 1 : HUGE - 4 : -2].tolist() == [HUGE - 1, HUGE - 3]
        with pytest.raises(staithe.NotFound):
            x[1 << 31]
        assert x.part("count").count == (HUGE,)
        grid = step["grid"]
        assert grid.shape == (HUGE, 2, HUGE)
        assert grid[-1, :, -2:].tolist() == [[7, 7], [7, 7]]
        with pytest.raises(ValueError, match="too big"):
            grid[...]  # 2^67 bytes
        with pytest.raises(staithe.NotFound):
            grid[0, 0, 0]
        assert reader.next() is None
    writer.wait_for("done")


def test_shapes_that_64_bits_cannot_count(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out, out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="shape has a number that 64 bits cannot hold"):
            step.put("x", [1], offset=0, shape=1 << 63)
        step.put("x", [[1]], offset=(0, 0), shape=((1 << 63) - 1, (1 << 63) - 1))
        with pytest.raises((staithe.InvalidArgument, staithe.LimitReached)):
            step.loan("y", count=(1 << 40, 1 << 40))


def memory_available() -> int:
    text = Path("/proc/meminfo").read_text()
    return int(text.split("MemAvailable:")[1].split()[0]) << 10


@pytest.mark.timeout(300)
@pytest.mark.seldom(7)
@pytest.mark.skipif(memory_available() < 9 << 30, reason="needs 9 GiB of free memory")
def test_a_block_beyond_4_gib(play: Play, stream: str) -> None:
    length = (4 << 30) + (100 << 20)
    writer = play(
        """
        with staithe.writer(name, timeout=120) as out:
            with out.step() as step, step.loan("x", count=length, dtype="u1") as lent:
                # Fresh memory of the stream is zero; what is not written costs nothing more.
                lent[:3] = 1, 2, 3
                lent[(1 << 32) - 1 : (1 << 32) + 2] = 4, 5, 6
                lent[-2:] = 7, 8
        tell("pool", out.stats()["pool_bytes"])
        """,
        name=stream,
        length=length,
    )
    with staithe.reader(stream, timeout=120) as reader:
        x = next(reader)["x"]
        assert x.shape == (length,)
        view = x[...]
        assert not view.flags.owndata
        assert view[:3].tolist() == [1, 2, 3]
        assert view[(1 << 32) - 1 : (1 << 32) + 2].tolist() == [4, 5, 6]
        assert x[-3:].tolist() == [0, 7, 8]
        assert x.read(np.s_[(1 << 32) - 2 : (1 << 32) + 3]).tolist() == [0, 4, 5, 6, 0]
        assert x[length - 1 :: -(1 << 32)].tolist() == [8, 0]
        del view, x
    assert writer.wait_for("pool", seconds=120).details[0] < 1.05 * length
    writer.wait_for("done")


def test_10_000_variables(play: Play, stream: str) -> None:
    writer = play(
        """
        with staithe.writer(name, queue_steps=2) as out:
            for number in range(5):
                with out.step() as step:
                    for i in range(10_000):
                        step.put(f"variable {i}", [number, i])
        """,
        name=stream,
    )
    with staithe.reader(stream) as reader:
        for step in reader:
            assert len(step) == 10_000
            for i in (0, 1, 4711, 9999):
                assert step[f"variable {i}"][...].tolist() == [step.index, i]
        assert reader.stats()["steps"] == 5
    writer.wait_for("done")


def held(pid: int) -> int:
    """Bytes of memory that a process holds for itself, and its share of what it shares."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) << 10
    raise AssertionError


@pytest.mark.timeout(400)
def test_a_million_steps_of_1_kb(play: Play, stream: str) -> None:
    count = 1_000_000
    writer = play(
        """
        data = np.zeros(128)
        with staithe.writer(name, queue_steps=64) as out:
            for number in range(count):
                with out.step() as step:
                    data[0] = number
                    step.put("x", data)
                if number % (count // 10) == count // 10 - 1:
                    tell("pool", out.stats()["pool_bytes"])
        """,
        name=stream,
        count=count,
    )
    memory = []
    with staithe.reader(stream, timeout=60) as reader:
        for number, step in enumerate(reader):
            assert step["x"][0] == number == step.index
            if number % (count // 10) == count // 10 - 1:
                memory.append((held(writer.pid), held(os.getpid())))
        assert reader.stats()["steps"] == count
    pools = [event.details[0] for event in writer.wait().all("pool")]
    assert writer.has("done")
    assert len(set(pools)) == 1, pools
    for side in zip(*memory, strict=True):
        # After the first tenth nothing grows any more: less than two bytes for a step.
        assert max(side[1:]) - side[0] < 2 * count, memory


def test_many_streams_open_and_close_without_leaving_anything(stream: str) -> None:
    def use(number: int) -> None:
        with staithe.writer(f"{stream}.{number}") as out, staithe.reader(f"{stream}.{number}") as reader:
            with out.step() as step:
                step.put("x", np.full(100_000, number))
            assert next(reader)["x"][-1] == number

    def count() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), len(list(Path("/proc/self/task").iterdir()))

    def settled() -> tuple[int, int]:
        """Threads of streams that were just closed are on their way out."""
        counts = [(-1, -1), count()]
        while counts[-1] != counts[-2]:
            time.sleep(0.3)
            counts.append(count())
        return counts[-1]

    for number in range(20):
        use(number)
    before, memory = settled(), held(os.getpid())
    for number in range(20, 300):
        use(number)
    assert settled() == before
    assert held(os.getpid()) - memory < 8 << 20
