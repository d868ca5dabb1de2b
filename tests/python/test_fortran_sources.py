"""The generated Fortran modules are those that the generators make of the C header as it is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

import fortran_generics
import fortran_interfaces
from c_header import HEADER, Declarator, read_header


@pytest.mark.parametrize("generator", [fortran_generics, fortran_interfaces], ids=lambda module: module.__name__)
def test_generated_modules_are_up_to_date(generator: ModuleType) -> None:
    assert generator.OUTPUT.read_text() == generator.source(), f"run tools/{generator.__name__}.py"


def test_every_constant_has_the_value_that_the_compiler_sees(tmp_path: Path) -> None:
    numbers = read_header().numbers
    lines = [f'    printf("{name} %d\\n", {name});' for name in numbers]
    source = tmp_path / "constants.c"
    text = ["#include <staithe/staithe.h>", "#include <stdio.h>", "int main(void) {", *lines, "    return 0;", "}", ""]
    source.write_text("\n".join(text))
    program = tmp_path / "constants"
    subprocess.run(["cc", f"-I{HEADER.parents[1]}", source, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert dict(line.split() for line in printed.splitlines()) == {name: str(value) for name, value in numbers.items()}


def test_the_header_is_read_in_full() -> None:
    text = HEADER.read_text()
    header = read_header()
    assert len(header.functions) == text.count("\nSTAITHE_API ")
    put = next(function for function in header.functions if function.name == "staithe_write_step_put")
    assert put.parameters[2] == Declarator("void", 1, True, "data")
    assert header.structures["staithe_recorder_options"][4] == Declarator("char", 2, True, "variables")
    assert header.structures["staithe_selection"][1] == Declarator(
        "int64_t", 0, False, "start", "STAITHE_MAX_DIMENSIONS"
    )


def test_what_is_no_such_header_is_refused() -> None:
    with pytest.raises(ValueError, match="does not understand: struct"):
        read_header("struct staithe_odd { int n; };")


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran")
def test_the_modules_are_fortran_2008(tmp_path: Path) -> None:
    folder = fortran_generics.OUTPUT.parent
    names = (folder / "sources.txt").read_text().split()
    assert {path.name for path in folder.glob("*.f90")} == {*names, "staithe_mpi.f90"}
    command = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, *(folder / name for name in names)], cwd=tmp_path, check=True)
