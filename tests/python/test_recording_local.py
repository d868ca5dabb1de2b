"""Local arrays of several ranks in recordings: their rows together, and how many each rank has."""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from local_arrays import group, put
from numpy.typing import NDArray
from recorded import by_stock_tools, check_error

import staithe
from thoroughness import examples

ENDINGS = [".zarr", ".h5"]


def record(
    path: Path, steps: list[list[Any]], *, resume: bool = False, error: str | None = None, **put_as: Any
) -> None:
    with group("local", len(steps[0])) as (outs, live), staithe.Recorder(path, resume=resume, error=error) as recorder:
        for arrays in steps:
            put(outs, *arrays, **put_as)
            recorder.append(next(live))


def blocks_of(step: staithe.Step) -> list[tuple[int, Any]]:
    return [(block.rank, block.data.tolist()) for block in step["x"].blocks]


@st.composite
def steps_of_ranks(draw: st.DrawFn) -> list[list[NDArray[Any]]]:
    ranks, rest = draw(st.integers(2, 4)), tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    kind = draw(st.sampled_from(["f8", "i2", "c8", "bool"]))
    rows = st.lists(st.integers(0, 4), min_size=ranks, max_size=ranks)
    return [
        [np.arange(n * np.prod(rest, dtype=int)).reshape((n, *rest)).astype(kind) for n in draw(rows)]
        for _ in range(draw(st.integers(1, 3)))
    ]


@settings(max_examples=examples(100))
@given(steps=steps_of_ranks(), ending=st.sampled_from(ENDINGS))
def test_each_rank_gets_back_its_own(steps: list[list[NDArray[Any]]], ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}"
        record(path, steps)
        for step, arrays in zip(staithe.reader(str(path)), steps, strict=True):
            x = step["x"]
            assert list(step) == ["x"]
            assert (x.local, x.dtype) == (True, arrays[0].dtype)
            assert [block.rank for block in x.blocks] == list(range(len(arrays)))
            for block, array in zip(x.blocks, arrays, strict=True):
                assert block.data.dtype == array.dtype
                np.testing.assert_array_equal(block.data, array)
            for block, array in zip(x.read(share="process"), arrays, strict=True):
                np.testing.assert_array_equal(block.data, array)


