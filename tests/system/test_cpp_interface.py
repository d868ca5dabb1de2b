"""What the C++ interface refuses at compile time, and how that reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import staithe

PROGRAM = """
#include <forward_list>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

std::vector<double> made();

void use(staithe::WriteStep& step, staithe::Variable& variable, double* pointer, const std::vector<double>& constant) {{
    std::vector<double> values(12);
    {statement};
}}
"""

NO_ARRAY = "no array of numbers that lie one after the other"


def compile_(statement: str, folder: Path) -> str:
    """What the compiler has to say of a program with that statement."""
    (folder / "program.cpp").write_text(PROGRAM.format(statement=statement))
    include = Path(staithe.__file__).parent / "include"
    command = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", f"-I{include}", str(folder / "program.cpp")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    "statement",
    [
        'step.put("u", made())',
        'step.put("u", values, {3, 4})',
        'step.put("u", pointer, {values.size(), 1})',
        "variable.read(values)",
        "std::vector<double> all = variable.read<double>()",
        "auto view = staithe::view_of(values)",
    ],
)
def test_what_means_something_compiles(statement: str, tmp_path: Path) -> None:
    assert [line for line in compile_(statement, tmp_path).splitlines() if "error:" in line] == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('step.put("u", std::forward_list<double>())', NO_ARRAY),
        ('step.put("u", std::vector<bool>(3))', NO_ARRAY),
        ('step.put("u", std::vector<std::vector<double>>())', NO_ARRAY),
        ('step.put("u", std::string("text"))', "text is no array: make it an attribute"),
        ('step.put("u", "text")', "text is no array: make it an attribute"),
        ('step.put("u", pointer)', "a pointer does not say how many numbers there are: give the shape, too"),
        ("staithe::ArrayView view = staithe::view_of(made())", "the view of a temporary would dangle: give it a name"),
        ("staithe::ArrayView view = staithe::view_of(3.0)", "the view of a temporary would dangle: give it a name"),
        ("variable.read(constant)", "the destination is constant"),
    ],
)
def test_what_means_nothing_is_refused_in_words(statement: str, message: str, tmp_path: Path) -> None:
    errors = [line for line in compile_(statement, tmp_path).splitlines() if "error:" in line]
    assert any(message in line for line in errors), errors
