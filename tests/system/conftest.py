"""Tests of whole programs: processes that are forked cheaply (fork_server.py)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # tests import the helpers beside them

import remote_shell  # noqa: E402
from fork_server import Child, ForkServer  # noqa: E402
from hosts import Host, line_of, network, skip_reason  # noqa: E402

from staithe.workflow.mpi import find_mpiexec  # noqa: E402


@pytest.fixture(scope="session")
def fork_server(run_directory: Path) -> Iterator[ForkServer]:
    """Starts processes within milliseconds. Of the session: it imports Staithe once."""
    server = ForkServer()
    yield server
    server.stop()


@pytest.fixture
def play(fork_server: ForkServer) -> Iterator[Callable[..., Child]]:
    """Runs a program given as text in a process of its own (scripts.py). It is killed at the end of the test."""
    children: list[Child] = []

    def start(text: str, *, environment: dict[str, str] | None = None, **names: Any) -> Child:
        children.append(fork_server.start("scripts", "run", environment=environment, text=text, **names))
        return children[-1]

    yield start
    for child in children:
        if not child.gone:
            child.kill()
            child.wait()


@pytest.fixture
def shared_directory(tmp_path: Path) -> Path:
    """A run directory that hosts share."""
    path = tmp_path / "run"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def hosts(shared_directory: Path) -> Iterator[list[Host]]:
    """Three hosts that share it; a module that uses them is skipped where there can be none (hosts.skip_reason)."""
    with network("alpha", "beta", "gamma", shared=shared_directory) as made:
        yield made


@pytest.fixture
def together(shared_directory: Path) -> dict[str, str]:
    """The environment of programs that share it."""
    return {"STAITHE_RUN_DIR": str(shared_directory)}


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[list[Host]]:
    """Three hosts, each with a run directory of its own."""
    with network("alpha", "beta", "gamma", shared=tmp_path) as made:
        yield made


@pytest.fixture
def key(tmp_path: Path) -> dict[str, str]:
    """What lies in their shared folder is the key alone, not a copy on each host: the environment of programs."""
    subprocess.run([sys.executable, "-m", "staithe.cli", "key", str(tmp_path / "key")], check=True, capture_output=True)
    return {"STAITHE_KEY_FILE": str(tmp_path / "key")}


@pytest.fixture
def mpi_hosts(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[list[Host]]:
    """Three hosts, or those that a test names, which share its folder; with remote_shell.LAUNCHER, MPICH's mpiexec
    starts programs on them."""
    if reason := skip_reason():
        pytest.skip(reason)
    mpiexec = find_mpiexec()
    if mpiexec is None or not mpiexec.with_name("mpiexec.hydra").exists():
        pytest.skip("programs are started on other hosts by MPICH's mpiexec here")
    names: tuple[str, ...] = getattr(request, "param", ("alpha", "beta", "gamma"))
    with network(*names, shared=tmp_path) as made:
        for host in made:
            assert line_of(host.popen([sys.executable, remote_shell.__file__, "serve"])) == "ready"
        yield made


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of 2 MiB, or of what the test says."""
    size: str = getattr(request, "param", "2m")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)