@pytest.mark.parametrize("ending", ENDINGS)
def test_stock_tools_find_rows_and_how_many(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    record(path, [[[1, 2], np.zeros(0, int), [3]], [[4], [5], [6]]], attrs={"dims": ["atom"]}, unit="nm")
    with by_stock_tools(path) as stock:
        assert stock["x"].elements.tolist() == [[1, 2, 3], [4, 5, 6]]
        assert stock["x_rows"].elements.tolist() == [[2, 0, 1], [1, 1, 1]]
        assert stock["x"].attrs["units"] == "nm"
        said = dict(stock["x_rows"].attrs)
        assert (said["sample_dimension"], said["staithe_rows_of"]) == ("atom", "x")


@pytest.mark.parametrize("ending", ENDINGS)
def test_numbers_of_ranks(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    numbers = [np.float32(value) for value in range(6)]
    record(path, [[numbers[1], None, numbers[2]], [numbers[3], numbers[4], numbers[5]]])
    steps = staithe.reader(str(path))
    assert blocks_of(next(steps)) == [(0, 1.0), (2, 2.0)]
    step = next(steps)
    assert blocks_of(step) == [(0, 3.0), (1, 4.0), (2, 5.0)]
    assert step["x"].blocks[0].data.shape == ()


@pytest.mark.parametrize("ending", ENDINGS)
def test_many_rows_lie_in_several_chunks_and_are_compressed(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    whole = np.sin(np.arange(3_000_000) / 1e4).reshape(-1, 3).astype("f4")  # 12 MB
    arrays = np.split(whole, [10, 400_000, 700_001])
    record(path, [arrays], error="1e-3 abs")
    with by_stock_tools(path) as stock:
        check_error(whole, stock["x"].elements[0], 1e-3, "abs")
    step = next(staithe.reader(str(path)))
    for block, array in zip(step["x"].blocks, arrays, strict=True):
        check_error(array, block.data, 1e-3, "abs")
    speed = step.derive("x * 2")
    np.testing.assert_array_equal(speed.blocks[1].data, 2 * step["x"].blocks[1].data)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_one_rank_alone_has_put_is_still_its_own(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    with group("local", 3) as (outs, live), staithe.Recorder(path) as recorder:
        for arrays in ([None, [1, 2], None], [[], None, [3, 4]], [[5], [6], []]):
            put(outs, *(None if array is None else np.array(array, int) for array in arrays))
            recorder.append(next(live))
    with by_stock_tools(path) as stock:
        assert stock["x_rows"].elements.tolist() == [[-1, 2, -1], [0, -1, 2], [1, 1, 0]]
    steps = staithe.reader(str(path))
    x = next(steps)["x"]
    assert (x.local, x.shape, x[...].tolist(), x.blocks[0].rank) == (True, (2,), [1, 2], 1)
    assert blocks_of(next(steps)) == [(0, []), (2, [3, 4])]
    step = next(steps)
    assert (step.writers, blocks_of(step)) == (3, [(0, [5]), (1, [6]), (2, [])])


def test_rows_of_no_array_are_a_variable(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    record(path, [[[1.0], [2.0, 3.0]]])
    with staithe.Recorder(tmp_path / "y.zarr") as recorder:  # by who left out x
        with group("local", 2) as (outs, live):
            for out in outs:
                with out.step() as step:
                    step.put("x", np.ones(2))
                    step.put("x_rows", np.ones(1), offset=out.rank, shape=2, attrs={"staithe_rows_of": "x"})
            read = next(live)
            with pytest.raises(staithe.InvalidArgument, match="call the variable of that name otherwise"):
                recorder.append(read)
        with staithe.Recorder(tmp_path / "z.zarr", variables=["x"]) as other:
            other.append(read)
    root = tmp_path / "z.zarr" / "zarr.json"
    metadata = json.loads(root.read_text())
    del metadata["consolidated_metadata"]["metadata"]["x"]
    root.write_text(json.dumps(metadata))
    assert next(staithe.reader(str(tmp_path / "z.zarr")))["x_rows"][...].tolist() == [2, 2]


def test_more_ranks_than_there_can_be_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [[[1.0], [2.0, 3.0]]])
    root = path / "zarr.json"
    metadata = json.loads(root.read_text())
    metadata["consolidated_metadata"]["metadata"]["x_rows"]["shape"][1] = 1 << 42
    metadata["consolidated_metadata"]["metadata"]["x_rows"]["chunk_grid"]["configuration"]["chunk_shape"][1] = 1 << 42
    root.write_text(json.dumps(metadata))
    with pytest.raises(staithe.ProtocolError, match="'x_rows': it is of 4398046511104 ranks"):
        next(staithe.reader(str(path)))


def test_it_goes_on_and_a_reader_of_another_program_reads_it_all(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    record(path, [[[1.0], [2.0, 3.0]]])
    with group("local", 2) as (outs, live), staithe.Recorder(path, resume=True) as recorder:
        put(outs, [9.0], [9.0, 9.0])
        next(live)
        put(outs, [4.0, 5.0], [6.0])
        recorder.append(next(live))
    assert [blocks_of(step) for step in staithe.reader(str(path))] == [
        [(0, [1.0]), (1, [2.0, 3.0])],
        [(0, [4.0, 5.0]), (1, [6.0])],
    ]
    with h5py.File(path) as file:
        assert file["x"][:].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_what_has_no_rows_together_is_refused(tmp_path: Path) -> None:
    with group("local", 2) as (outs, live), staithe.Recorder(tmp_path / "x.zarr") as recorder:
        put(outs, np.zeros((2, 3)), np.zeros((2, 4)))
        with pytest.raises(
            staithe.InvalidArgument, match=r"\(2, 3\) of rank 0 and \(2, 4\) of rank 1, whose rows make no"
        ):
            recorder.append(next(live))
        for out in outs:
            with out.step() as step:
                step.put("x", [1.0])
                step.put("x_rows", np.zeros(1), offset=out.rank, shape=2)
        with pytest.raises(staithe.InvalidArgument, match="call the variable of that name otherwise"):
            recorder.append(next(live))
        put(outs, [1.0], [2.0])
        recorder.append(next(live))
    assert [blocks_of(step) for step in staithe.reader(str(tmp_path / "x.zarr"))] == [[(0, [1.0]), (1, [2.0])]]


@pytest.mark.parametrize("rows", [[1, 1], [2, 2], [-1, 4], [3, -2], [-1, -1], [1 << 62, 1 << 62]])
def test_rows_that_cannot_be_are_told(rows: list[int], tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [[[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]]])
    zarr.open_group(path)["x_rows"][0] = rows
    steps = staithe.reader(str(path))
    with pytest.raises(staithe.ProtocolError, match="'x_rows' does not say of all rows of 'x' whose they are"):
        next(steps)


def test_a_writer_that_is_a_file_takes_them(tmp_path: Path) -> None:
    path = str(tmp_path / "x.zarr")

    def write(rank: int) -> None:
        with staithe.writer(path, group=(rank, 2)) as out:
            for i in range(3):
                with out.step() as step:
                    step.put("x", np.arange(i + 1 + rank))

    with ThreadPoolExecutor() as ranks:
        list(ranks.map(write, range(2)))
    assert [blocks_of(step) for step in staithe.reader(path)] == [
        [(0, list(range(i + 1))), (1, list(range(i + 2)))] for i in range(3)
    ]
