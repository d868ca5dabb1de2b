"""Zarr stores of other programs, as staithe.reader gives them: what NumPy put in comes out, or an error says why."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import xarray
import zarr
import zarr.codecs.numcodecs
from files_of_others import FIELD, check_steps
from logged import assert_logged
from numpy.typing import NDArray
from recorded import KINDS
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec

import staithe

CODECS: dict[str, dict[str, Any]] = {
    "default": {},
    "none": {"compressors": None},
    "gzip": {"compressors": GzipCodec()},
    "checksum": {"compressors": [Crc32cCodec()]},
    "checksums about gzip": {"compressors": [Crc32cCodec(), GzipCodec(), Crc32cCodec()]},
    "turned": {"filters": [TransposeCodec(order=(2, 0, 1))]},
    "turned twice": {
        "filters": [TransposeCodec(order=(2, 0, 1)), TransposeCodec(order=(1, 0, 2))],
        "compressors": None,
    },
    "big-endian": {"serializer": BytesCodec(endian="big")},
    "big-endian, not compressed": {"serializer": BytesCodec(endian="big"), "compressors": None},
    "shards": {"chunks": (1, 2, 5), "shards": (2, 6, 10)},
    "shards of gzip": {"chunks": (1, 2, 5), "shards": (2, 6, 10), "compressors": GzipCodec()},
    "shards, turned": {"chunks": (1, 2, 5), "shards": (2, 6, 10), "filters": [TransposeCodec(order=(2, 0, 1))]},
    "blosc, cut as by a recorder": {"chunks": (1, 6, 10), "compressors": BloscCodec()},
    "chunks beyond the array": {"chunks": (3, 4, 7)},
    "one chunk": {"chunks": (4, 6, 10)},
} | {
    f"{name}, {shuffle}": {"compressors": BloscCodec(cname=name, shuffle=shuffle)}
    for name in ("lz4", "lz4hc", "blosclz", "zlib", "zstd")
    for shuffle in ("noshuffle", "shuffle", "bitshuffle")
}


@pytest.fixture(autouse=True)
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of codecs, and metadata, that are no part of the specification yet
        yield


def make(
    path: Path, array: NDArray[Any] = FIELD, dims: tuple[str, ...] | None = ("time", "y", "x"), **options: Any
) -> None:
    options = {"chunks": (2, 4, 5)} | options
    made = zarr.create_group(path).create_array(
        "T", shape=array.shape, dtype=array.dtype, dimension_names=dims, **options
    )
    made[...] = array


def dataset() -> xarray.Dataset:
    return xarray.Dataset(
        {
            "T": (("time", "y", "x"), FIELD, {"units": "K"}),
            "mask": (("y", "x"), FIELD[0] > 3),
            "factor": ((), 3.5),
        },
        {"time": ("time", [0, 1, 2, 5], {"units": "days since 2020-01-01"}), "x": np.arange(10.0)},
    )


@pytest.mark.parametrize("codecs", CODECS)
def test_elements_are_those_that_zarr_wrote(tmp_path: Path, codecs: str) -> None:
    path = tmp_path / "x.zarr"
    make(path, **CODECS[codecs])
    check_steps(path, FIELD)


def test_codecs_that_numcodecs_shares_with_others(tmp_path: Path) -> None:
    shuffled = [zarr.codecs.numcodecs.Shuffle(elementsize=4), ZstdCodec()]
    for i, compressors in enumerate((zarr.codecs.numcodecs.Zlib(), shuffled)):
        path = tmp_path / f"{i}.zarr"
        make(path, compressors=compressors)
        check_steps(path, FIELD)


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize("kind", KINDS)
def test_of_all_dtypes_chunks_may_be_left_out(tmp_path: Path, kind: str, endian: str) -> None:
    path = tmp_path / "x.zarr"
    array = (np.arange(240).reshape(4, 6, 10) % 2).astype(kind)
    array[1] = 1
    make(path, array, chunks=(1, 6, 10), fill_value=np.dtype(kind).type(1), serializer=BytesCodec(endian=endian))
    assert len(list(path.rglob("c/*/0/0"))) == 3
    check_steps(path, array)


@pytest.mark.parametrize("value", [7.25, np.nan, np.inf, -np.inf, 1e-7, 60000.0, 0.0, -0.0])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize(
    "options",
    [{}, {"compressors": None}, {"shards": (2, 6, 10)}, {"shards": (2, 6, 10), "compressors": None}],
)
def test_what_is_all_fill_is_left_out(tmp_path: Path, value: float, kind: str, options: dict[str, Any]) -> None:
    path = tmp_path / "x.zarr"
    array = FIELD.astype(kind)
    array[1] = value
    array[2, :3] = value
    make(path, array, chunks=(1, 3, 10), fill_value=value, **options)
    check_steps(path, array)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [True, False])
def test_datasets_of_xarray(tmp_path: Path, version: Any, consolidated: bool) -> None:
    path = tmp_path / "x.zarr"
    dataset().to_zarr(path, zarr_format=version, consolidated=consolidated)
    check_steps(path, FIELD)
    with staithe.reader(str(path)) as reader:
        for i, step in enumerate(reader):
            assert step.index == i
            assert sorted(step) == ["T", "factor", "mask", "time", "x"]
            assert step["T"].unit == "K"
            assert step["T"].attrs["dims"] == ["y", "x"]
            assert int(step["time"][...]) == [0, 1, 2, 5][i]
            assert step["time"].unit == "days since 2020-01-01"
            np.testing.assert_array_equal(step["mask"], FIELD[0] > 3)
            assert float(step["factor"][...]) == 3.5


@pytest.mark.parametrize("version", [2, 3])
def test_arrays_that_nobody_has_named(tmp_path: Path, version: Any) -> None:
    path = tmp_path / "x.zarr"
    xarray.DataArray(FIELD, dims=("time", "y", "x")).to_zarr(path, zarr_format=version)
    check_steps(path, FIELD, "__xarray_dataarray_variable__")


def test_what_was_appended_by_xarray(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    dataset()[["T"]].isel(time=slice(0, 3)).to_zarr(path)
    dataset()[["T"]].isel(time=slice(3, 4)).to_zarr(path, append_dim="time")
    check_steps(path, FIELD)


def test_scaled_numbers_are_as_they_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    dataset()[["T"]].to_zarr(path, encoding={"T": {"dtype": "i2", "scale_factor": 0.5, "add_offset": 10.0}})
    check_steps(path, ((FIELD - 10) / 0.5).astype("i2"))
    step = next(staithe.reader(str(path)))
    assert step["T"].attrs["scale_factor"] == 0.5


def test_numbers_of_steps_are_those_of_a_coordinate_that_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    xarray.Dataset({"T": (("step", "y", "x"), FIELD)}, {"step": [0, 3, 5, 9]}).to_zarr(path)
    assert [step.index for step in staithe.reader(str(path))] == [0, 3, 5, 9]
    check_steps(path, FIELD)


@pytest.mark.parametrize("numbers", [[9, 5, 3, 0], [-2, -1, 0, 1], [0, 0, 1, 1]])
def test_a_coordinate_of_other_numbers_is_one_like_any_other(tmp_path: Path, numbers: list[int]) -> None:
    path = tmp_path / "x.zarr"
    xarray.Dataset({"T": (("step", "y", "x"), FIELD)}, {"step": numbers}).to_zarr(path)
    steps = [(step.index, int(step["step"][...])) for step in staithe.reader(str(path))]
    assert steps == list(enumerate(numbers))
    check_steps(path, FIELD)


@pytest.mark.parametrize("unit", ["hours since 1970-01-01", "K"])
def test_a_dimension_of_times_is_that_of_steps(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "x.zarr"
    data = xarray.Dataset({"T": (("valid", "y", "x"), FIELD)}, {"valid": ("valid", np.arange(4.0), {"units": unit})})
    data.to_zarr(path, encoding={"valid": {"dtype": "f8"}})
    check_steps(path, FIELD if "since" in unit else FIELD[np.newaxis])


@pytest.mark.parametrize("dims", [None, ("lat", "lon", "height"), ("x", "time", "y")])
def test_without_such_a_dimension_all_is_one_step(tmp_path: Path, dims: tuple[str, ...] | None) -> None:
    path = tmp_path / "x.zarr"
    make(path, dims=dims)
    check_steps(path, FIELD[np.newaxis])


def test_arrays_that_differ_in_their_steps_are_one(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    group = zarr.create_group(path)
    for name, length in (("a", 3), ("b", 4)):
        group.create_array(name, data=np.arange(length), dimension_names=["time"])
    (shapes,) = ([step["a"].shape, step["b"].shape] for step in staithe.reader(str(path)))
    assert shapes == [(3,), (4,)]


def test_an_array_that_is_all_of_a_store(tmp_path: Path) -> None:
    path = tmp_path / "field.zarr"
    zarr.create_array(path, data=FIELD, chunks=(2, 3, 10))
    check_steps(path, FIELD[np.newaxis], "field")


def test_arrays_in_groups(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    xarray.DataTree.from_dict({"/a": dataset()[["T"]], "/a/b": dataset()[["mask"]]}).to_zarr(path)
    check_steps(path, FIELD, "a/T")
    np.testing.assert_array_equal(next(staithe.reader(str(path)))["a/b/mask"], FIELD[0] > 3)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f4", ">f4", ">i2", "|b1", "<c8", "<f2"])
@pytest.mark.parametrize("codec", [None, "blosc", "zlib", "gzip", "zstd"])
def test_version_2(tmp_path: Path, kind: str, order: Any, codec: str | None) -> None:
    path = tmp_path / "x.zarr"
    array = (FIELD % 5).astype(kind)
    made = zarr.create_group(path, zarr_format=2).create_array(
        "T",
        shape=array.shape,
        dtype=kind,
        chunks=(2, 4, 5),
        order=order,
        compressors=None if codec is None else numcodecs.get_codec({"id": codec}),
        filters=None if codec != "zstd" else [numcodecs.Shuffle(elementsize=array.itemsize)],
        attributes={"_ARRAY_DIMENSIONS": ["time", "y", "x"]},
    )
    made[...] = array
    check_steps(path, array.astype(array.dtype.newbyteorder("=")))


@pytest.mark.parametrize("codec", ["LZ4", "BZ2"])
def test_what_is_not_read_is_named(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "x.zarr"
    make(path, compressors=getattr(zarr.codecs.numcodecs, codec)())
    with pytest.raises(
        staithe.ProtocolError, match=rf"array 'T' is encoded by the codec 'numcodecs\.{codec.lower()}'.*write it anew"
    ):
        staithe.reader(str(path))


def test_arrays_of_texts_are_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.zarr"
    dataset().assign(name=("y", list("abcdef"))).to_zarr(path)
    check_steps(path, FIELD)
    assert_logged(caplog, f"'{path}' is read without the array 'name'")


def test_nobody_goes_on_with_them(tmp_path: Path) -> None:
    for name, dims in (("a", ("step", "y", "x")), ("b", None)):
        path = tmp_path / f"{name}.zarr"
        make(path, dims=dims)
        with pytest.raises(staithe.InvalidArgument, match="written by another program"):
            staithe.Recorder(path, resume=True)


def files_in(path: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_nobody_changes_what_looks_like_a_recording(tmp_path: Path) -> None:
    keys: Any = {"name": "default", "separator": "."}
    as_it_is: dict[str, Any] = {"compressors": None, "chunk_key_encoding": keys}
    for name in ("field", "group", "texts"):
        path = tmp_path / f"{name}.zarr"
        root = zarr.create_group(path, attributes={"of": "another program"})
        if name == "field":
            root.create_array("T", data=FIELD, chunks=(1, 6, 10), dimension_names=["step", "y", "x"], **as_it_is)
            root.create_array("step", data=np.arange(4), dimension_names=["step"], **as_it_is)
        elif name == "group":
            root.create_group("a")
        else:
            root.create_array("names", data=np.array(["a", "b"]))
        before = files_in(path)
        with pytest.raises(staithe.InvalidArgument, match="written by another program"):
            staithe.Recorder(path, resume=True)
        assert files_in(path) == before


def test_what_cannot_be_looked_at_is_not_taken_for_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make(path)
    chunks = path / "T/c"
    chunks.rename(tmp_path / "chunks")
    chunks.symlink_to(chunks)  # not even root gets through
    with pytest.raises(staithe.Error, match="symbolic links"):
        next(staithe.reader(str(path)))["T"].read()
    node = path / "U"
    node.symlink_to(node)
    with pytest.raises(staithe.Error, match="symbolic links"):
        staithe.reader(str(path))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [True, False])
def test_numbers_that_json_does_not_have(tmp_path: Path, version: Any, consolidated: bool) -> None:
    path = tmp_path / "x.zarr"
    largest = 2**64 - 1
    array = np.full((4, 6, 10), largest, "u8")
    array[2] = 7
    root = zarr.create_group(path, zarr_format=version, attributes={"most": np.inf})
    made = root.create_array(
        "T", shape=array.shape, dtype="u8", chunks=(1, 6, 10), fill_value=largest, attributes={"missing": np.nan}
    )
    made.attrs.update({"mask": largest, "_ARRAY_DIMENSIONS": ["time", "y", "x"]})
    made[...] = array
    if consolidated:
        zarr.consolidate_metadata(path)
    with staithe.reader(str(path)) as reader:
        assert reader.attrs["most"] == "Infinity"
        step = next(reader)
        assert step["T"].attrs["missing"] == "NaN"
        assert step["T"].attrs["mask"] == str(largest)
    check_steps(path, array if version == 2 else array[np.newaxis])


@pytest.mark.parametrize("compressors", [[ZstdCodec()], [GzipCodec()], [Crc32cCodec()], [BloscCodec()]])
def test_damaged_chunks_are_told(tmp_path: Path, compressors: list[Any]) -> None:
    path = tmp_path / "x.zarr"
    make(path, chunks=(1, 3, 10), compressors=compressors)
    chunk = path / "T/c/0/0/0"
    content = chunk.read_bytes()
    changed = [] if isinstance(compressors[0], BloscCodec) else [content[:-9] + bytes(9)]  # which Blosc may not notice
    for damaged in (b"", content[:-1], content[: len(content) // 2], *changed):
        chunk.write_bytes(damaged)
        step = next(staithe.reader(str(path)))
        with pytest.raises(staithe.ProtocolError, match=r"'T'.*c/0/0/0.*damaged"):
            step["T"].read()
        np.testing.assert_array_equal(step["T"][3:], FIELD[0, 3:])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("fill_value", "nothing"),
        ("shape", [4, 6, 1 << 62]),
        ("chunk_key_encoding", {"name": "default", "configuration": {"separator": ":"}}),
        ("chunk_grid", {"name": "regular", "configuration": {"chunk_shape": [1 << 40, 6, 10]}}),
        ("chunk_grid", {"name": "regular", "configuration": {"chunk_shape": [0, 6, 10]}}),
        ("codecs", [{"name": "zstd"}]),
        ("codecs", [{"name": "transpose", "configuration": {"order": [0, 0, 1]}}, {"name": "bytes"}]),
        ("codecs", [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip"}, {"name": "zstd"}]),
    ],
)
def test_metadata_that_cannot_be_are_told(tmp_path: Path, field: str, value: Any) -> None:
    path = tmp_path / "x.zarr"
    make(path)
    metadata = path / "T/zarr.json"
    metadata.write_text(json.dumps(json.loads(metadata.read_text()) | {field: value}))
    with pytest.raises(staithe.ProtocolError, match="the array 'T'"):
        staithe.reader(str(path))
