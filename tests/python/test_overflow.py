"""Readers that do not keep up: what is dropped, what is kept, what is spilled, and who is told."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import check_error

import staithe
from thoroughness import examples

_names = (f"overflow-{number}" for number in itertools.count())


def write(out: staithe.Writer, steps: int = 1) -> None:
    """Writes steps; none of them may wait."""
    for _ in range(steps):
        with out.step(timeout=0) as step:
            step.put("x", np.full(4, step.index))


def read_step(step: staithe.Step) -> int:
    """The number of a step whose content is right."""
    assert step["x"][...].tolist() == [step.index] * 4
    return step.index


def read(reader: staithe.Reader) -> int:
    """Reads a step; its number."""
    return read_step(next(reader))


@pytest.mark.parametrize(
    ("overflow", "kept"),
    [("drop-oldest", [7, 8, 9]), ("drop-newest", [0, 1, 2]), ("latest", [9]), ("keep-every-4", [0, 4, 8])],
)
def test_a_policy_says_which_steps_are_lost(stream: str, overflow: str, kept: list[int]) -> None:
    with staithe.writer(stream, queue_steps=4, overflow=overflow) as out, staithe.reader(stream) as reader:
        write(out, 10)
        assert out.stats()["dropped"] == 10 - len(kept)
        out.close()
        assert [step.index for step in reader] == kept
        assert reader.stats()["dropped"] == 10 - len(kept)


@pytest.mark.parametrize("own", [None, "latest"])
def test_steps_that_were_passed_by_before_a_reader_came_are_counted(stream: str, own: str | None) -> None:
    policy = "latest" if own is None else "block"
    with staithe.writer(stream, queue_steps=8, overflow=policy) as out:
        write(out, 6)
        with staithe.reader(stream, overflow=own) as reader:
            assert read(reader) == 5
            assert reader.stats()["dropped"] == 5
        assert out.stats()["dropped"] == 5


def test_drops_are_shown(stream: str) -> None:
    with (
        staithe.writer(stream, queue_steps=4, readers=2) as out,
        staithe.reader(stream, program="plot", overflow="latest") as plot,
        staithe.reader(stream, program="all"),
    ):
        write(out, 3)
        assert read(plot) == 2
        assert plot.stats()["dropped"] == 2
        described = staithe.describe(stream)
    assert described["dropped"] == 2
    assert described["overflow"] == "block"
    readers = {entry["program"]: (entry["overflow"], entry["dropped"]) for entry in described["readers"]}
    assert readers == {"plot": ("latest", 2), "all": ("block", 0)}


def test_a_view_is_never_pulled_away(stream: str) -> None:
    with staithe.writer(stream, queue_steps=3, overflow="drop-oldest") as out, staithe.reader(stream) as reader:
        write(out)
        view = next(reader)["x"][...]
        write(out, 50)
        assert view.tolist() == [0] * 4
        assert read(reader) == 50


@pytest.mark.parametrize("overflow", ["", "drop", "keep-every-0", "keep-every-x", "LATEST"])
def test_an_unknown_policy_is_refused_with_those_that_there_are(stream: str, overflow: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="drop-oldest, drop-newest, keep-every-K"):
        staithe.writer(stream, overflow=overflow)


def test_a_reader_cannot_spill_or_compress(stream: str) -> None:
    with (
        staithe.writer(stream, readers=0),
        pytest.raises(staithe.InvalidArgument, match="only a writer compresses or spills"),
    ):
        staithe.reader(stream, overflow="spill")


def test_a_queue_of_one_step_cannot_drop_any(stream: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="needs a queue of 2 steps"):
        staithe.writer(stream, queue_steps=1, overflow="latest")
    with staithe.writer(stream, queue_steps=1, readers=0), pytest.raises(staithe.InvalidArgument):
        staithe.reader(stream, overflow="latest")


@given(
    policy=st.sampled_from(["drop-oldest", "drop-newest", "latest", "keep-every-3"]),
    queue_steps=st.integers(2, 6),
    actions=st.lists(st.sampled_from(["write", "write", "write", "read", "hold", "let go"]), max_size=60),
)
def test_every_step_is_read_or_counted(policy: str, queue_steps: int, actions: list[str]) -> None:
    """Whatever the order of events: steps come in order and whole, and each is read, dropped or waiting."""
    name = next(_names)
    held = []
    seen = []
    with (
        staithe.writer(name, queue_steps=queue_steps, overflow=policy) as out,
        staithe.reader(name) as reader,
    ):
        written = 0
        for action in actions:
            if action == "write":
                # Only steps that must be kept may fill the queue.
                with contextlib.suppress(*([staithe.Timeout] if policy == "keep-every-3" else [])):
                    write(out)
                    written += 1
            elif action == "let go":
                held.clear()
            else:
                with contextlib.suppress(staithe.Timeout, staithe.LimitReached):
                    step = reader.next(timeout=0.02)
                    assert step is not None
                    seen.append(read_step(step))
                    if action == "hold":
                        held.append(step["x"][...])
        dropped = out.stats()["dropped"]
        held.clear()
        out.close()
        seen += [read_step(step) for step in reader]
    assert seen == sorted(set(seen))
    assert len(seen) + dropped == written
    if policy == "keep-every-3":
        assert set(range(0, written, 3)) <= set(seen)


# Late, away, following -----------------------------------------------------------------------------------------


def test_a_reader_starts_where_it_wants(stream: str) -> None:
    with staithe.writer(stream, readers=3) as out:
        write(out, 3)
        with (
            staithe.reader(stream, start="next", program="a") as after,
            staithe.reader(stream, start=1, program="b") as second,
            staithe.reader(stream, start="oldest", program="c") as oldest,
        ):
            write(out, 2)
            out.close()
            assert [step.index for step in after] == [3, 4]
            assert [step.index for step in second] == [1, 2, 3, 4]
            assert [step.index for step in oldest] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("start", [-1, -2, -9, "first", 1.5, None])
def test_a_start_that_cannot_be(stream: str, start: object) -> None:
    with staithe.writer(stream, readers=0), pytest.raises(staithe.InvalidArgument):
        staithe.reader(stream, start=start)  # type: ignore[arg-type]


def test_a_step_that_is_gone_is_no_place_to_start(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out:
        write(out, 5)
        with pytest.raises(staithe.InvalidArgument, match="step 2 is gone, the oldest that is left is 5"):
            staithe.reader(stream, start=2)


def test_a_paused_reader_holds_nothing_up(stream: str) -> None:
    with staithe.writer(stream, queue_steps=2) as out, staithe.reader(stream) as reader:
        write(out, 2)
        assert read(reader) == 0
        with reader.paused():
            write(out, 20)
        write(out, 1)
        assert read(reader) == 22
        assert reader.stats()["dropped"] == 0


def test_following_the_latest(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        write(out, 4)
        assert read(reader) == 0
        steps = reader.follow(latest=True)
        assert next(steps).index == 3
        write(out, 30)
        assert next(steps).index == 33
        out.close()
        assert list(steps) == []


def test_following_without_latest_is_iterating(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        write(out, 3)
        out.close()
        assert [step.index for step in reader.follow()] == [0, 1, 2]


# Spilling ------------------------------------------------------------------------------------------------------


def test_a_spilled_step_is_like_any_other(stream: str, tmp_path: Path) -> None:
    fields = [np.random.default_rng(number).normal(size=(50, 40)) for number in range(20)]
    with staithe.writer(stream, queue_steps=2, overflow="spill", spill_dir=tmp_path) as out:
        for field in fields:
            with out.step(timeout=0) as step:
                step.put("field", field, offset=(0, 0), shape=(50, 40), unit="K")
                step.attrs["sum"] = field.sum()
        stats = out.stats()
        assert (stats["spilled_steps"], stats["spilled_bytes"]) == (18, 18 * 50 * 40 * 8)
        assert stats["pool_bytes"] < 6 * 50 * 40 * 8 + (1 << 18)
        assert list(tmp_path.iterdir()) == []
        with staithe.reader(stream) as reader:
            out.close()
            views = [step["field"][...] for step in reader]
    for view, field in zip(views, fields, strict=True):
        np.testing.assert_array_equal(view, field)
        assert not view.flags.writeable


def test_a_full_spill_waits(stream: str, tmp_path: Path) -> None:
    with (
        staithe.writer(stream, queue_steps=2, overflow="spill", spill_dir=tmp_path, spill_bytes="1 KiB") as out,
        staithe.reader(stream) as reader,
    ):
        write(out, 2 + 1024 // 32)
        with pytest.raises(staithe.Timeout, match=r"on disk\) for 0 s"):
            write(out)
        assert read(reader) == 0
        assert read(reader) == 1
        write(out)


def test_what_is_spilled_needs_a_place(stream: str, tmp_path: Path) -> None:
    with pytest.raises(staithe.Error, match=r"spills to .*/missing, which does not work"):
        staithe.writer(stream, overflow="spill", spill_dir=tmp_path / "missing")
    with pytest.raises(staithe.InvalidArgument, match="goes with the overflow policy 'spill'"):
        staithe.writer(stream, spill_dir=tmp_path)


@settings(max_examples=examples(40), deadline=None)
@given(
    kind=st.sampled_from(["f4", "f8", "c8", "f2", "i4", "bool"]),
    bound=st.sampled_from([None, (0.05, "abs"), (1e-3, "rel"), (1e-2, "pw_rel")]),
    shape=st.sampled_from([(5000,), (90, 70), (40, 30, 11), (0, 4), ()]),
    order=st.sampled_from("CF"),
    policy=st.sampled_from(["compress", "spill"]),
    cut=st.booleans(),
)
def test_compressed_steps_keep_their_errors(
    kind: str, bound: tuple[float, str] | None, shape: tuple[int, ...], order: Any, policy: Any, cut: bool
) -> None:
    """Of any dtype and order, of values that are nothing like each other, in blocks or whole; and are read in parts."""
    random = np.random.default_rng(len(shape))
    steps = []
    for _ in range(6):
        values = random.normal(size=shape).cumsum(axis=-1) if shape else random.normal(size=shape)
        field = np.asarray(values, order=order).astype(kind)
        if field.dtype.kind in "fc" and field.size > 10:
            field.flat[[1, 7]] = np.nan, np.inf
        steps.append(field)
    error = None if bound is None else f"{bound[0]} {bound[1]}"
    name = next(_names)
    with (
        staithe.writer(name, queue_steps=2, overflow=policy, error=error) as out,
        staithe.reader(name) as reader,
    ):
        for field in steps:
            with out.step(timeout=0) as step:
                if cut and shape and shape[0] > 1:
                    half = shape[0] // 2
                    rest = (0,) * (len(shape) - 1)
                    step.put("x", field[:half], offset=(0, *rest), shape=shape)
                    step.put("x", field[half:], offset=(half, *rest), shape=shape)
                else:
                    step.put("x", field)
        assert out.stats()["compressed_steps"] <= (4 if policy == "compress" else 0)
        for number, field in enumerate(steps):
            variable = next(reader)["x"]
            read = variable[...]
            is_off = bound is not None and policy == "compress" and number >= 2
            check_error(field, read, *(bound if is_off and bound else (0.0, "abs")))
            part = (slice(1, None, 3),) * field.ndim
            np.testing.assert_array_equal(variable[part], read[part])


def test_a_recorder_of_a_stream_that_compresses_says_what_it_cannot_do(stream: str, tmp_path: Path) -> None:
    field = np.sin(np.arange(10_000) / 100)
    with (
        staithe.writer(stream, queue_steps=2, overflow="compress", error="1e-2 rel") as out,
        staithe.reader(stream, error="exact") as steps,
        staithe.Recorder(tmp_path / "x.zarr") as recorder,
    ):
        for _ in range(4):
            with out.step(timeout=0) as step:
                step.put("x", field)
        recorder.append(next(steps))
        recorder.append(next(steps))
        with pytest.raises(staithe.InvalidArgument, match=r"'x': it was encoded within its error of 0\.01 rel"):
            recorder.append(next(steps))
        assert recorder.newest == 1
    with staithe.reader(str(tmp_path / "x.zarr")) as recorded:
        assert [(step["x"][...] == field).all() for step in recorded] == [True, True]


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_errors_of_a_file_do_not_add_up_when_its_queue_compresses(ending: str, tmp_path: Path) -> None:
    fields = [np.sin(np.arange(100_000) / 50 + number) for number in range(12)]
    path = str(tmp_path / f"x{ending}")
    with staithe.writer(path, queue_steps=1, overflow="compress", error="1e-2 abs") as out:
        for field in fields:
            with out.step() as step:
                step.put("x", field)
    with staithe.reader(path) as steps:
        assert max(abs(step["x"][...] - fields[step.index]).max() for step in steps) <= 1e-2


def test_analyses_inline_have_what_was_put_when_the_queue_compresses(stream: str) -> None:
    class Sums(staithe.Analysis):
        def __init__(self) -> None:
            self.sums: list[float] = []

        def step(self, step: staithe.Step) -> None:
            self.sums.append(float(step["x"][...].sum()))

    sums = Sums()
    fields = [np.sin(np.arange(10_000) / 50 + number) for number in range(8)]
    with (
        staithe.writer(stream, queue_steps=2, overflow="compress", error="1e-1 abs", analyses=[sums], readers=2) as out,
        staithe.reader(stream) as slow,
    ):
        for field in fields:
            with out.step(timeout=0) as step:
                step.put("x", field)
        assert out.stats()["compressed_steps"] > 0
        assert sums.sums == [field.sum() for field in fields]
        assert all((next(slow)["x"][...] == field).all() for field in fields)


@pytest.mark.parametrize("size", [1, 3, 6, 20])
def test_steps_that_are_large_for_their_queue_are_compressed_too(stream: str, size: int) -> None:
    """Of a queue of 8 MiB, which always admits two steps as they are."""
    field = np.sin(np.linspace(0, 9, size << 17))
    with (
        staithe.writer(stream, queue_bytes="8 MiB", overflow="compress", error="1e-3 rel") as out,
        staithe.reader(stream) as reader,
    ):
        for _ in range(20):
            with out.step(timeout=0) as step:
                step.put("x", field)
        assert out.stats()["compressed_steps"] >= 12
        assert out.stats()["compressed_bytes"] < 4 << 20
        assert all(abs(next(reader)["x"][...] - field).max() <= 2e-3 for _ in range(20))


def test_a_step_that_does_not_shrink_ends_nothing(stream: str) -> None:
    smooth, noise = np.sin(np.linspace(0, 9, 1 << 17)), np.random.default_rng(1).random(9 << 17)

    def write_until_full(out: staithe.Writer) -> int:
        written = 0
        with contextlib.suppress(staithe.Timeout):
            for _ in range(30):
                with out.step(timeout=0) as step:
                    step.put("x", smooth)
                written += 1
        return written

    with (
        staithe.writer(stream, queue_bytes="8 MiB", overflow="compress") as out,
        staithe.reader(stream) as reader,
    ):
        many = write_until_full(out)
        for _ in range(many):
            next(reader)
        for values in (smooth, smooth, noise):
            with out.step(timeout=5) as step:
                step.put("x", values)
        for _ in range(3):
            next(reader)
        with reader.paused():  # gives the last one back
            pass
        assert write_until_full(out) >= many - 1


def test_what_is_spilled_is_smaller_there_where_little_room_is_left(stream: str, tmp_path: Path) -> None:
    field = np.sin(np.linspace(0, 9, 1 << 17))
    options = {"overflow": "spill", "spill_dir": tmp_path, "spill_bytes": 4 * field.nbytes}
    with (
        staithe.writer(stream, queue_steps=2, error="1e-1 abs", **options) as out,
        staithe.reader(stream) as reader,
    ):
        for _ in range(6):
            with out.step(timeout=0) as step:
                step.put("x", field)
        # Half of it was free for two of the four as they are, at most.
        assert 0 < out.stats()["spilled_bytes"] < 3.9 * field.nbytes
        assert all((next(reader)["x"][...] == field).all() for _ in range(6))
