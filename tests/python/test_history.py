"""Readers that begin with a recording of their stream, and go on with the stream where it ends."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logged import assert_logged

import staithe


class Run:
    """A stream, and a recording of it, step by step."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.out = staithe.writer("heat", readers=1, **options)
        self.recorded = staithe.reader("heat", program="record", history="")
        self.recorder = staithe.Recorder(path, attrs={"model": "recorded"})
        self.written = 0

    def write(self, steps: int) -> None:
        for _ in range(steps):
            with self.out.step() as step:
                step.put("T", np.full((3, 4), float(self.written)))
            self.written += 1

    def record(self, steps: int, every: int = 1) -> None:
        for _ in range(steps):
            step = next(self.recorded)
            if step.index % every == 0:
                self.recorder.append(step)

    def both(self, steps: int, every: int = 1) -> None:
        for _ in range(steps):
            self.write(1)
            self.record(1, every)
        with self.recorded.paused():
            pass  # and so gives back what it has

    def later_write(self, seconds: float) -> None:
        """A step, in some time."""
        threading.Timer(seconds, self.write, [1]).start()

    def close(self) -> None:
        for each in self.recorded, self.recorder, self.out:
            each.close()


@pytest.fixture(params=[".zarr", ".h5"])
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    run = Run(tmp_path / f"heat{request.param}", attrs={"model": "live"}, queue_steps=8)
    yield run
    run.close()


def numbers_of(steps: staithe.Reader, count: int | None = None) -> list[int]:
    """Of so many steps, each of which has what was put."""
    numbers = []
    while count is None or len(numbers) < count:
        step = next(steps, None)
        if step is None:
            break
        assert (step["T"][...] == step.index).all()
        numbers.append(step.index)
    return numbers


def test_the_stream_goes_on_where_the_recording_ends(run: Run) -> None:
    run.both(20)
    with staithe.reader("heat", history=run.path) as steps:
        assert steps.attrs["model"] == "recorded"
        assert numbers_of(steps, 20) == list(range(20))
        assert steps.stats()["steps"] == 20
        run.write(5)
        assert numbers_of(steps, 5) == list(range(20, 25))
        run.write(1)
        run.out.close()
        assert numbers_of(steps) == [25]
        assert steps.stats()["steps"] == 26


def test_what_both_have_comes_once(run: Run) -> None:
    with staithe.reader("heat", program="slow"):  # keeps all of the queue
        run.both(6)
        run.write(1)
        with staithe.reader("heat", history=run.path) as steps:
            assert numbers_of(steps, 7) == list(range(7))


def test_what_is_recorded_meanwhile_is_read_of_the_recording(run: Run) -> None:
    run.both(3)
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 2) == [0, 1]
        run.both(30)  # many more than the queue has
        run.write(2)
        assert numbers_of(steps, 33) == list(range(2, 35))


def test_what_went_by_is_waited_for(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """But not for ever: what nobody records is told, and left out."""
    run.both(3)
    run.write(4)
    for _ in range(4):
        next(run.recorded)
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 3) == [0, 1, 2]
        began = time.monotonic()
        run.write(1)
        assert numbers_of(steps, 1)[0] in (6, 7)
        assert 4 < time.monotonic() - began < 30
    assert_logged(caplog, "those from step 3 on are neither in")


def test_of_a_recording_of_some_steps_the_others_are_not_waited_for(run: Run) -> None:
    run.both(13, every=3)
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 2) == [0, 3]
        run.both(10, every=3)
        assert numbers_of(steps, 6) == [6, 9, 12, 15, 18, 21]
        run.both(2, every=3)
        began = time.monotonic()
        assert numbers_of(steps, 2) == [23, 24]
        assert time.monotonic() - began < 4


