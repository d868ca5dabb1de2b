"""The command lines and the environment of a trial's processes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..contenders import contender_named
from .native import program
from .places import Place
from .trial import Role, Seat, Trial

REPOSITORY = Path(__file__).resolve().parents[2]


def commands_of(
    trial: Trial, cores: Sequence[int], stream: str, directory: Path, control: Path, place: Place
) -> list[tuple[str, list[str]]]:
    """One command a process that the launcher starts, and the host of each; raises NotBuilt."""
    if trial.program:
        name, *arguments = trial.program
        return [("", [str(program(name)), *arguments, *map(str, cores[:2])])]
    ranks: list[tuple[Role, int]] = [("writer", rank) for rank in range(trial.writers)]
    ranks += [("reader", rank) for rank in range(trial.readers)]
    workers: list[tuple[str, list[str]]] = []
    for role, rank in ranks:
        # One writer and one reader get a core each; more of them go round.
        core = rank if trial.writers > 1 else (0 if role == "writer" else rank + 1)
        seat = Seat(trial, role, rank, cores[core % len(cores)], stream, str(directory), str(control))
        command = [sys.executable, "-m", "benchmarks.harness.worker", seat.to_json()]
        workers.append((trial.host_of(role, rank), command))
    return [("", _with_mpiexec(workers, place))] if contender_named(trial.contender).uses_mpiexec else workers


def _with_mpiexec(workers: list[tuple[str, list[str]]], place: Place) -> list[str]:
    """One world of different programs: `mpiexec -n 1 A : -n 1 B`."""
    programs: list[str] = []
    for _, command in workers:
        programs += [*([":"] if programs else []), "-n", "1", *command]
    return [
        str(Path(sys.executable).parent / "mpiexec"),
        *place.mpi_options([host for host, _ in workers]),
        *programs,
    ]


def environment_of(trial: Trial, directory: Path) -> dict[str, str]:
    return {
        **os.environ,
        **({"STAITHE_LISTEN": "0.0.0.0:0"} if trial.network else {}),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "STAITHE_RUN_DIR": str(directory / "run"),
        # One thread a process: the cores are shared out already.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **trial.environment,
    }
