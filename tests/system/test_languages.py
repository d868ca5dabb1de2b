"""Writers and readers of any language mix: each pair moves every dtype, and NumPy says what is right.

The programs in languages/ write and read the same steps as this file does: shape (3, 4), at place k (counted row by
row) a value that follows from k + step, for each dtype; a loan; a unit; attributes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import staithe

LANGUAGES = ("python", "c", "cpp", "fortran")
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


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command of each language's program."""
    build = tmp_path_factory.mktemp("languages")
    sources = Path(__file__).parent / "languages"
    package = Path(staithe.__file__).parent
    for command in (
        ["cmake", "-S", sources, "-B", build, f"-DCMAKE_PREFIX_PATH={package}", "-DCMAKE_BUILD_TYPE=Debug"],
        ["cmake", "--build", build, "--parallel", "2"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    commands = {language: [str(build / f"mixed_{language}")] for language in LANGUAGES}
    return commands | {"python": [sys.executable, __file__]}


def start(command: list[str], what: str, stream: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, what, stream], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ
    )


@pytest.mark.parametrize("reader", LANGUAGES)
@pytest.mark.parametrize("writer", LANGUAGES)
def test_every_dtype_arrives(writer: str, reader: str, programs: dict[str, list[str]], stream: str) -> None:
    if "fortran" in (writer, reader) and shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    ends = [start(programs[writer], "write", stream), start(programs[reader], "read", stream)]
    outputs = [end.communicate(timeout=60)[0] for end in ends]
    assert outputs == ["", ""]
    assert [end.returncode for end in ends] == [0, 0]


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran")
def test_the_fortran_module_at_its_edges(programs: dict[str, list[str]]) -> None:
    program = Path(programs["fortran"][0]).with_name("behaviour_fortran")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
