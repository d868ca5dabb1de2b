"""HDF5 files as version 1.10 and later of its library write them for themselves (`libver="latest"`): NumPy says what is
in them. Chunks are found by five more indices, of which the library takes the one that suits an array."""

from __future__ import annotations

import collections
import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import hypothesis.strategies as st
import numpy as np
import pytest
from files_of_others import FIELD, check_steps
from hypothesis import given, settings
from numpy.typing import NDArray

import staithe
from thoroughness import examples

LIBVERS = [("v110", "v110"), ("latest", "latest")]  # of the message that says where chunks lie versions 4 and 5
FILTERS: dict[str, dict[str, Any]] = {"plain": {}, "filtered": {"shuffle": True, "compression": "gzip"}}


def early() -> h5py.h5p.PropDCID:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    return plist


def compact() -> h5py.h5p.PropDCID:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    return plist


def with_plain_edges() -> h5py.h5p.PropDCID:
    """Chunks that reach beyond the array go through no filters, which h5py has no name for."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((5, 3))
    plist.set_shuffle()
    plist.set_deflate(4)
    (library,) = (Path(h5py.__file__).parent.parent / "h5py.libs").glob("libhdf5-*.so*")
    assert ctypes.CDLL(str(library)).H5Pset_chunk_opts(ctypes.c_int64(plist.id), ctypes.c_uint(2)) == 0
    return plist


@dataclass(frozen=True)
class Case:
    """An array, and what its index looks like in a file, if it has one."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    maxshape: tuple[int | None, ...] | None = None
    has: list[bytes] = field(default_factory=list)
    plist: Callable[[], h5py.h5p.PropDCID] | None = None

    @property
    def has_steps(self) -> bool:
        return self.maxshape is not None and self.maxshape[0] is None


CASES = {
    "the single chunk": Case((6, 10), (6, 10)),
    "implicit": Case((36, 10), (5, 3), plist=early),
    "fixed": Case((36, 10), (5, 3), has=[b"FADB"]),
    "fixed, and may grow": Case((36, 10), (5, 3), (70, 31), [b"FADB"]),
    "fixed, of three pages": Case((60, 90), (1, 2), has=[b"FADB"]),
    "extensible": Case((3, 10), (1, 10), (None, 10), [b"EAIB"]),
    "extensible by several rows": Case((36, 10), (5, 3), (None, 10), [b"EAIB", b"EADB"]),
    "extensible along the last": Case((36, 10), (5, 3), (36, None), [b"EAIB", b"EADB"]),
    "extensible along the middle": Case((7, 12, 5), (2, 5, 2), (9, None, 5), [b"EAIB", b"EADB"]),
    "extensible by many": Case((5000,), (1,), (None,), [b"EASB", b"EADB"]),
    "a tree": Case((36, 10), (5, 3), (None, None), [b"BTLF"]),
    "a tree of two levels": Case((30, 170), (1, 1), (None, None), [b"BTIN"]),
}


def make(path: Path, case: Case, libver: Any, filters: dict[str, Any], fill: int = 0) -> h5py.File:
    file = h5py.File(path, "w", libver=libver)
    dcpl = {"dcpl": case.plist()} if case.plist else {}
    file.create_dataset(
        "T", case.shape, "i4", chunks=case.chunks, maxshape=case.maxshape, fillvalue=fill, **filters, **dcpl
    )
    return file


