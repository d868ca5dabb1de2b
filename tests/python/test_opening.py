"""Opening and closing streams: arguments, environment, names, what `with` does."""

from __future__ import annotations

import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import staithe


def limits(name: str) -> tuple[int, int]:
    queue = staithe.describe(name)["queue"]
    return queue["limit_steps"], queue["limit_bytes"]


def test_defaults(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out:
        assert (out.name, out.rank, out.size, out.placement, out.closed) == (stream, 0, 1, "producer", False)
        assert limits(stream) == (8, 256 << 20)
        stats = dict(out.stats())
        assert stats.pop("pool_bytes") == 128 << 10, "room for small blocks"
        assert set(stats.values()) == {0}
    assert out.closed
    assert out.stats()["steps"] == 0


def test_arguments(stream: str) -> None:
    with staithe.writer(stream, queue_steps=3, queue_bytes="1 MiB", readers=0, reserve="64 KiB", timeout=1):
        assert limits(stream) == (3, 1 << 20)


def test_a_workflow_fills_in_what_the_program_left_open(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"queue_steps": 2, "queue_bytes": "1 GiB", "readers": 0, "placement": "inline"}
    monkeypatch.setenv("STAITHE_STREAMS", json.dumps({stream: settings}))
    with staithe.writer(stream) as out:
        assert limits(stream) == (2, 1 << 30)
        assert out.placement == "inline"
    with staithe.writer(stream, queue_steps=5, placement="producer") as out:
        assert limits(stream) == (5, 1 << 30)
        assert out.placement == "producer"


def test_a_reader_says_where_the_steps_are(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with staithe.writer(stream, readers=0) as out:
        with staithe.reader(stream, placement="producer") as reader:
            with out.step() as step:
                step.put("x", 1.0)
            assert next(iter(reader))["x"].read() == 1.0
        moon: Any = "moon"
        with pytest.raises(
            staithe.InvalidArgument, match=r"'moon' is not available.*'producer', 'inline', 'servers', 'npy' or 'file'"
        ):
            staithe.reader(stream, placement=moon)
        monkeypatch.setenv("STAITHE_PLACEMENT", "node")
        with pytest.raises(staithe.InvalidArgument, match="'node' is not available"):
            staithe.reader(stream)
        monkeypatch.setenv("STAITHE_STREAMS", json.dumps({stream: {"placement": "inline"}}))
        with staithe.reader(stream):
            pass


def test_paths_are_taken_as_the_recorder_takes_them(tmp_path: Path) -> None:
    class Sum(staithe.Analysis):
        sum = 0.0

        def step(self, step: staithe.Step) -> None:
            self.sum += float(step["x"][...])

    path, total = tmp_path / "x.zarr", Sum()
    with staithe.writer(path) as out, out.step() as step:
        step.put("x", 3.0)
    assert (out.placement, [float(step["x"][...]) for step in staithe.reader(path)]) == ("file", [3.0])
    staithe.analyse(total, path)
    assert total.sum == 3.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queue_steps": 0}, "queue_steps"),
        ({"queue_bytes": 0}, "queue_bytes"),
        ({"queue_bytes": "much"}, "amount of memory"),
        ({"readers": -1}, "readers"),
        ({"reserve": -1}, "reserve"),
        ({"placement": "moon"}, "'moon' is not available"),
        ({"error": "a=b = 1e-3 rel"}, "for one variable write error={'a=b': '1e-3 rel'}"),
        ({"attrs": {"a": {1, 2}}}, "attribute 'a'"),
    ],
)
def test_options_that_cannot_be(stream: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message):
        staithe.writer(stream, **options)
    assert stream not in [s["name"] for s in staithe.streams()]


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 300])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(staithe.InvalidArgument):
        staithe.writer(name)
    with pytest.raises(staithe.InvalidArgument):
        staithe.reader(name)


def test_a_stream_has_one_writer_at_a_time(stream: str) -> None:
    with staithe.writer(stream, readers=0):
        with pytest.raises(staithe.AlreadyExists, match=rf"already writes .*'{stream}': close that writer first"):
            staithe.writer(stream)
        assert staithe.describe(stream)["state"] == "open", "the second one has not disturbed the first"
    staithe.writer(stream, readers=0).close()


def test_a_reader_waits_for_the_writer_and_says_so(stream: str) -> None:
    with pytest.raises(staithe.Timeout, match=rf"no program has opened stream '{stream}'.* 0.2 s"):
        staithe.reader(stream, timeout=0.2)


def test_a_rank_waits_for_rank_0_and_says_so(stream: str) -> None:
    with pytest.raises(staithe.Timeout, match=stream):
        staithe.writer(stream, group=(1, 2), timeout=0.2)


def test_a_reader_may_come_first(stream: str) -> None:
    seen: list[int] = []

    def read() -> None:
        seen.extend(int(step["x"][()]) for step in staithe.reader(stream))

    thread = threading.Thread(target=read)
    thread.start()
    with staithe.writer(stream) as out:
        for i in range(20):
            with out.step() as step:
                step.put("x", i)
    thread.join()
    assert seen == list(range(20))


