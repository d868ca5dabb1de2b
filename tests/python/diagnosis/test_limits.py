from __future__ import annotations

import mmap
import multiprocessing
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from staithe.diagnosis import limits
from staithe.diagnosis.finding import Who
from staithe.diagnosis.processes import Process, Use

sys.path.append(str(Path(__file__).parent))
from descriptions import stream, writer

ME = Who("sim", os.getpid(), "node7", 0)


class Corner(Process):
    """A process whose figures are made up."""

    descriptors = Use(58, 64)  # type: ignore[assignment]
    address_space = Use(3_900_000_000, 4_000_000_000)  # type: ignore[assignment]


class Roomy(Process):
    descriptors = Use(50, 64)  # type: ignore[assignment]
    address_space = None


def test_processes_near_their_limits() -> None:
    assert list(limits.process_limits(ME, Roomy(1))) == []
    found = list(limits.process_limits(ME, Corner(1)))
    assert [finding.kind for finding in found] == ["limit", "limit"]
    assert found[0].what == f"{ME} uses 58 of 64 file descriptors"
    assert "ulimit -n" in found[0].advice
    assert found[1].what == f"{ME} uses 3.90 GB of 4.00 GB address space"


def test_queues_that_may_outgrow_the_memory() -> None:
    streams = [
        stream("s", [writer("sim", 10)], queue={"bytes": 0, "limit_bytes": 3_000_000_000}),
        stream("t", [writer("sim", 10)], queue={"bytes": 1_000_000_000, "limit_bytes": 2_000_000_000}),
    ]
    assert list(limits.memory(streams, 4_000_000_000)) == []
    (finding,) = limits.memory(streams, 3_000_000_000)
    assert finding.what == "the queues may still take 4.00 GB, but the machine has 3.00 GB of memory left"
    assert finding.advice == "lower queue_bytes, first that of 's' (3.00 GB)"
    assert list(limits.memory([])) == []


def test_memory_that_may_not_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mlx5_0").mkdir()
    streams = [stream("s", [writer("sim", 10)], queue={"bytes": 0, "limit_bytes": 1_000_000_000})]
    monkeypatch.delenv("STAITHE_FABRIC", raising=False)
    (finding,) = limits.locked_memory(streams, tmp_path, 8_000_000)
    assert finding.what.startswith("a process may lock 8.00 MB of memory, and the queue of 's' may take 1.00 GB")
    assert "ulimit -l" in finding.advice
    assert list(limits.locked_memory(streams, tmp_path, 2_000_000_000)) == []
    assert list(limits.locked_memory(streams, tmp_path, resource.RLIM_INFINITY)) == []
    assert list(limits.locked_memory(streams, tmp_path / "no adapters", 8_000_000)) == []
    monkeypatch.setenv("STAITHE_FABRIC", "off")
    assert list(limits.locked_memory(streams, tmp_path, 8_000_000)) == []


def test_a_full_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Any) -> os.statvfs_result:
        return os.statvfs_result((4096, 4096, 1000, 20, 20, 500, 400, 400, 0, 255))

    monkeypatch.setattr(os, "statvfs", full)
    (finding,) = limits.run_directory(tmp_path)
    assert finding.what == f"the file system of the run directory {tmp_path} has 2 % of its space left"


def test_pools_that_were_not_touched() -> None:
    size = 4 << 20
    descriptor = os.memfd_create("staithe:cold")
    os.ftruncate(descriptor, size)
    cold = stream("cold", [writer("sim", os.getpid())])
    with mmap.mmap(descriptor, size) as pool:
        (finding,) = limits.pools(cold, ME, Process(os.getpid()))
        assert finding.what == f"4.19 MB of 4.19 MB of the pool of {ME} for 'cold' are not pre-faulted"
        pool[:] = b"x" * size
        assert list(limits.pools(cold, ME, Process(os.getpid()))) == []
    os.close(descriptor)


def _compute() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    while True:
        pass


def test_processes_that_share_a_core() -> None:
    context = multiprocessing.get_context("spawn")
    busy = [context.Process(target=_compute, daemon=True) for _ in range(2)]
    for process in busy:
        process.start()
    try:
        processes = [
            (Who(f"p{at}", int(one.pid or 0), "node7"), Process(int(one.pid or 0))) for at, one in enumerate(busy)
        ]
        while any(len(process.cores) > 1 for _, process in processes):
            pass
        (finding,) = limits.cores(processes, 0.5)
        assert finding.kind == "cores"
        assert "were ready to run, but had no core" in finding.what
        assert finding.what.endswith("2 processes of streams may use 1 core")
        assert list(limits.cores(processes[:1], 0.5)) == [], "one alone has nobody to share with"
    finally:
        for process in busy:
            process.kill()
            process.join()
