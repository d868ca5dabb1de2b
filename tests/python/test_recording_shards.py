"""Zarr's shards: files of many chunks, as recorders write them and as others do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from recorded import check_error, make_by_zarr, record

import staithe
from thoroughness import examples

SHAPE = (50, 300, 200)  # of f4 12 MB: three chunks that are compressed
FIELD = np.sin(np.linspace(0, 40, 3_000_000)).reshape(SHAPE).astype("f4")
SHARD = "c.{}.0.0.0"


def record_fields(path: Path, steps: int = 2, *, resume: bool = False) -> None:
    fields = [{"T": FIELD + i, "exact": np.arange(1000) + i} for i in range(steps)]
    record(path, fields, [20], error={"T": "1e-3 abs"}, resume=resume)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shards") / "x.zarr"
    record_fields(path)
    return path


def test_a_step_of_an_array_is_one_file(recording: Path) -> None:
    assert sorted(file.name for file in (recording / "T").glob("c*")) == [SHARD.format(0), SHARD.format(1)]
    array = zarr.open_group(recording, mode="r")["T"]
    assert isinstance(array, zarr.Array)
    assert (array.shards, array.chunks) == ((1, 51, 300, 200), (1, 17, 300, 200))
    for i in range(2):
        check_error(FIELD + np.float32(i), np.asarray(array[i]), 1e-3, "abs")
        check_error(FIELD + np.float32(i), xarray.open_zarr(recording)["T"][i].values, 1e-3, "abs")


@settings(max_examples=examples(50))
@given(part=hnp.basic_indices(SHAPE, allow_newaxis=False))
def test_parts_are_those_of_the_whole(part: object, recording: Path) -> None:
    expected = np.asarray(zarr.open_group(recording, mode="r")["T"][1])
    step = next(staithe.reader(str(recording), start=1))
    np.testing.assert_array_equal(step["T"][part], expected[part])  # type: ignore[index]


@pytest.mark.parametrize("codec", [None, "blosc", "blosc+zstd", "dq"])
def test_they_go_on_with_all_codecs(codec: str | None, tmp_path: Path) -> None:
    """What a recorder that was killed has left of the next step, more than that will take, is gone."""
    path = tmp_path / "x.zarr"
    large = np.random.default_rng(5).normal(size=(9, 1024, 1024))  # more than a chunk, compressed or not
    steps = [{"T": large + i} for i in range(2)]
    record(path, steps[:1], [3], codec=codec)
    left = path / "T" / SHARD.format(1)
    left.write_bytes(bytes(100 << 20))
    record(path, steps, [3], codec=codec, resume=True)
    array = zarr.open_group(path, mode="r")["T"]
    for i, step in enumerate(staithe.reader(str(path))):
        np.testing.assert_array_equal(step["T"], steps[i]["T"])
        np.testing.assert_array_equal(array[i], steps[i]["T"])
    assert left.stat().st_size < 73 << 20


def test_steps_unlike_the_others_have_them_too(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [{"T": FIELD}, {"T": FIELD[:40]}], [], error="1e-3 abs")
    assert [file.name for file in (path / "step_1" / "T").glob("c*")] == ["c.0.0.0"]
    apart = list(staithe.reader(str(path)))[1]
    check_error(FIELD[:40], np.asarray(apart["T"]), 1e-3, "abs")
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["step_1/T"], apart["T"])


def test_what_is_damaged_is_named_and_all_else_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record_fields(path)
    whole = next(staithe.reader(str(path)))["T"].read()
    shard = path / "T" / SHARD.format(0)
    content = shard.read_bytes()
    for damaged in (content[:-1], content[:-9] + bytes(9), b""):
        shard.write_bytes(damaged)
        steps = staithe.reader(str(path))
        step = next(steps)
        with pytest.raises(staithe.ProtocolError, match=r"'T'.*c\.0\.0\.0\.0: the index at its end is damaged"):
            step["T"].read()
        np.testing.assert_array_equal(step["exact"], np.arange(1000))
        check_error(FIELD + np.float32(1), next(steps)["T"].read(), 1e-3, "abs")
    shard.write_bytes(bytes(64) + content[64:])  # the first chunk
    step = next(staithe.reader(str(path)))
    with pytest.raises(staithe.ProtocolError, match=r"'T'.*c\.0\.0\.0\.0: .* is damaged"):
        step["T"].read()
    np.testing.assert_array_equal(step["T"][17:], whole[17:])


@pytest.mark.parametrize(
    ("shards", "chunks"),
    [((1, 3, 2), (1, 1, 2)), ((2, 3, 2), (1, 1, 2)), ((2, 4, 2), (1, 2, 2)), ((2, 3, 2), (2, 3, 2))],
)
def test_those_of_other_programs_are_read(shards: tuple[int, ...], chunks: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make_by_zarr(path, ".", zarr.codecs.BloscCodec(cname="lz4"), chunks, shards)
    array = np.arange(12.0).reshape(2, 3, 2)
    for i, step in enumerate(staithe.reader(str(path))):
        np.testing.assert_array_equal(step["x"], array[i])
        np.testing.assert_array_equal(step["x"][1:, 1], array[i, 1:, 1])
    if shards[0] > 1:
        with pytest.raises(staithe.InvalidArgument, match=r"written by another program: .* has other shards"):
            staithe.Recorder(path, resume=True)


def test_numbers_of_steps_in_shards_are_read_but_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make_by_zarr(path, ".", shards_of_numbers=(2,))
    assert [step.index for step in staithe.reader(str(path))] == [0, 1]
    with pytest.raises(staithe.InvalidArgument, match="written by another program"):
        staithe.Recorder(path, resume=True)
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["step"], [0, 1])


def test_chunks_that_other_programs_leave_out_are_full_of_the_fill_value(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make_by_zarr(path, ".", None, (1, 1, 2), (1, 3, 2))
    zarr.open_group(path)["x"][1, 1] = 0
    step = next(staithe.reader(str(path), start=1))
    assert step["x"].read().tolist() == [[6, 7], [0, 0], [10, 11]]
