"""What libstaithe.so shows to programs: the functions of staithe.h, and what is named staithe:: in C++."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import staithe
from c_header import read_header

LIBRARY = max((Path(staithe.__file__).parent / "lib").glob("libstaithe.so.*"))


@pytest.fixture(scope="module")
def symbols() -> list[str]:
    """The demangled names of all symbols that the library defines for others."""
    command = ["nm", "--dynamic", "--defined-only", "--demangle", "--format=posix", LIBRARY]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.rsplit(maxsplit=3)[0] for line in listing.splitlines()]


def test_the_c_functions_are_those_of_the_header(symbols: list[str]) -> None:
    exported = {name for name in symbols if name.startswith("staithe_")}
    assert exported == {function.name for function in read_header().functions}


def test_whatever_else_there_is_is_named_staithe(symbols: list[str]) -> None:
    own = ("staithe_", "staithe::", "typeinfo for staithe::", "typeinfo name for staithe::", "vtable for staithe::")
    assert [name for name in symbols if not name.startswith(own)] == []
    assert any(name.startswith("staithe::Writer::") for name in symbols)
