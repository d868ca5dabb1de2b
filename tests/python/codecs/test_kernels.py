"""Files that are compiled for one kind of processor share no function: the linker would keep any one copy of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
OBJECTS = REPOSITORY / "build/package/src/transform/CMakeFiles/staithe_transform.dir/dq"
WEAK_FUNCTION = "W"


@pytest.mark.parametrize(
    ("kernels", "lanes"), [("plain", "PlainLanes"), ("avx2", "Avx2Lanes"), ("avx512", "Avx512Lanes")]
)
def test_functions_that_others_may_have_belong_to_their_lanes(kernels: str, lanes: str) -> None:
    path = OBJECTS / f"kernels_{kernels}.cpp.o"
    if not path.exists():
        pytest.skip(
            f"{path.relative_to(REPOSITORY)} is not there: the C++ tests were not built, or for another processor"
        )
    command = ["nm", "--defined-only", "--demangle", "--format=posix", path]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    parts = [line.rsplit(maxsplit=3) for line in lines]
    weak = [name for name, kind, *_ in parts if kind == WEAK_FUNCTION]
    assert weak
    assert [name for name in weak if lanes not in name] == []
