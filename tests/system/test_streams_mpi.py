"""MPI programs: mpi4py communicators as groups."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import staithe

pytest.importorskip("mpi4py")
MPIEXEC = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec")

WRITER = """
import sys
import numpy as np
from mpi4py import MPI
import staithe

comm = MPI.COMM_WORLD
rows = 6 // comm.size
with staithe.writer(sys.argv[1], group=comm, attrs={"rank": comm.rank}) as out:
    assert (out.rank, out.size) == (comm.rank, comm.size)
    for number in range(10):
        with out.step() as step:
            step.put("x", np.full((rows, 4), number), offset=(rows * comm.rank, 0), shape=(6, 4))
            step.put("mine", np.full(comm.rank + 1, number))
"""

READER = """
import sys
from mpi4py import MPI
import staithe

comm = MPI.COMM_WORLD
total = 0
for number, step in enumerate(staithe.reader(sys.argv[1], group=comm)):
    x = step["x"].read(share="block")
    assert (x == number).all()
    assert [len(block.data) for block in step["mine"].blocks] == [1, 2]
    total += comm.allreduce(int(x.size))
if comm.rank == 0:
    print(f"{comm.size} ranks read {total} elements", flush=True)
"""


def mpi(ranks: int, text: str, *arguments: str) -> subprocess.Popen[str]:
    assert MPIEXEC is not None
    command = [MPIEXEC, "-n", str(ranks), sys.executable, "-m", "mpi4py", "-c", text, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_two_ranks_write_and_two_groups_of_ranks_read(stream: str) -> None:
    writer = mpi(2, WRITER.replace("attrs=", "readers=2, attrs="), stream)
    readers = [mpi(2, READER, stream), mpi(3, READER, stream)]
    outputs = [program.communicate(timeout=100)[0] for program in (writer, *readers)]
    assert outputs == ["", "2 ranks read 240 elements\n", "3 ranks read 240 elements\n"]
    assert [program.returncode for program in (writer, *readers)] == [0, 0, 0]


ONE_RANK_ENDS = """
import sys
from mpi4py import MPI
import staithe

rank = MPI.COMM_WORLD.rank
out = staithe.writer(sys.argv[1], group=MPI.COMM_WORLD)
for number in range(3):
    with out.step() as step:
        step.put("x", rank)
{ending}
"""


def plain_mpi(text: str, *arguments: str) -> subprocess.Popen[str]:
    """Two ranks without mpi4py's own runner, which would abort all of them at the first exception."""
    assert MPIEXEC is not None
    command = [MPIEXEC, "-n", "2", sys.executable, "-c", text, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_rank_that_forgets_to_close_does_not_hold_the_others_up(stream: str) -> None:
    """Its writer is closed before MPI_Finalize, which waits for rank 0."""
    program = plain_mpi(ONE_RANK_ENDS.format(ending="if rank == 0:\n    out.close()"), stream)
    assert [step.index for step in staithe.reader(stream, timeout=60)] == [0, 1, 2]
    assert (program.communicate(timeout=60)[0], program.returncode) == ("", 0)


def test_a_rank_that_fails_is_named(stream: str) -> None:
    """After the steps that both had ended; hence the barrier: a step is complete when all have."""
    ending = (
        "MPI.COMM_WORLD.Barrier()\n"
        "if rank == 1:\n    raise ArithmeticError('diverged')\n"
        "while True:\n    out.step().abandon()"
    )
    program = plain_mpi(ONE_RANK_ENDS.format(ending=ending), stream)
    reader = staithe.reader(stream, timeout=60)
    assert [next(reader).index for _ in range(3)] == [0, 1, 2]
    with pytest.raises(staithe.WriterFailed, match=r"writer rank 1, .* failed: ArithmeticError: diverged"):
        next(reader)
    said, _ = program.communicate(timeout=60)
    assert program.returncode != 0
    assert "ArithmeticError: diverged" in said
