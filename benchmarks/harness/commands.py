"""The command lines and the environment of a trial's processes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..contenders import contender_named
from .native import program
from .trial import Role, Seat, Trial

REPOSITORY = Path(__file__).resolve().parents[2]


def commands_of(trial: Trial, cores: Sequence[int], stream: str, directory: Path, control: Path) -> list[list[str]]:
    """One command a process that the launcher starts; raises NotBuilt."""
    if trial.program:
        name, *arguments = trial.program
        return [[str(program(name)), *arguments, *map(str, cores[:2])]]
    ranks: list[tuple[Role, int]] = [("writer", rank) for rank in range(trial.writers)]
    ranks += [("reader", rank) for rank in range(trial.readers)]
    workers: list[list[str]] = []
    for role, rank in ranks:
        # One writer and one reader get a core each; more of them go round.
        core = rank if trial.writers > 1 else (0 if role == "writer" else rank + 1)
        seat = Seat(trial, role, rank, cores[core % len(cores)], stream, str(directory), str(control))
        workers.append([sys.executable, "-m", "benchmarks.harness.worker", seat.to_json()])
    return [_with_mpiexec(workers)] if contender_named(trial.contender).uses_mpiexec else workers


def _with_mpiexec(workers: list[list[str]]) -> list[str]:
    """One world of different programs: `mpiexec -n 1 A : -n 1 B`."""
    mpiexec = [str(Path(sys.executable).parent / "mpiexec")]
    for worker in workers:
        mpiexec += [*([":"] if len(mpiexec) > 1 else []), "-n", "1", *worker]
    return mpiexec


def environment_of(directory: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "STAITHE_RUN_DIR": str(directory / "run"),
        # One thread a process: the cores are shared out already.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