def test_a_stream_that_comes_later(run: Run) -> None:
    run.both(3)
    run.close()
    with staithe.reader("heat", history=run.path, timeout=0.3) as steps:
        assert numbers_of(steps, 3) == [0, 1, 2]
        with pytest.raises(staithe.Timeout, match=r"heat\.\w+' ends with step 2, and then: .*'heat'"):
            next(steps)
        with staithe.writer("heat") as out:
            for number in range(5):
                with out.step() as step:
                    step.put("T", np.full(2, float(number)))
            assert numbers_of(steps, 2) == [3, 4]


def test_a_stream_of_another_run_is_told(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    run.both(9)
    run.close()
    with staithe.writer("heat", queue_steps=16) as out:
        with out.step() as step:
            step.put("T", np.zeros(2))
        with staithe.reader("heat", history=run.path, timeout=6) as steps:
            assert numbers_of(steps, 9) == list(range(9))
            with pytest.raises((staithe.Timeout, staithe.Deadlock)):
                next(steps)
            assert_logged(caplog, "is at step 0, and")
            assert_logged(caplog, "has step 8 already: if it is of another run")
            for number in range(1, 10):
                with out.step() as step:
                    step.put("T", np.full(2, float(number)))
            assert numbers_of(steps, 1) == [9]


def test_a_stream_of_another_run_is_told_when_it_ends_before(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    run.both(9)
    run.close()
    out = staithe.writer("heat", queue_steps=16)
    for number in range(3):
        with out.step() as step:
            step.put("T", np.full(2, float(number)))
    with staithe.reader("heat", history=run.path, timeout=6) as steps:
        assert numbers_of(steps, 9) == list(range(9))
        ending = threading.Thread(target=out.close)
        ending.start()
        assert list(steps) == []
        ending.join()
    assert_logged(caplog, "has ended with step 2, and")
    assert_logged(caplog, "this reader has left out all before step 9")


def test_steps_that_take_a_while_are_waited_for(run: Run) -> None:
    """However soon the stream was joined: a recorder that holds the last step makes no difference."""
    run.both(3)
    run.write(1)
    run.record(1)  # and it holds that one
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 4) == [0, 1, 2, 3]
        writing = threading.Timer(1.5, run.write, [1])
        writing.start()
        assert numbers_of(steps, 1) == [4]
        writing.join()
        with pytest.raises(staithe.Timeout, match=r"0\.2 s"):
            steps.next(timeout=0.2)


def test_beginning_at_a_step(run: Run) -> None:
    run.both(6)
    with staithe.reader("heat", history=run.path, start=4) as steps:
        run.write(1)
        assert numbers_of(steps, 3) == [4, 5, 6]
    with staithe.reader("heat", history=str(run.path), start=8) as steps:
        run.write(3)
        assert numbers_of(steps, 2) == [8, 9]


def test_of_an_empty_recording_the_stream_is_all(run: Run) -> None:
    run.write(2)
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 2) == [0, 1]


def test_a_recording_whose_writer_fell_behind(run: Run) -> None:
    """What the stream no longer has comes out of the file once it is there."""
    run.both(2)
    run.write(4)
    copies = [next(run.recorded)["T"][...].copy() for _ in range(4)]
    with run.recorded.paused():
        pass
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 2) == [0, 1]
        run.write(1)

        def append_all() -> None:
            time.sleep(0.3)
            with staithe.writer("copies") as out, staithe.reader("copies") as copied:
                for number in range(6):
                    with out.step() as step:
                        step.put("T", copies[max(number - 2, 0)])
                    copy = next(copied)
                    if number >= 2:
                        run.recorder.append(copy)

        appending = threading.Thread(target=append_all)
        appending.start()
        began = time.monotonic()
        assert numbers_of(steps, 5) == [2, 3, 4, 5, 6]
        assert time.monotonic() - began < 4
        appending.join()


