"""How groups of ranks are started: mpiexec of the launcher's environment, else the one on PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from .python_command import program_path


def find_mpiexec() -> Path | None:
    """The mpiexec that would start ranks."""
    found = shutil.which("mpiexec", path=program_path())
    return None if found is None else Path(found)


def mpiexec_words(mpiexec: Path, ranks: int) -> tuple[str, ...]:
    """The words before the command of a program with that many ranks."""
    options = ["-n", str(ranks)]
    if _is_open_mpi(mpiexec):
        # It would bind two programs to the same cores, and refuse more ranks than cores.
        options += ["--bind-to", "none", "--oversubscribe"]
        if os.geteuid() == 0:
            options.append("--allow-run-as-root")
    return (str(mpiexec), *options)


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
