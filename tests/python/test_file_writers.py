"""Writers whose stream is a file: what they write, stock tools and readers find."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded import by_stock_tools

import staithe

pytestmark = pytest.mark.parametrize("ending", [".zarr", ".h5"])


def await_steps(path: Path, count: int) -> None:
    """Until stock tools see so many, and no more."""
    deadline = time.monotonic() + 60
    while True:
        with by_stock_tools(path) as stock:
            numbers = list(stock["step"].elements)
        assert numbers == list(range(len(numbers)))
        if len(numbers) == count:
            return
        assert len(numbers) < count
        assert time.monotonic() < deadline
        time.sleep(0.01)


def write(path: Path, begin: int, end: int, **options: Any) -> None:
    with staithe.writer(str(path), timeout=20, **options) as out:
        assert out.placement == "file"
        assert out.next_step == begin
        for i in range(begin, end):
            with out.step() as step:
                step.attrs["i"] = i
                step.put("T", np.full((3, 4), i, "f4"), unit="K", attrs={"dims": ["y", "x"]})
            await_steps(path, i + 1)  # though no step comes after it


def test_steps_are_on_disk_soon_after_they_have_ended(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    write(path, 0, 3, attrs={"model": "melt"})
    write(path, 3, 5, attrs={"model": "melt"}, resume=True)
    with by_stock_tools(path) as stock:
        np.testing.assert_array_equal(stock["T"].elements[:, 2, 3], np.arange(5))
        assert stock["T"].attrs["units"] == "K"
    with staithe.reader(str(path)) as back:
        assert dict(back.attrs) == {"model": "melt"}
        assert [(step.index, step.attrs["i"], step["T"][0, 0]) for step in back] == [(i, i, i) for i in range(5)]
    with pytest.raises(staithe.AlreadyExists, match="something"):
        staithe.writer(str(path))


def test_errors_are_those_of_the_writer(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    field = np.sin(np.linspace(0, 9, 20_000))
    with staithe.writer(str(path), error={"T": "1e-3 abs"}) as out, out.step() as step:
        step.put("T", field)
        step.put("u", field)
        step.put("v", field, error="1e-2 abs")
    with by_stock_tools(path) as stock:
        assert [stock[name].attrs.get("error") for name in "Tuv"] == ["0.001 abs", None, "0.01 abs"]
        np.testing.assert_array_equal(stock["u"].elements[0], field)
        assert 0 < np.abs(stock["T"].elements[0] - field).max() <= 1e-3
        assert 1e-3 < np.abs(stock["v"].elements[0] - field).max() <= 1e-2


def test_all_ranks_write_one_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    ranks, steps = 3, 4
    failures: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            with staithe.writer(str(path), group=(rank, ranks), timeout=20) as out:
                for i in range(steps):
                    with out.step() as step:
                        step.put("x", np.full((2, 5), 10 * i + rank), offset=(2 * rank, 0), shape=(2 * ranks, 5))
        except BaseException as failure:
            failures.append(failure)
            raise

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with by_stock_tools(path) as stock:
        expected = 10 * np.arange(steps)[:, None] + np.repeat(np.arange(ranks), 2)
        np.testing.assert_array_equal(stock["x"].elements[:, :, 4], expected)


@pytest.mark.parametrize("counts", [(3, 2), (2, 3)])
def test_ranks_that_end_at_different_steps_are_told_and_nobody_hangs(
    ending: str, counts: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / f"x{ending}"

    def write(rank: int) -> None:
        with staithe.writer(str(path), group=(rank, 2)) as out:
            for i in range(counts[rank]):
                with out.step() as step:
                    step.put("x", np.full((2, 3), i), offset=(2 * rank, 0), shape=(4, 3))

    other = threading.Thread(target=write, args=(1,))
    other.start()
    with pytest.raises(staithe.InvalidArgument, match="closed after 2 steps, but others wrote step 2"):
        write(0)
    other.join()
    assert [(step.index, step["x"][3, 2]) for step in staithe.reader(str(path))] == [(0, 0), (1, 1)]


def test_others_may_read_the_stream_meanwhile(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program writes "melt"; that it goes to a file, its environment says."""
    path = tmp_path / f"x{ending}"
    monkeypatch.setenv("STAITHE_STREAMS", json.dumps({"melt": {"placement": "file", "file": str(path)}}))
    with staithe.writer("melt", timeout=20) as out, staithe.reader("melt", placement="producer", timeout=20) as live:
        for i in range(3):
            with out.step() as step:
                step.put("x", np.arange(3) + i)
            assert next(live)["x"][0] == i
    assert [step["x"][2] for step in staithe.reader("melt")] == [2, 3, 4]


def put_until_it_fails(out: staithe.Writer) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with out.step() as step:
            step.put("x", np.full(3, step.index))
        time.sleep(0.001)


def test_what_the_file_cannot_hold_a_later_step_tells(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    why = "step 0 is not in .* 'x' is f16, which files do not have"
    with staithe.writer(str(path)) as out:
        with pytest.raises(staithe.InvalidArgument, match=why):  # noqa: PT012  # which of them, nobody knows
            with out.step() as step:
                step.put("x", np.zeros(3, np.longdouble))
            put_until_it_fails(out)
        with out.step() as step:
            step.put("x", np.full(3, step.index))
        last = step.index
    assert [(step.index, step["x"][1]) for step in staithe.reader(str(path))] == [(i, i) for i in range(1, last + 1)]


def test_what_the_file_cannot_hold_close_tells(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    out = staithe.writer(str(path))
    with pytest.raises(staithe.InvalidArgument, match="'y' is f16, which files do not have"):  # noqa: PT012
        with out.step() as step:
            step.put("y", np.zeros(3, np.longdouble))
        out.close()
    staithe.writer(str(path), resume=True).close()  # nobody holds it any more
    with pytest.raises(staithe.InvalidArgument, match="does not say by its ending"):
        staithe.writer(str(tmp_path / "x.nc"), placement="file")
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]


def test_steps_that_come_fast_are_all_there(ending: str, tmp_path: Path) -> None:
    """Several at a time are written before the file leads to them; some are unlike the others."""
    path = tmp_path / f"x{ending}"
    count = 700
    shapes = [(3,) if i % 7 != 5 else (4,) for i in range(count)]
    with staithe.writer(str(path)) as out:
        for i, shape in enumerate(shapes):
            with out.step() as step:
                step.put("x", np.full(shape, i))
                if i % 3 == 0:
                    step.attrs["third"] = i // 3
    with staithe.reader(str(path)) as back:
        for i, shape in enumerate(shapes):
            step = next(back)
            assert (step.index, dict(step.attrs)) == (i, {"third": i // 3} if i % 3 == 0 else {})
            np.testing.assert_array_equal(step["x"][...], np.full(shape, i))
        assert next(back, None) is None


def test_a_writer_that_fails_leaves_its_steps(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    out = staithe.writer(str(path))
    with out.step() as step:
        step.put("x", np.zeros(3))
    with pytest.raises(ZeroDivisionError), out.step() as step:
        step.put("x", np.full(3, 1 // 0))
    out.fail("divided by zero")
    assert [step.index for step in staithe.reader(str(path))] == [0]
    staithe.writer(str(path), resume=True).close()