def test_who_begins_at_a_step_misses_none_after_it(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    run.both(3)
    run.write(4)
    for _ in range(4):
        next(run.recorded)
    with run.recorded.paused():
        pass
    with staithe.reader("heat", history=run.path, start=4) as steps:
        run.later_write(0.5)
        assert numbers_of(steps, 1) == [7]
    assert_logged(caplog, "those from step 4 on are neither in")


def test_variables_are_derived_before_and_after(run: Run) -> None:
    run.both(2)
    with staithe.reader("heat", history=run.path, derive="twice = 2 * T") as steps:
        run.write(1)
        assert [next(steps)["twice"].reduce("max") for _ in range(3)] == [0, 2, 4]


def test_the_latest_step_at_once(run: Run) -> None:
    run.both(5)
    with staithe.reader("heat", history=run.path) as steps:
        assert numbers_of(steps, 1) == [0]
        with (
            pytest.raises(staithe.InvalidArgument, match=r"cannot pause it before it has read '.*heat"),
            steps.paused(),
        ):
            pass
        newest = iter(steps.follow(latest=True))
        run.write(3)
        assert next(newest).index == 7
        with steps.paused():
            run.write(2)
        run.write(1)
        assert next(newest).index == 10


def test_without_waiting_in_a_thread(run: Run) -> None:
    run.both(3)
    run.write(2)

    async def read() -> list[int]:
        with staithe.reader("heat", history=run.path) as steps:
            numbers = []
            async for step in steps:
                numbers.append(step.index)
                if len(numbers) == 5:
                    run.out.close()
            return numbers

    assert asyncio.run(read()) == [0, 1, 2, 3, 4]


def test_all_ranks_of_a_group_get_the_same(run: Run) -> None:
    run.both(7)
    got: dict[int, list[int]] = {}
    have_read = threading.Barrier(3, timeout=30)

    def read(rank: int) -> None:
        with staithe.reader("heat", history=run.path, group=(rank, 2)) as steps:
            if rank == 1:
                time.sleep(0.3)
            first = numbers_of(steps, 7)
            have_read.wait()
            got[rank] = first + numbers_of(steps)

    threads = [threading.Thread(target=read, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    have_read.wait()
    run.write(4)
    run.record(4)
    run.out.close()
    for thread in threads:
        thread.join()
    assert got == {0: list(range(11)), 1: list(range(11))}


def test_the_environment_names_a_history(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.both(3)
    monkeypatch.setenv("STAITHE_STREAMS", json.dumps({"heat": {"history": str(run.path)}}))
    with staithe.reader("heat") as steps:
        assert numbers_of(steps, 3) == [0, 1, 2]
    with staithe.reader("heat", history="") as steps:
        run.write(1)
        assert numbers_of(steps, 1) == [3]
    monkeypatch.setenv("STAITHE_STREAMS", json.dumps({"heat": {"history": 3}}))
    with pytest.raises(staithe.InvalidArgument, match="the history of 'heat' must be a text"):
        staithe.reader("heat")


def test_what_cannot_be_is_said(run: Run, tmp_path: Path) -> None:
    run.both(1)
    with pytest.raises(staithe.NotFound, match=r"the history of stream 'heat': .*none\.zarr"):
        staithe.reader("heat", history=tmp_path / "none.zarr")
    with pytest.raises(staithe.InvalidArgument, match=r"the history of stream 'heat': .*x\.txt"):
        staithe.reader("heat", history=tmp_path / "x.txt")
    with pytest.raises(staithe.InvalidArgument, match="needs no history"):
        staithe.reader("heat", history=run.path, start="next")
    with pytest.raises(staithe.InvalidArgument, match="begins with its first step: leave `history` out"):
        staithe.reader(str(run.path), history=run.path)
    with pytest.raises(staithe.InvalidArgument, match="a/b"):
        staithe.reader("a/b", history=run.path)
    steps = staithe.reader("heat", history=run.path)
    steps.close()
    with pytest.raises(staithe.Closed):
        next(steps)
    steps.close()
