"""How ranks are started, and programs on other hosts: by mpiexec of the launcher's environment, else the one on PATH;
in a Slurm job that has none, by srun."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .model import Workflow
from .python_command import program_path


def find_mpiexec() -> Path | None:
    """The mpiexec that would start ranks."""
    return _found("mpiexec")


def find_launcher() -> Path | None:
    """What would start ranks, or a program on another host."""
    return find_mpiexec() or (_found("srun") if "SLURM_JOB_ID" in os.environ else None)


def is_on_several_hosts(workflow: Workflow) -> bool:
    """Whether any program or server may run on another host than the launcher: where the file says so, and wherever
    ranks go in a Slurm job of several nodes."""
    if workflow.servers is not None and workflow.servers.hosts:
        return True
    ranks_spread = int(os.environ.get("SLURM_JOB_NUM_NODES", "1")) > 1
    return any(program.hosts or (ranks_spread and program.ranks is not None) for program in workflow.processes)


def launcher_variables() -> dict[str, str]:
    """What a launcher takes from its environment, whichever it is.

    In a Slurm job, srun would have each program wait until the one before has left its cores, and they wait for each
    other; MPICH's mpiexec, too, starts ranks by srun there.
    """
    return {"SLURM_OVERLAP": "1"} if "SLURM_JOB_ID" in os.environ else {}


def launcher_words(launcher: Path, ranks: int, hosts: tuple[str, ...] = (), passed_on: Iterable[str] = ()) -> list[str]:
    """The words before the command of a program with that many ranks, on these hosts if there are any.

    `passed_on` are the variables that it needs; mpiexec of MPICH and srun pass on all that there are.
    """
    options = ["-n", str(ranks)]
    each = -(-ranks // len(hosts)) if hosts else 0
    if launcher.name == "srun":
        options.append("--kill-on-bad-exit=1")
        if hosts:
            options += [f"--nodes={min(ranks, len(hosts))}", f"--nodelist={','.join(hosts[:ranks])}"]
    elif _is_open_mpi(launcher):
        # It would bind two programs to the same cores, and refuse more ranks than cores.
        options += ["--bind-to", "none", "--oversubscribe"]
        if os.geteuid() == 0:
            options.append("--allow-run-as-root")
        if hosts:
            options += ["--host", ",".join(f"{host}:{each}" for host in hosts)]
            options += [word for name in sorted(passed_on) for word in ("-x", name)]
    elif hosts:
        options += ["-hosts", ",".join(hosts), "-ppn", str(each)]
    return [str(launcher), *options]


def _found(program: str) -> Path | None:
    found = shutil.which(program, path=program_path())
    return None if found is None else Path(found)


@cache
def _is_open_mpi(mpiexec: Path) -> bool:
    asked = subprocess.run(
        [mpiexec, "--version"],
        capture_output=True,
        text=True,
        timeout=30,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return "open mpi" in asked.stdout.lower() or "openrte" in asked.stdout.lower()
