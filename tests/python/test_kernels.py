"""Files that are compiled for one kind of processor share no function: the linker would keep any one copy of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
OBJECTS = REPOSITORY / "build/package/src"
OF_TRANSFORM = "transform/CMakeFiles/staithe_transform.dir/dq/kernels_{}.cpp.o"
OF_ARRAY = "array/CMakeFiles/staithe_array.dir/line_kernels_{}.cpp.o"
WEAK_FUNCTION = "W"


def weak_functions(name: str) -> list[str]:
    """The functions of an object file that other files may have, too."""
    path = OBJECTS / name
    if not path.exists():
        pytest.skip(
            f"{path.relative_to(REPOSITORY)} is not there: the C++ tests were not built, or for another processor"
        )
    command = ["nm", "--defined-only", "--demangle", "--format=posix", path]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    parts = [line.rsplit(maxsplit=3) for line in lines]
    return [name for name, kind, *_ in parts if kind == WEAK_FUNCTION]


@pytest.mark.parametrize(
    ("kernels", "lanes"), [("plain", "PlainLanes"), ("avx2", "Avx2Lanes"), ("avx512", "Avx512Lanes")]
)
def test_codecs_functions_that_others_may_have_belong_to_their_lanes(kernels: str, lanes: str) -> None:
    weak = weak_functions(OF_TRANSFORM.format(kernels))
    assert weak
    assert [name for name in weak if lanes not in name] == []


@pytest.mark.parametrize("width", ["sse2", "avx2", "avx512"])
def test_copies_for_one_width_of_registers_have_no_function_that_others_may_have(width: str) -> None:
    assert weak_functions(OF_ARRAY.format(width)) == []
