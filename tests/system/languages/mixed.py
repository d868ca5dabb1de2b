"""mixed.py write|read STREAM: three steps of a variable of each dtype, as test_languages.py describes them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import staithe

DTYPES = ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
STEPS = 3


def values_of(name: str, step: int) -> NDArray[Any]:
    k = (np.arange(12).reshape(3, 4) + step) % 12
    dtype = np.dtype(name)
    match dtype.kind:
        case "b":
            return k % 3 == 0
        case "i":
            return ((k - 5) * 2 ** (8 * dtype.itemsize - 5)).astype(dtype)
        case "u":
            return k.astype(dtype) * dtype.type(2 ** (8 * dtype.itemsize - 4))
        case "c":
            return (k / 4 - 1j * k).astype(dtype)
    return (k / 2 if name == "f2" else k / 4 - 1).astype(dtype)


def write(stream: str) -> None:
    with staithe.writer(stream) as out:
        for number in range(STEPS):
            with out.step() as step:
                for name in DTYPES:
                    step.put(name, values_of(name, number), unit="m")
                with step.loan("loan", count=(3, 4), dtype="i8") as loan:
                    loan[...] = 100 * number + np.arange(12).reshape(3, 4)
                step.attrs.update({"time": number / 2, "label": "Å", "numbers": [number, 2]})


def read(stream: str) -> None:
    read = 0
    for number, step in enumerate(staithe.reader(stream)):
        for name in DTYPES:
            array = step[name][...]
            expected = values_of(name, number)
            assert array.dtype == expected.dtype
            np.testing.assert_array_equal(array, expected, err_msg=name)
            assert step[name].unit == "m"
        np.testing.assert_array_equal(step["loan"][...], 100 * number + np.arange(12).reshape(3, 4))
        assert dict(step.attrs) == {"time": number / 2, "label": "Å", "numbers": [number, 2]}
        read += 1
    assert read == STEPS


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
