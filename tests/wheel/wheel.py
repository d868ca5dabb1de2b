"""An installation from the wheel, on a machine that has Python and nothing to build with (tools/try_wheel.py).

The name is no test's, so that these tests run there alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import carried
import staithe

PACKAGE = Path(staithe.__file__).parent
CARRIED = sorted(file.name for file in (PACKAGE / "lib").glob("lib*.so.*") if not file.name.startswith("libstaithe"))


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", ["cc", "c++", "gcc", "g++", "clang", "gfortran", "ld", "as", "cmake", "make"])
def test_there_is_nothing_to_build_with(program: str) -> None:
    assert shutil.which(program) is None


@pytest.mark.parametrize("library", CARRIED)
def test_the_machine_has_none_of_the_libraries(library: str) -> None:
    # In a process that has not loaded Staithe's.
    load = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r})"]
    errors = subprocess.run(load, capture_output=True, text=True, check=False).stderr
    assert f"{library}: cannot open shared object file" in errors


def test_all_codecs_are_there() -> None:
    assert {codec.name: codec.missing for codec in staithe.codecs.list() if codec.missing} == {}


@pytest.mark.parametrize("codec", [codec.name for codec in staithe.codecs.list() if not codec.missing])
def test_a_codec_works(codec: str) -> None:
    field = np.sin(np.linspace(0, 10, 4096).reshape(64, 64))
    decoded = staithe.codecs.decode(staithe.codecs.encode(field, codec, abs=1e-4))
    assert np.abs(decoded - field).max() <= 1e-4


def test_what_it_carries_has_its_licence() -> None:
    assert list(carried.lacking(PACKAGE, carried.licences(metadata.distribution("staithe")))) == []


def test_the_build_has_put_every_library_in() -> None:
    # Where auditwheel puts those that cmake/StaitheLibrary.cmake forgot.
    assert not PACKAGE.with_name("staithe.libs").exists()


def test_the_commands_run() -> None:
    assert run("staithe", "--version") == f"{staithe.__version__}\n"
    assert run("staithe", "doctor").startswith("all is well")
