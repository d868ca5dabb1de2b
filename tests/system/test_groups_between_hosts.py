"""Groups of MPI ranks on several hosts that share nothing: no directory, no key, no address."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import CHECKOUT, Host, Program, line_of, network, result_of, skip_reason

pytest.importorskip("mpi4py")
BIN = Path(sys.executable).parent
PATH = f"{BIN}{os.pathsep}{os.environ['PATH']}"
MPIEXEC = shutil.which("mpiexec.hydra", path=PATH)
MPICC, MPICXX = shutil.which("mpicc", path=PATH), shutil.which("mpicxx", path=PATH)
pytestmark = [
    pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason())),
    pytest.mark.skipif(MPIEXEC is None, reason="ranks are started on other hosts by MPICH's mpiexec here"),
]
SHELL = CHECKOUT / "tests" / "support" / "remote_shell.py"
NOTHING_CHOSEN = {"STAITHE_RUN_DIR": ""}

WRITER = """
import sys
import numpy as np
from mpi4py import MPI
import staithe

comm = MPI.COMM_WORLD
if "turned around" in sys.argv:
    comm = comm.Split(0, key=-comm.rank)
with staithe.writer("field", group=comm, timeout=30, attrs={"ranks": comm.size}) as out:
    for index in range(5):
        with out.step() as step:
            mine = np.full((2, 10_000), 10.0 * index + comm.rank)
            step.put("u", mine, offset=(2 * comm.rank, 0), shape=(2 * comm.size, 10_000))
print("closed")
"""
READER = """
import staithe

