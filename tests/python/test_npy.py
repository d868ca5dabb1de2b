"""Readers of folders of .npy files, with NumPy as the oracle."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.lib import format as npy_format
from numpy.typing import NDArray

import staithe
from thoroughness import examples

KINDS = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"),
]


@st.composite
def arrays_and_parts(draw: st.DrawFn) -> tuple[NDArray[Any], Any]:
    """An array of any dtype and order, and what to select of it."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7))
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    array = np.asarray(numbers, dtype=draw(st.sampled_from(KINDS)), order=draw(st.sampled_from("CF")))
    return array, draw(hnp.basic_indices(shape, allow_newaxis=False)) if shape else ()


@settings(max_examples=examples(300))
@given(arrays_and_parts(), st.sampled_from([(1, 0), (2, 0), (3, 0)]))
def test_what_is_read_is_what_numpy_saved(array_and_part: tuple[NDArray[Any], Any], version: tuple[int, int]) -> None:
    array, part = array_and_part
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "x_7.npy").open("wb") as file:
            npy_format.write_array(file, array, version=version)
        with staithe.reader(folder, placement="npy") as steps:
            (step,) = steps
            assert step.index == 7
            read = step["x"][part]
            assert step["x"].dtype == array.dtype
            assert step["x"].shape == array.shape
    np.testing.assert_array_equal(read, array[part])


def test_a_folder_a_step_or_a_file_a_step(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"step_{n}").mkdir()
        np.save(tmp_path / f"step_{n}" / "T.npy", np.full((2, 3), n))
        np.save(tmp_path / f"step_{n}" / "p.npy", np.full(5, -n))
    np.save(tmp_path / "step_10.npy", np.arange(4))
    seen = [(step.index, list(step)) for step in staithe.reader(str(tmp_path), placement="npy")]
    assert seen == [(0, ["T", "p"]), (1, ["T", "p"]), (2, ["T", "p"]), (10, ["step"])]


def test_a_program_for_a_stream_reads_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "0.npy", np.arange(4))
    monkeypatch.setenv("STAITHE_STREAMS", f'{{"heat": {{"placement": "npy", "folder": "{tmp_path}"}}}}')
    (step,) = staithe.reader("heat")
    assert step["data"][1:3].tolist() == [1, 2]


def test_a_selection_reads_only_what_it_needs(tmp_path: Path) -> None:
    """A file of 32 GiB, of which the file system has a few blocks."""
    shape = (1 << 16, 1 << 16)
    large = npy_format.open_memmap(tmp_path / "x_0.npy", mode="w+", dtype="f8", shape=shape)
    large[40_000, 1000:1003] = (1, 2, 3)
    large.flush()
    (step,) = staithe.reader(str(tmp_path), placement="npy")
    assert step["x"][40_000, 999:1004].tolist() == [0, 1, 2, 3, 0]
    assert step["x"][::20_000, 1001].tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.arange(3, dtype=">f8"), r"big-endian \('>f8'\)"),
        (np.array(["a"]), "'<U1', which Staithe has no dtype for"),
        (np.zeros(2, dtype=[("a", "f8")]), "structured"),
        (np.array([None]), r"'\|O'"),
        (np.zeros((1,) * 9), "9 dimensions"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, array: NDArray[Any], why: str) -> None:
    np.save(tmp_path / "x_0.npy", array)
    with pytest.raises(staithe.ProtocolError, match=f"x_0.npy.*{why}"):
        next(staithe.reader(str(tmp_path), placement="npy"))


def test_nobody_writes_there(tmp_path: Path) -> None:
    with pytest.raises(staithe.InvalidArgument, match="placement 'npy' is for readers"):
        staithe.writer(str(tmp_path), placement="npy")  # type: ignore[arg-type]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(staithe.NotFound, match="no folder"):
        staithe.reader(str(tmp_path / "nowhere"), placement="npy")
    with pytest.raises(staithe.NotFound, match=r"0007/pressure\.npy"):
        staithe.reader(str(tmp_path), placement="npy")
