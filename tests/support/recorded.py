"""What tests of recordings share: streams that are recorded, and what stock tools find in the files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin  # noqa: F401  # with it h5py reads what is compressed
import numpy as np
import zarr
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

import staithe
import staithe.codecs.hdf5

KINDS = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
STREAM = "recorded"


def put_in_parts(step: staithe.WriteStep, name: str, array: NDArray[Any], cuts: list[int]) -> None:
    """The array in blocks along its first dimension, in the order that it has."""
    if array.ndim == 0 or not cuts:
        step.put(name, array)
        return
    for begin, end in zip([0, *cuts], [*cuts, array.shape[0]], strict=True):
        step.put(name, array[begin:end], offset=(begin,) + (0,) * (array.ndim - 1), shape=array.shape)


def record(
    path: Path,
    steps: list[dict[str, NDArray[Any]]],
    cuts: list[int],
    *,
    error: str | dict[str, str] | None = None,
    codec: str | None = None,
    resume: bool = False,
    **attrs: Any,
) -> None:
    """By a stream of this process; to go on is to leave out what is there."""
    with (
        staithe.writer(STREAM, timeout=20) as out,
        staithe.reader(STREAM, timeout=20) as live,
        staithe.Recorder(path, attrs=attrs, error=error, codec=codec, resume=resume) as recorder,
    ):
        for variables in steps:
            with out.step() as step:
                for name, array in variables.items():
                    put_in_parts(step, name, array, cuts)
            if (got := next(live)).index > (-1 if recorder.newest is None else recorder.newest):
                recorder.append(got)


def make_by_zarr(
    path: Path,
    separator: str,
    compressors: Any = None,
    chunks: tuple[int, ...] = (1, 1, 2),
    shards: tuple[int, ...] | None = None,
    shards_of_numbers: tuple[int, ...] | None = None,
) -> None:
    """A store that another program has written as a recorder might."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that consolidated metadata are no part of the specification yet
        group = zarr.create_group(path)
        for name, array, cut in [
            ("step", np.array([0, 1]), (2,)),
            ("x", np.arange(12.0).reshape(2, 3, 2), chunks),
        ]:
            group.create_array(
                name,
                data=array,
                chunks=cut,
                shards=shards if name == "x" else shards_of_numbers,
                compressors=compressors if name == "x" else None,
                dimension_names=["step", "y", "z"][: array.ndim],
                chunk_key_encoding={"name": "default", "separator": separator},
            )
        zarr.consolidate_metadata(path)


@st.composite
def contents(draw: st.DrawFn) -> tuple[list[dict[str, NDArray[Any]]], list[int]]:
    """Steps of two variables of one shape, and where to cut them."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=2))
    order = draw(st.sampled_from("CF"))
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    kind_of = dict(zip(["u", "in/v"], kinds, strict=True))
    steps = [
        {name: np.asarray(numbers + i, dtype=kind, order=order) for name, kind in kind_of.items()}
        for i in range(draw(st.integers(1, 4)))
    ]
    cuts = draw(st.sets(st.integers(1, shape[0] - 1), max_size=3)) if shape and shape[0] > 1 else set()
    return steps, sorted(cuts)


@dataclass(frozen=True)
class Stock:
    """What a tool of the format says of an array, or a group."""

    elements: NDArray[Any]
    attrs: Mapping[str, Any]


class StockFile:
    """A recording, by the tools of its format."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def __getitem__(self, name: str) -> Stock:
        node = self._root[name]
        is_array = hasattr(node, "dtype")
        return Stock(np.asarray(node) if is_array else np.empty(0), dict(node.attrs))


@contextmanager
def by_stock_tools(path: Path) -> Iterator[StockFile]:
    """Opens a recording with zarr or h5py."""
    if path.suffix == ".zarr":
        yield StockFile(zarr.open_group(path, mode="r"))
        return
    with _open_hdf5(path) as root:
        yield StockFile(root)


def numbers_there(path: Path) -> list[int]:
    """Of the steps that stock tools and ours find in a recording, each with an `x` of its number."""
    numbers = []
    for step in staithe.reader(str(path)):
        assert (step["x"][...] == step.index).all()
        numbers.append(step.index)
    with by_stock_tools(path) as stock:
        along = list(stock["step"].elements)
        np.testing.assert_array_equal(stock["x"].elements[:, 39, 49], along)
    assert set(along) <= set(numbers)
    return numbers


def _open_hdf5(path: Path) -> Any:
    """HDF5's library asks how large a file is, and then reads how large it should be: a step may come in between."""
    try:
        return h5py.File(path)
    except OSError as error:
        if "truncated file" not in str(error):
            raise
        return h5py.File(path)


def check_error(before: NDArray[Any], after: NDArray[Any], number: float, what: str) -> None:
    if before.dtype not in ("f4", "f8", "c8", "c16"):
        np.testing.assert_array_equal(after, before)
        return
    if before.dtype.kind == "c":
        # A part that is no finite number is kept; its other part may have an error as any other number has.
        whole, there = (np.stack([array.real, array.imag]) for array in (before, after))
    else:
        whole, there = before, after
    finite = np.isfinite(whole)
    np.testing.assert_array_equal(there[~finite], whole[~finite])
    wide, near = (np.where(finite, array, 0).astype("f8") for array in (whole, there))
    if what == "pw_rel":
        assert (np.abs(near - wide) <= number * np.abs(wide)).all()
        return
    numbers = whole[finite].astype("f8")
    most = number * (np.ptp(numbers) if what == "rel" and numbers.size else 1.0)
    errors = np.hypot(*(near - wide)) if before.dtype.kind == "c" else np.abs(near - wide)
    assert (errors <= most * (1 + 1e-9)).all()
