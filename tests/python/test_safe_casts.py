"""What is read as another dtype: NumPy says which casts are safe, and what they give. Through the C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import staithe

DTYPES = ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
OK, INVALID_ARGUMENT = 0, 1


def values_of(name: str) -> NDArray[Any]:
    """The largest, the smallest and the oddest numbers of a dtype; all of them where there are few."""
    dtype = np.dtype(name)
    match dtype.kind:
        case "b":
            return np.array([False, True])
        case "i" | "u":
            least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            if dtype.itemsize == 1:
                return np.arange(least, most + 1).astype(dtype)
            return np.array([least, least + 1, 0, 1, 12345, most - 1, most], dtype)
        case "c":
            part = values_of(f"f{dtype.itemsize // 2}")
            numbers = np.empty(len(part), dtype)
            numbers.real, numbers.imag = part, part[::-1]
            return numbers
    if name == "f2":
        return np.arange(2**16, dtype=np.uint16).view(dtype)
    info = np.finfo(dtype)
    odd = [0.0, -0.0, 1.5, -1 / 3, info.max, info.min, info.tiny, info.smallest_subnormal, np.inf, -np.inf, np.nan]
    return np.array(odd, dtype)


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(max((Path(staithe.__file__).parent / "lib").glob("libstaithe.so.*"))))
    library.staithe_last_error.restype = ctypes.c_char_p
    return library


@pytest.fixture(scope="module")
def variables(library: ctypes.CDLL) -> Iterator[dict[str, ctypes.c_void_p]]:
    """Handles of variables that hold the values of each dtype."""
    found = {name: ctypes.c_void_p() for name in DTYPES}
    reader, step = ctypes.c_void_p(), ctypes.c_void_p()
    with staithe.writer("casts") as out:
        with out.step() as written:
            for name in DTYPES:
                written.put(name, values_of(name))
        assert library.staithe_reader_open(b"casts", None, ctypes.byref(reader)) == OK
        assert library.staithe_reader_next(reader, ctypes.c_double(10), ctypes.byref(step)) == OK
        for name, variable in found.items():
            assert library.staithe_read_step_variable(step, name.encode(), ctypes.byref(variable)) == OK
        yield found
        for variable in found.values():
            library.staithe_variable_free(ctypes.byref(variable))
        library.staithe_read_step_release(ctypes.byref(step))
        library.staithe_reader_free(ctypes.byref(reader))


@pytest.mark.parametrize("wanted", DTYPES)
@pytest.mark.parametrize("given", DTYPES)
def test_safe_casts_give_what_numpy_gives(
    given: str, wanted: str, library: ctypes.CDLL, variables: dict[str, ctypes.c_void_p]
) -> None:
    values = values_of(given)
    result = np.zeros((len(values), 2), wanted)  # read into its second column: with a gap between the elements
    status = library.staithe_variable_read(
        variables[given],
        None,
        DTYPES.index(wanted),
        ctypes.c_void_p(result[:, 1].ctypes.data),
        (ctypes.c_int64 * 1)(result.strides[0]),
    )
    if np.can_cast(given, wanted, "safe"):
        assert status == OK, library.staithe_last_error()
        with np.errstate(invalid="ignore"):
            expected = values.astype(wanted)
        np.testing.assert_array_equal(result[:, 1], expected)
        np.testing.assert_array_equal(np.signbit(result[:, 1].real), np.signbit(expected.real))
        assert not result[:, 0].any()
    else:
        assert status == INVALID_ARGUMENT
        message = library.staithe_last_error().decode()
        assert message.startswith(f"variable '{given}' is {given}: as {wanted} ")
        assert message.endswith(f"would be lost. Read it as {given}, and convert that")
        assert not result.any()