def check(path: Path, expected: NDArray[Any], has_steps: bool) -> None:
    arrays = expected if has_steps else expected[np.newaxis]
    for array, step in zip(arrays, staithe.reader(str(path)), strict=True):
        np.testing.assert_array_equal(step["T"].read(), array)
        if step.index % 100 == 0:
            box = tuple(slice(length // 3, length) for length in array.shape)
            np.testing.assert_array_equal(step["T"][box], array[box])


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("libver", LIBVERS)
@pytest.mark.parametrize("case", CASES)
def test_chunks_are_found_by_any_index(tmp_path: Path, case: str, libver: Any, filters: str) -> None:
    path, of = tmp_path / "x.h5", CASES[case]
    expected = np.arange(np.prod(of.shape), dtype="i4").reshape(of.shape)
    with make(path, of, libver, FILTERS[filters]) as file:
        file["T"][...] = expected
    content = path.read_bytes()
    assert all(block in content for block in of.has)
    assert b"TREE" not in content
    check(path, expected, of.has_steps)


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("case", CASES)
def test_chunks_that_are_left_out_are_full_of_the_fill_value(tmp_path: Path, case: str, filters: str) -> None:
    path, of = tmp_path / "x.h5", CASES[case]
    expected = np.full(of.shape, 7, "i4")
    chance = np.random.default_rng(11)
    for places in (0, 3):
        with make(path, of, "latest", FILTERS[filters], fill=7) as file:
            for _ in range(places):
                at = tuple(int(chance.integers(length)) for length in of.shape)
                file["T"][at] = expected[at] = chance.integers(100)
        check(path, expected, of.has_steps)


@pytest.mark.parametrize("filters", FILTERS)
def test_arrays_that_grew_step_by_step(tmp_path: Path, filters: str) -> None:
    path, steps = tmp_path / "x.h5", 150
    expected = np.arange(steps * 12, dtype="i4").reshape(steps, 3, 4)
    with h5py.File(path, "w", libver="latest") as file:
        made = file.create_dataset("T", (0, 3, 4), "i4", chunks=(4, 2, 3), maxshape=(None, 3, 4), **FILTERS[filters])
        file.swmr_mode = True
        for i in range(steps):
            made.resize(i + 1, 0)
            made[i] = expected[i]
            made.flush()
    check_steps(path, expected)


@pytest.mark.parametrize("filters", FILTERS)
def test_extensible_arrays_of_so_many_chunks_that_their_blocks_have_pages(tmp_path: Path, filters: str) -> None:
    path, of = tmp_path / "x.h5", Case((4, 70000), (1, 1), (4, None))
    expected = np.zeros(of.shape, "i4")
    with make(path, of, "latest", FILTERS[filters]) as file:
        for column in (0, 1, 40000, 40001, 52345, 69999):
            file["T"][1:3, column] = expected[1:3, column] = column + 1
    check(path, expected, False)


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_any_array_that_grows_any_way(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("any") / "x.h5"
    shape = tuple(data.draw(st.lists(st.integers(1, 24), min_size=1, max_size=3), label="shape"))
    chunks = tuple(data.draw(st.integers(1, length), label="chunk") for length in shape)
    most = tuple(data.draw(st.sampled_from([length, length + 5, None]), label="most") for length in shape)
    case = Case(shape, chunks, most, plist=early if data.draw(st.booleans(), label="early") else None)
    filters = FILTERS[data.draw(st.sampled_from(sorted(FILTERS)), label="filters")]
    expected = np.full(shape, -3, "i4")
    with make(path, case, data.draw(st.sampled_from(LIBVERS), label="libver"), filters, fill=-3) as file:
        for _ in range(data.draw(st.integers(0, 3), label="writes")):
            begin = [data.draw(st.integers(0, length - 1), label="begin") for length in shape]
            box = tuple(
                slice(first, data.draw(st.integers(first + 1, length), label="end"))
                for first, length in zip(begin, shape, strict=True)
            )
            file["T"][box] = expected[box] = np.arange(expected[box].size).reshape(expected[box].shape)
    check(path, expected, case.has_steps)


@pytest.mark.parametrize("maxshape", [(36, 10), (h5py.h5s.UNLIMITED, 10), (h5py.h5s.UNLIMITED,) * 2])
def test_edges_may_be_left_as_they_are(tmp_path: Path, maxshape: tuple[int, int]) -> None:
    path = tmp_path / "x.h5"
    expected = np.arange(360, dtype=">i4").reshape(36, 10)
    with h5py.File(path, "w", libver="latest") as file:
        space = h5py.h5s.create_simple(expected.shape, maxshape)
        made = h5py.h5d.create(file.id, b"T", h5py.h5t.STD_I32BE, space, with_plain_edges())
        h5py.Dataset(made)[...] = expected
        sizes = {made.get_chunk_info(i).size for i in range(made.get_num_chunks())}
    assert 5 * 3 * 4 in sizes, "some are plain"
    assert len(sizes) > 1, "and others not"
    check(path, expected.astype("i4"), maxshape[0] == h5py.h5s.UNLIMITED)


@pytest.mark.parametrize("kind", ["<f4", ">f4", "bool", "complex128"])
@pytest.mark.parametrize("libver", ["earliest", "v108", "latest"])
def test_small_arrays_may_lie_in_headers(tmp_path: Path, libver: Any, kind: str) -> None:
    path = tmp_path / "x.h5"
    arrays = {"T": (FIELD % 3).astype(kind), "scalar": np.array(2, kind), "none": np.zeros((0, 3), kind)}
    with h5py.File(path, "w", libver=libver) as file:
        for name, array in arrays.items():
            made = file.create_dataset(name, data=array, chunks=None, dcpl=compact())
            made.attrs["of"] = name
        file["T"].dims[0].label = "time"
    native = {name: array.astype(array.dtype.newbyteorder("=")) for name, array in arrays.items()}
    check_steps(path, native["T"])
    for step in staithe.reader(str(path)):
        assert step["scalar"][...] == native["scalar"]
        assert step["scalar"].attrs["of"] == "scalar"
        assert step["none"].shape == (0, 3)


def test_dimensions_of_netcdf(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5netcdf.File(path, "w", libver="latest") as file:
        file.dimensions = {"time": None, "y": 6, "x": 10}
        made = file.create_variable("T", ("time", "y", "x"), "f4")
        file.resize_dimension("time", 4)
        made[:] = FIELD
        file.create_variable("in/mask", ("x",), "i1")[:] = np.arange(10)
    check_steps(path, FIELD)
    step = next(staithe.reader(str(path)))
    assert step["T"].attrs["dims"] == ["y", "x"]
    assert step["in/mask"][...].tolist() == list(range(10))


def test_who_has_it_open_to_write_closes_it_first(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["T"] = FIELD
        file.swmr_mode = True
        with pytest.raises(staithe.ProtocolError, match=r"a program has it open to write.*h5clear"):
            staithe.reader(str(path))
    assert "T" in next(staithe.reader(str(path)))


def test_elements_of_other_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    layout = h5py.VirtualLayout((6,), "f4")
    layout[...] = h5py.VirtualSource(str(tmp_path / "y.h5"), "T", (6,))
    with h5py.File(path, "w", libver="latest") as file:
        file.create_virtual_dataset("T", layout)
    with pytest.raises(staithe.ProtocolError, match=r"array 'T' has the elements of others .*virtual"):
        staithe.reader(str(path))


@pytest.mark.parametrize("case", ["fixed, of three pages", "extensible by many", "a tree of two levels"])
def test_damage_of_an_index_is_told(tmp_path: Path, case: str) -> None:
    path, of = tmp_path / "x.h5", CASES[case]
    with make(path, of, "latest", {}) as file:
        file["T"][...] = 1
    content = bytearray(path.read_bytes())
    content[content.index(of.has[-1]) + 40] ^= 1
    path.write_bytes(content)
    reader = staithe.reader(str(path))
    with pytest.raises(staithe.ProtocolError, match=r"array 'T' has an index .*: the \d+ bytes of metadata at \d+"):
        collections.deque(reader, maxlen=0)
