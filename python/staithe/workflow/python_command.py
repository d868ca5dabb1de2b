"""The interpreter of the launcher, as the programs of a workflow see it."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

# Options after which the interpreter still takes a script, a module or a command.
_RUN = ("-m", "-c")

# How a rank of several is run. mpi4py.run: else an exception in one rank leaves the others waiting in their
# next collective call for ever; it does nothing to a program that does not import mpi4py.MPI. Whole lines:
# mpiexec mixes what the ranks write, piece by piece.
_AS_RANK = (
    "import sys; sys.stdout.reconfigure(line_buffering=True, write_through=False); from mpi4py.run import main; main()"
)


def is_python(word: str) -> bool:
    """Whether a command's first word means the launcher's own interpreter."""
    return word in ("python", "python3")


def program_path() -> str:
    """PATH with the launcher's environment first, so that its scripts are found without being activated."""
    here = str(Path(sys.executable).parent)
    paths = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join([here, *(path for path in paths if path != here)])


def resolve_python(command: tuple[str, ...], ranks: int | None) -> tuple[str, ...]:
    """The command with "python" as the launcher's interpreter."""
    if not is_python(command[0]):
        return command
    arguments = command[1:]
    takes_script = bool(arguments) and (arguments[0] in _RUN or not arguments[0].startswith("-"))
    if ranks is not None and ranks > 1 and takes_script and importlib.util.find_spec("mpi4py") is not None:
        return (sys.executable, "-c", _AS_RANK, *arguments)
    return (sys.executable, *arguments)