steps = 0
for step in staithe.reader("field", timeout=30):
    assert step["u"][:, 7].tolist() == [10.0 * step.index + row // 2 for row in range(len(step["u"][:, 7]))]
    steps += 1
print(f"{steps} steps")
"""
READERS = """
import numpy as np
from mpi4py import MPI
import staithe

comm = MPI.COMM_WORLD
total = 0.0
for step in staithe.reader("field", group=comm, timeout=30):
    total += comm.allreduce(float(step["u"].read(share="count").mean())) / comm.size
if comm.rank == 0:
    print("mean", total / 5)
"""


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", shared=tmp_path) as made:
        for host in made:
            assert line_of(host.popen([sys.executable, str(SHELL), "serve"], env={"STAITHE_RUN_DIR": ""})) == "ready"
        yield made


def mpiexec(host: Host, ranks: int, command: list[str], hosts: str, **env: str) -> Program:
    launcher = {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": str(SHELL)}
    started = [str(MPIEXEC), "-hosts", hosts, "-n", str(ranks), *command]
    return host.popen(started, env=launcher | NOTHING_CHOSEN | env)


def python(tmp_path: Path, name: str, text: str) -> list[str]:
    (tmp_path / name).write_text(text)
    return [sys.executable, "-m", "mpi4py", str(tmp_path / name)]


@pytest.mark.parametrize("order", ["in order", "turned around"])
def test_ranks_find_rank_0_and_a_reader_of_its_host_reads_all(hosts: list[Host], tmp_path: Path, order: str) -> None:
    writer = mpiexec(hosts[0], 3, [*python(tmp_path, "writer.py", WRITER), order], "alpha,beta")
    # The last one is on alpha, too, and rank 0 if they are turned around.
    assert hosts[0].run([sys.executable, "-c", READER], env=NOTHING_CHOSEN) == "5 steps"
    assert result_of(writer).count("closed") == 3  # their lines may be mixed


def test_groups_of_both_sides_need_one_host_in_common(hosts: list[Host], tmp_path: Path) -> None:
    writer = mpiexec(hosts[0], 2, python(tmp_path, "writer.py", WRITER), "alpha,beta")
    readers = mpiexec(hosts[0], 2, python(tmp_path, "readers.py", READERS), "alpha,beta")
    assert result_of(readers) == "mean 20.5"
    assert result_of(writer).count("closed") == 2


def test_ranks_that_chose_directories_of_their_own(hosts: list[Host], tmp_path: Path) -> None:
    """Each has a key of its own, and rank 0's is taken."""
    each = "import os, staithe, sys; exec(open(sys.argv[1]).read())"
    words = python(tmp_path, "writer.py", WRITER)[-1]
    command = ["sh", "-c", f"STAITHE_RUN_DIR=/run/$PMI_RANK {sys.executable} -c {shlex.quote(each)} {words}"]
    for host in hosts:
        host.run(
            [
                "sh",
                "-c",
                "mkdir -m 700 /run/0 /run/1 && head -c 32 /dev/urandom | od -An -tx1 -v | tr -d ' \\n' "
                ">/run/1/key && chmod 600 /run/1/key",
            ]
        )
    writer = mpiexec(hosts[0], 2, command, "alpha,beta")
    assert hosts[0].run([sys.executable, "-c", READER], env={"STAITHE_RUN_DIR": "/run/0"}) == "5 steps"
    assert result_of(writer).count("closed") == 2


def test_no_port_is_opened_where_that_is_off(hosts: list[Host], tmp_path: Path) -> None:
    command = python(tmp_path, "writer.py", WRITER.replace("timeout=30", "timeout=2"))
    writer = mpiexec(hosts[0], 2, command, "alpha,beta", STAITHE_LISTEN="off")
    said = "".join(writer.communicate(timeout=60))
    assert writer.returncode != 0
    assert "no program has opened stream 'field' for writing" in said


C_MAIN = """
#include <staithe/mpi.h>

#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    staithe_writer_options options;
    staithe_writer_options_init(&options, sizeof options);
    options.timeout = 30;
    staithe_group_from_mpi(MPI_COMM_WORLD, &options.group);
    if (options.group.rank == 0) {
        sleep(1);  // the others look for it meanwhile
    }
    staithe_writer* out = NULL;
    int failed = staithe_writer_open("field", &options, &out);
    for (int index = 0; index < 5 && !failed; ++index) {
        static double mine[2][10000];
        for (int i = 0; i < 20000; ++i) {
            (&mine[0][0])[i] = 10.0 * index + options.group.rank;
        }
        staithe_write_step* step = NULL;
        failed = staithe_writer_begin_step(out, STAITHE_UNSET, &step);
        const int64_t count[] = {2, 10000};
        const int64_t offset[] = {2 * options.group.rank, 0};
        const int64_t shape[] = {2 * options.group.size, 10000};
        staithe_put_options put;
        staithe_put_options_init(&put, sizeof put);
        put.offset = offset;
        put.shape = shape;
        failed = failed || staithe_write_step_put(step, "u", mine, STAITHE_F64, 2, count, &put);
        failed = failed || staithe_write_step_end(&step);
    }
    failed = failed || staithe_writer_close(out);
    puts(failed ? staithe_last_error() : "closed");
    MPI_Finalize();
    return failed;
}
"""
CPP_MAIN = """
#include <cstdio>
#include <vector>

#include <staithe/mpi.hpp>
#include <staithe/staithe.hpp>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const auto group = staithe::group(MPI_COMM_WORLD);
    staithe::Writer out("field", {.group = group, .timeout = 30.0});
    for (int index = 0; index < 5; ++index) {
        const std::vector<double> mine(20000, 10.0 * index + group.rank);
        auto step = out.begin_step();
        step.put("u", staithe::ArrayView{mine.data(), staithe::Dtype::f64, {2, 10000}, {80000, 8}},
                 {.offset = {{2 * group.rank, 0}}, .shape = {{2 * group.size, 10000}}});
        step.end();
    }
    out.close();
    std::puts("closed");
    MPI_Finalize();
}
"""


@pytest.mark.parametrize(
    ("compiler", "name", "text"),
    [([MPICC, "-std=c99"], "main.c", C_MAIN), ([MPICXX, "-std=c++20"], "main.cpp", CPP_MAIN)],
)
def test_ranks_of_other_languages_find_rank_0_too(
    hosts: list[Host], tmp_path: Path, compiler: list[str], name: str, text: str
) -> None:
    if compiler[0] is None:
        pytest.skip("there is no compiler for MPI")
    (tmp_path / name).write_text(text)
    config = [sys.executable, "-m", "staithe.cli", "config", "--cflags", "--libs"]
    flags = shlex.split(subprocess.run(config, capture_output=True, text=True, check=True).stdout)
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-error=long-long"]
    subprocess.run([*compiler, *strict, name, *flags, "-o", "main"], cwd=tmp_path, check=True)
    writer = mpiexec(hosts[0], 3, [str(tmp_path / "main")], "alpha,beta")
    assert hosts[0].run([sys.executable, "-c", READER], env=NOTHING_CHOSEN) == "5 steps"
    assert result_of(writer).count("closed") == 3  # their lines may be mixed
