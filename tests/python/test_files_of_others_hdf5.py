"""HDF5 files of other programs, as staithe.reader gives them: what NumPy put in comes out, or an error says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
import xarray
from files_of_others import FIELD, check_steps
from logged import assert_logged
from recorded import KINDS

import staithe
from thoroughness import examples

LIBVERS = [("earliest", "v108"), ("v108", "v108"), ("latest", "latest")]
FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "deflate": {"compression": "gzip"},
    "lzf": {"compression": "lzf"},
    "shuffle": {"shuffle": True},
    "shuffle and deflate": {"shuffle": True, "compression": "gzip"},
    "fletcher32": {"fletcher32": True},
    "all of them": {"shuffle": True, "compression": "lzf", "fletcher32": True},
    "zstd": hdf5plugin.Zstd(),
}


def dataset() -> xarray.Dataset:
    return xarray.Dataset(
        {
            "T": (("time", "y", "x"), FIELD, {"units": "K"}),
            "mask": (("y", "x"), FIELD[0].astype("i2")),
            "factor": ((), 3.5),
        },
        {"time": ("time", [0, 1, 2, 5], {"units": "days since 2020-01-01"}), "x": np.arange(10.0)},
        {"title": "of others"},
    )


@pytest.mark.parametrize("chunks", [(2, 4, 5), (1, 6, 10), (3, 4, 7)])
@pytest.mark.parametrize("libver", LIBVERS)
@pytest.mark.parametrize("filters", FILTERS)
def test_elements_are_those_that_h5py_wrote(tmp_path: Path, filters: str, libver: Any, chunks: tuple[int, ...]) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", libver=libver) as file:
        file.create_dataset("T", data=FIELD, chunks=chunks, maxshape=(None, 6, 10), **FILTERS[filters])
    check_steps(path, FIELD)


def test_arrays_of_texts_are_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("T", data=FIELD, chunks=(1, 6, 10), maxshape=(None, 6, 10))
        file["name"] = ["a", "b"]
    check_steps(path, FIELD)
    assert_logged(caplog, f"'{path}' is read without the array 'name'")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunks", [None, (2, 4, 5)])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_of_all_dtypes(tmp_path: Path, libver: str, kind: str, order: Any, chunks: tuple[int, ...] | None) -> None:
    path = tmp_path / "x.h5"
    array = (FIELD % 3).astype(np.dtype(kind).newbyteorder(order))
    with h5py.File(path, "w", libver=libver) as file:
        file.create_dataset("T", data=array, chunks=chunks)
    check_steps(path, array.astype(kind)[np.newaxis])


@pytest.mark.parametrize("kind", ["<f4", ">f4", "<i8", ">u2"])
@pytest.mark.parametrize("chunks", [None, (1, 6, 10), (2, 4, 5)])
def test_what_nobody_has_written_is_full_of_the_fill_value(
    tmp_path: Path, kind: str, chunks: tuple[int, ...] | None
) -> None:
    path = tmp_path / "x.h5"
    expected = np.full(FIELD.shape, 7, kind)
    with h5py.File(path, "w") as file:
        written = file.create_dataset("T", FIELD.shape, kind, chunks=chunks, fillvalue=7)
        file.create_dataset("zero", FIELD.shape, kind, chunks=chunks)
        if chunks is not None:
            written[1] = expected[1] = FIELD[1]
    for name, array in (("T", expected), ("zero", np.zeros(FIELD.shape, kind))):
        check_steps(path, array.astype(np.dtype(kind).newbyteorder("="))[np.newaxis], name)


@pytest.mark.parametrize("unlimited", [["time"], []])
@pytest.mark.parametrize("options", [{}, {"zlib": True, "shuffle": True, "chunksizes": (1, 3, 10)}])
@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_datasets_of_xarray(tmp_path: Path, engine: Any, options: dict[str, Any], unlimited: list[str]) -> None:
    path = tmp_path / "x.h5"
    dataset().to_netcdf(path, engine=engine, unlimited_dims=unlimited, encoding={"T": options})
    check_steps(path, FIELD)
    with staithe.reader(str(path)) as reader:
        assert reader.attrs["title"] == "of others"
        for i, step in enumerate(reader):
            assert step.index == i
            assert sorted(step) == ["T", "factor", "mask", "time", "x"]
            assert step["T"].unit == "K"
            assert step["T"].attrs["dims"] == ["y", "x"]
            assert int(step["time"][...]) == [0, 1, 2, 5][i]
            np.testing.assert_array_equal(step["mask"], FIELD[0])
            assert float(step["factor"][...]) == 3.5


def test_files_of_netcdf_that_grew(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with netCDF4.Dataset(path, "w") as file:
        for name, length in (("t", None), ("y", 6), ("x", 10)):
            file.createDimension(name, length)
        made = file.createVariable("T", np.dtype(">f4"), ("t", "y", "x"), fill_value=-1.0, endian="big")
        for i in range(4):
            made[i] = FIELD[i]
        file.createGroup("in").createVariable("mask", "i1", ("y",))[:] = np.arange(6)
    check_steps(path, FIELD)
    assert next(staithe.reader(str(path)))["in/mask"][...].tolist() == list(range(6))


@pytest.mark.parametrize("libver", LIBVERS)
def test_many_arrays_in_groups(tmp_path: Path, libver: Any) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", libver=libver) as file:
        for i in range(300):
            file[f"a/b{i % 7}/c{i}"] = np.full(3, i)
        file["soft"] = h5py.SoftLink("/a")
        file["text"] = "of nobody"
    (names,) = (sorted(step) for step in staithe.reader(str(path)))
    assert names == sorted(f"a/b{i % 7}/c{i}" for i in range(300))
    step = next(staithe.reader(str(path)))
    assert all(step[f"a/b{i % 7}/c{i}"][...].tolist() == [i] * 3 for i in range(300))


@pytest.mark.parametrize("libver", LIBVERS)
@pytest.mark.parametrize("many", [5, 12, 900])
def test_many_attributes_and_links_lie_elsewhere(tmp_path: Path, many: int, libver: Any) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", libver=libver, track_order=True) as file:
        made = file.create_dataset("T", data=FIELD, track_order=True)
        for i in range(many):
            made.attrs[f"a{i}"] = f"of {i}" if i % 2 == 0 else i % 3 == 0
            file[f"v{i}"] = np.int32(i)
    step = next(staithe.reader(str(path)))
    assert sorted(step) == sorted(["T", *(f"v{i}" for i in range(many))])
    assert dict(step["T"].attrs) == {f"a{i}": f"of {i}" if i % 2 == 0 else i % 3 == 0 for i in range(many)}
    assert [int(step[f"v{i}"][...]) for i in range(many)] == list(range(many))


def test_arrays_that_differ_in_their_steps_are_one(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        for name, length in (("a", 3), ("b", 4)):
            file.create_dataset(name, data=np.arange(length), maxshape=(None,))
    (shapes,) = ([step["a"].shape, step["b"].shape] for step in staithe.reader(str(path)))
    assert shapes == [(3,), (4,)]


def test_more_than_there_can_be_steps_is_one(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("a", (2**24 + 1,), "i1", chunks=(2**24,), maxshape=(None,))
    (step,) = (step["a"].shape for step in staithe.reader(str(path)))
    assert step == (2**24 + 1,)


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_arrays_that_nobody_has_named(tmp_path: Path, engine: Any) -> None:
    path = tmp_path / "x.h5"
    xarray.DataArray(FIELD, dims=("time", "y", "x")).to_netcdf(path, engine=engine)
    check_steps(path, FIELD, "__xarray_dataarray_variable__")


def test_what_is_no_array_of_staithe_is_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["T"] = np.arange(6.0)
        file["nothing"] = h5py.Empty("f8")
        file["nine"] = np.zeros((1,) * 9)
        file["twenty"] = np.zeros((1,) * 20)
    (step,) = staithe.reader(str(path))
    assert list(step) == ["T"]
    for name in "nothing", "nine", "twenty":
        assert_logged(caplog, f"is read without the array '{name}': it has no shape, or more dimensions")


def test_a_user_block_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", userblock_size=1024) as file:
        file["T"] = np.arange(6.0)
    with pytest.raises(staithe.ProtocolError, match=r"x\.h5.*first 1024 bytes are a user block.*h5unjam"):
        staithe.reader(str(path))


def test_what_is_no_utf8_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["T"] = FIELD
        file["T"].attrs["of"] = np.bytes_(b"caf\xe9")
        file["T"].attrs["n"] = 3
        file[b"caf\xe9"] = FIELD
    step = next(staithe.reader(str(path)))
    assert dict(step["T"].attrs) == {"n": 3}
    assert list(step) == ["T"]


@pytest.mark.parametrize("names", [("r", "i"), ("re", "im"), ("real", "imag"), ("x", "y")])
def test_pairs_by_other_names_are_not_complex(tmp_path: Path, names: tuple[str, str]) -> None:
    path = tmp_path / "x.h5"
    pairs = np.arange(6.0).astype("f8").view([(name, "f8") for name in names])
    with h5py.File(path, "w") as file:
        file["T"] = FIELD
        made = file.create_dataset("z", pairs.shape, h5py.h5t.py_create(pairs.dtype))
        made.write_direct(pairs)
    step = next(staithe.reader(str(path)))
    if names == ("x", "y"):
        assert list(step) == ["T"]
    else:
        np.testing.assert_array_equal(step["z"], [1j, 2 + 3j, 4 + 5j])


def test_elements_in_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        made = file.create_dataset("T", (6,), "f4", external=[(str(tmp_path / "raw"), 0, h5py.h5f.UNLIMITED)])
        made[...] = np.arange(6)
    with pytest.raises(staithe.ProtocolError, match=r"array 'T' has its elements in other files"):
        staithe.reader(str(path))


def test_a_tree_with_the_same_node_on_many_ways_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["T"] = np.arange(3)
    content = bytearray(path.read_bytes())
    tree, end = content.index(b"TREE\0"), len(content)
    bytes_of_node, children, levels = 544, 32, 12
    for level in range(levels, 0, -1):
        address = tree if level == levels else len(content)
        child = end + (levels - level) * bytes_of_node
        pointers = (bytes(8) + child.to_bytes(8, "little")) * children
        node = b"TREE\0" + bytes([level, children, 0]) + b"\xff" * 16 + pointers + bytes(8)
        content[address : address + bytes_of_node] = node
    content += b"TREE\0\0\0\0" + b"\xff" * 16 + bytes(bytes_of_node - 24)
    content[40:48] = len(content).to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(staithe.ProtocolError, match="table of a group"):
        staithe.reader(str(path))


@pytest.mark.parametrize("same", [True, False])
def test_names_that_are_longer_than_all_names_are_refused(tmp_path: Path, same: bool) -> None:
    path = tmp_path / "x.h5"
    long = "a" * 150
    with h5py.File(path, "w") as file:
        for name in (long, *"bcdefgh"):
            file[name] = np.arange(3)
    content = bytearray(path.read_bytes())
    heap = content.index(b"HEAP")
    size, begin = (int.from_bytes(content[heap + at : heap + at + 8], "little") for at in (8, 24))
    if same:  # of each entry of the table, which are 40 bytes
        table = content.index(b"SNOD") + 8
        name_of_all = content.index(long.encode(), begin) - begin
        for entry in range(8):
            content[table + 40 * entry : table + 40 * entry + 8] = name_of_all.to_bytes(8, "little")
    else:
        content[begin : begin + size] = b"a" * size
    path.write_bytes(content)
    with pytest.raises(staithe.ProtocolError, match="table of a group"):
        staithe.reader(str(path))


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("T", data=FIELD, chunks=(1, 6, 10), **hdf5plugin.BZip2())
    with pytest.raises(staithe.ProtocolError, match=r"array 'T' is compressed by the filter 307.*h5repack"):
        staithe.reader(str(path))


def test_nobody_goes_on_with_them(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["T"] = FIELD
    content = path.read_bytes()
    with pytest.raises(staithe.InvalidArgument, match="written by another program"):
        staithe.Recorder(path, resume=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("filters", ["deflate", "lzf", "fletcher32"])
def test_damaged_chunks_are_told(tmp_path: Path, filters: str) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        made = file.create_dataset("T", data=FIELD // 30, chunks=(1, 6, 10), **FILTERS[filters])
        chunk = made.id.get_chunk_info(0)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset : chunk.byte_offset + chunk.size] = np.random.default_rng(3).bytes(chunk.size)
    path.write_bytes(content)
    step = next(staithe.reader(str(path)))
    with pytest.raises(staithe.ProtocolError, match=r"'T'.*damaged"):
        step["T"].read()


@pytest.mark.parametrize("kind", ["earliest", "latest", "netcdf"])
def test_damage_anywhere_harms_nobody(tmp_path: Path, kind: Any) -> None:
    path = tmp_path / "x.h5"
    if kind != "netcdf":
        with h5py.File(path, "w", libver=kind) as file:
            for name, options in FILTERS.items():
                file.create_dataset(f"in/{name}", data=FIELD, chunks=(1, 6, 10), maxshape=(None, 6, 10), **options)
    else:
        data = dataset().assign({f"v{i}": ("x", np.arange(10)) for i in range(12)})
        data["T"].attrs.update({f"a{i}": i for i in range(12)})
        data.to_netcdf(path, engine="netcdf4", unlimited_dims=["time"])
    content = path.read_bytes()
    chance = np.random.default_rng(7)
    opened = 0
    for _ in range(examples(300)):
        damaged = bytearray(content)
        for place in chance.integers(0, len(content), 3):
            damaged[place] = chance.choice([0, 1, 0x7F, 0xFF, int(chance.integers(256))])
        path.write_bytes(damaged)
        try:
            for step in staithe.reader(str(path)):
                for name in step:
                    step[name].read()
            opened += 1
        except staithe.Error:
            pass
    assert opened > 0
