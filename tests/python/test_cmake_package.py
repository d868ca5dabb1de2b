"""The installed package serves C++ programs: headers, library and CMake config."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import staithe

PACKAGE = Path(staithe.__file__).parent

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(staithe 0.1 REQUIRED)
add_executable(consumer main.cpp {headers})
target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(consumer PRIVATE staithe::staithe)
"""

# The library throws, the program catches by the class of the error: both must agree on what that class is.
MAIN = """
#include <cstdio>

#include <staithe/staithe.hpp>

int main() {
    try {
        staithe::describe("no-such-stream", 0.05);
    } catch (const staithe::NotFound&) {
        std::puts("not found");
    }
}
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program in a project of its own, that includes each public header first in a file of its own."""
    project = tmp_path_factory.mktemp("consumer")
    headers = [path.name for path in (PACKAGE / "include" / "staithe").glob("*.hpp") if path.name != "mpi.hpp"]
    for header in headers:
        (project / f"{header}.cpp").write_text(f"#include <staithe/{header}>\n")
    (project / "main.cpp").write_text(MAIN)
    (project / "CMakeLists.txt").write_text(PROJECT.format(headers=" ".join(f"{name}.cpp" for name in headers)))
    build = project / "build"
    for command in (
        ["cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={PACKAGE}"],
        ["cmake", "--build", build, "--parallel", "2"],
    ):
        step = subprocess.run(command, capture_output=True, text=True, check=False)
        assert step.returncode == 0, step.stdout + step.stderr
    return build / "consumer"


def test_find_package_gives_a_program_that_runs(consumer: Path, tmp_path: Path) -> None:
    run = subprocess.run([consumer], env={"STAITHE_RUN_DIR": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert run.stdout == "not found\n"
