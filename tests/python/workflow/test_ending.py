from __future__ import annotations

import pytest

from staithe.workflow import Ending
from staithe.workflow.ending import culprit, host_of_rank, rank_signal


@pytest.mark.parametrize(
    ("returncode", "how"),
    [
        (0, "exit code 0"),
        (3, "exit code 3"),
        (-9, "killed by SIGKILL"),
        (139, "exit code 139 (SIGSEGV)"),
        (255, "exit code 255"),
    ],
)
def test_how_a_program_ended(returncode: int, how: str) -> None:
    assert Ending("a", None, returncode, 1.0).how == how


def test_the_signal_of_a_rank_is_found_in_what_mpiexec_prints() -> None:
    line = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)"
    assert rank_signal(line) == 11
    assert rank_signal("some other line (signal 11)") is None
    assert Ending("a", 2, 11, 1.0, rank_signal=11).how == "a rank was killed by SIGSEGV"


def test_who_only_lost_its_peer_is_not_to_blame() -> None:
    stopped = Ending("viewer", None, -15, 1.0, stopped=True)
    reader = Ending("reader", None, 1, 1.0, last_words=("staithe.PeerLost: writer gone",))
    writer = Ending("writer", None, -11, 1.1)
    assert culprit([stopped, reader, writer]) is writer
    assert culprit([stopped, reader]) is reader
    assert culprit([stopped]) is None


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("=   PID 27 RUNNING AT beta", "beta"),
        ("mpirun noticed that process rank 1 with PID 0 on node beta exited on signal 9 (Killed).", "beta"),
        ("srun: error: beta: task 1: Exited with exit code 3", "beta"),
        ("the process is RUNNING AT full speed", None),
    ],
)
def test_the_host_of_a_rank_that_failed(line: str, host: str | None) -> None:
    assert host_of_rank(line) == host


def test_the_host_is_named_where_the_file_names_some() -> None:
    assert Ending("a", 2, 3, 1.0, host="beta").how == "exit code 3 on beta"
