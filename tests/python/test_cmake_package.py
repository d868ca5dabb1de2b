"""The installed package serves C and C++ programs: headers, library and CMake config."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import staithe

PACKAGE = Path(staithe.__file__).parent
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
MPICC, MPIEXEC = shutil.which("mpicc", path=PATH), shutil.which("mpiexec", path=PATH)

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


C_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(staithe REQUIRED)
add_executable(consumer main.c)
set_target_properties(consumer PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(consumer PRIVATE staithe::staithe)
"""

C_MAIN = """
#include <staithe/staithe.h>

#include <stdio.h>

int main(void) {
    char* json = NULL;
    puts(staithe_status_name(staithe_describe("no-such-stream", 0.05, &json)));
    return staithe_abi_version() != STAITHE_ABI_VERSION;
}
"""


MPI_MAIN = """
#include <staithe/mpi.h>

#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    staithe_group group;
    int failed = staithe_group_from_mpi(MPI_COMM_WORLD, &group);
    printf("%d %d %s\\n", (int)group.rank, (int)group.size, group.id);
    MPI_Finalize();
    return failed;
}
"""


def build(project: Path) -> Path:
    for command in (
        ["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={PACKAGE}"],
        ["cmake", "--build", project / "build", "--parallel", "2"],
    ):
        step = subprocess.run(command, capture_output=True, text=True, check=False)
        assert step.returncode == 0, step.stdout + step.stderr
    return project / "build" / "consumer"


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program in a project of its own, that includes each public header first in a file of its own."""
    project = tmp_path_factory.mktemp("consumer")
    headers = [path.name for path in (PACKAGE / "include" / "staithe").glob("*.h*") if path.stem != "mpi"]
    assert {"staithe.h", "staithe.hpp"} < set(headers)
    for header in headers:
        (project / f"{header}.cpp").write_text(f"#include <staithe/{header}>\n")
    (project / "main.cpp").write_text(MAIN)
    (project / "CMakeLists.txt").write_text(PROJECT.format(headers=" ".join(f"{name}.cpp" for name in headers)))
    return build(project)


def test_find_package_gives_a_program_that_runs(consumer: Path, tmp_path: Path) -> None:
    run = subprocess.run([consumer], env={"STAITHE_RUN_DIR": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert run.stdout == "not found\n"


def test_a_project_in_c_alone_finds_it_too(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(C_MAIN)
    (tmp_path / "CMakeLists.txt").write_text(C_PROJECT)
    program = build(tmp_path)
    run = subprocess.run([program], env={"STAITHE_RUN_DIR": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert run.stdout == "not_found\n"


def test_the_commands_of_config_build_a_program(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(C_MAIN)
    command = 'cc -std=c99 -Werror main.c $("$STAITHE" config --cflags --libs) -o consumer && ./consumer'
    environment = os.environ | {"STAITHE": str(Path(sys.executable).parent / "staithe")}
    run = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.stdout == "not_found\n", run.stderr


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="there is no pkg-config")
@pytest.mark.parametrize(
    ("compiler", "name", "text"), [("cc -std=c99", "main.c", C_MAIN), ("c++ -std=c++20", "main.cpp", MAIN)]
)
def test_pkg_config_alone_builds_a_program_wherever_the_package_lies(
    compiler: str, name: str, text: str, tmp_path: Path
) -> None:
    package = tmp_path / "moved"
    for folder in ("include", "lib"):
        shutil.copytree(PACKAGE / folder, package / folder)
    (tmp_path / name).write_text(text)
    command = f"{compiler} -Werror {name} $(pkg-config --cflags --libs staithe) -o consumer && ./consumer"
    environment = os.environ | {"PKG_CONFIG_PATH": str(package / "lib" / "pkgconfig")}
    run = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.stdout in ("not_found\n", "not found\n"), run.stderr
    linked = subprocess.run(["ldd", tmp_path / "consumer"], capture_output=True, text=True, check=True).stdout
    assert str(package.resolve()) in str([Path(word).resolve() for word in linked.split() if "libstaithe" in word])
    version = subprocess.run(["pkg-config", "--modversion", "staithe"], env=environment, capture_output=True, text=True)
    assert version.stdout == f"{staithe.__version__}\n"


@pytest.mark.skipif(MPICC is None, reason="there is no mpicc")
def test_groups_of_mpi_ranks_in_c_agree_on_their_id(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(MPI_MAIN)
    assert MPICC is not None and MPIEXEC is not None
    flags = [f"-I{PACKAGE}/include", f"-L{PACKAGE}/lib", f"-Wl,-rpath,{PACKAGE}/lib", "-lstaithe"]
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([MPICC, *strict, "main.c", *flags, "-o", "consumer"], cwd=tmp_path, check=True)
    run = subprocess.run([MPIEXEC, "-n", "3", tmp_path / "consumer"], capture_output=True, text=True, check=True)
    ranks, sizes, ids = zip(*(line.split() for line in run.stdout.splitlines()), strict=True)
    assert sorted(ranks) == ["0", "1", "2"]
    assert set(sizes) == {"3"}
    assert len(set(ids)) == 1