def test_closed_ends_say_so(stream: str) -> None:
    out, reader = staithe.writer(stream), staithe.reader(stream)
    reader.close()
    reader.close()
    out.close()
    out.close()
    assert out.closed
    assert reader.closed
    with pytest.raises(staithe.Closed, match=f"writer of stream '{stream}' is closed"):
        out.step()
    with pytest.raises(staithe.Closed, match=f"reader of stream '{stream}' is closed"):
        next(reader)
    assert "closed" in repr(out)
    assert "closed" in repr(reader)


def test_after_the_end_there_is_nothing_more(stream: str) -> None:
    with staithe.writer(stream, attrs={"a": 1}) as out:
        reader = staithe.reader(stream)
        with out.step() as step:
            step.put("x", 1)
    assert [step.index for step in reader] == [0]
    assert reader.next() is None
    assert list(reader) == []
    assert (reader.closed, reader.attrs, reader.writers) == (True, {"a": 1}, 1)
    assert reader.stats()["steps"] == 1


def test_an_exception_in_a_writers_block_does_not_wait_for_readers(stream: str) -> None:
    def fail(out: staithe.Writer) -> None:
        with out:
            raise ZeroDivisionError

    out = staithe.writer(stream, timeout=600)
    step = out.step()
    with pytest.raises(ZeroDivisionError):
        fail(out)
    assert out.closed
    with pytest.raises(staithe.Closed):
        step.end()


def test_closing_must_not_lose_an_open_step(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        step = out.step()
        step.put("x", 1)
        with pytest.raises(staithe.InvalidArgument, match="end or abandon step 0 before closing"):
            out.close()
        step.end()
        out.close()
        assert [int(step["x"][()]) for step in reader] == [1]


def test_a_block_that_forgets_to_end_its_step_fails_and_closes(stream: str) -> None:
    def forget(out: staithe.Writer) -> staithe.WriteStep:
        with out:
            return out.step()

    out = staithe.writer(stream)
    with pytest.raises(staithe.InvalidArgument, match="before closing"):
        forget(out)
    assert out.closed


def test_a_step_outlives_its_writer_object(stream: str) -> None:
    out = staithe.writer(stream, readers=0)
    step = out.step()
    del out
    gc.collect()
    step.put("x", 1)
    step.end()
    with pytest.raises(staithe.Closed):
        step.put("y", 1)
    with pytest.warns(ResourceWarning, match="never closed"):
        del step


def test_a_writer_that_was_never_closed_is_pointed_out(stream: str) -> None:
    out = staithe.writer(stream, readers=0)
    with pytest.warns(ResourceWarning, match=f"writer of stream '{stream}' was never closed"):
        del out
    assert stream not in [s["name"] for s in staithe.streams()]


def test_a_reader_needs_no_closing(stream: str) -> None:
    with staithe.writer(stream, queue_steps=1) as out:
        with out.step() as step:
            step.put("x", 1)
        for read in staithe.reader(stream):
            assert read["x"][()] == 1
            break
        del read
        with out.step(timeout=5) as step:
            step.put("x", 2)
        assert staithe.describe(stream)["readers"] == []


def test_objects_are_for_one_thread_at_a_time(stream: str) -> None:
    def retry(error: type[Exception], **keywords: float) -> None:
        while True:
            try:
                reader.next(**keywords)
            except error:
                continue
            return

    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        thread = threading.Thread(target=retry, args=(staithe.InvalidArgument,))
        thread.start()
        with pytest.raises(staithe.InvalidArgument, match="another thread"):
            retry(staithe.Timeout, timeout=0)
        with out.step() as step:
            step.put("x", 1)
        thread.join()


def test_several_streams_and_reader_groups(stream: str) -> None:
    names = [f"{stream}.{i}" for i in range(5)]
    outs = [staithe.writer(name, readers=2) for name in names]
    groups = [[staithe.reader(name, program=f"group {g}") for name in names] for g in range(2)]
    for number in range(20):
        for i, out in enumerate(outs):
            with out.step() as step:
                step.put("x", [number, i])
        for group in groups:
            assert [next(reader)["x"][...].tolist() for reader in group] == [[number, i] for i in range(5)]
    for group in groups:
        for reader in group:
            reader.close()
    for out in outs:
        out.close()


def test_reprs(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        assert repr(out) == f"<staithe.Writer of '{stream}', rank 0 of 1, 0 steps written>"
        with out.step() as step:
            step.put("x", [[1.0]], unit="m")
            assert repr(step) == f"<staithe.WriteStep 0 of '{stream}'>"
            assert repr(step.loan("v", count=1)) == "<staithe.Loan of 'v' in step 0>"
        read = next(reader)
        assert repr(reader) == f"<staithe.Reader of '{stream}', rank 0 of 1, 1 steps read>"
        assert repr(read) == f"<staithe.Step 0 of '{stream}': x>"
        assert repr(read["x"]) == "<staithe.Variable 'x': f8 (1, 1) in m, 1 block>"
        assert repr(read["x"].blocks[0]) == "<staithe.Block [0:1, 0:1] of 'x', from rank 0>"
