"""Workflows whose programs run on several hosts: mpiexec starts them there, by a remote shell."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hosts import Host, Program, line_of
from remote_shell import LAUNCHER

SIM = """
import socket, staithe
with staithe.writer("melt", timeout=60) as out:
    for index in range(20):
        with out.step() as step:
            step.put("n", index)
print("written on", socket.gethostname())
"""
VIEW = """
import socket, sys, time, staithe
for step in staithe.reader("melt", timeout=60):
    n = step["n"][()]
    if "fail" in sys.argv and n == 10:
        sys.exit(3)
print("read up to", n, "on", socket.gethostname())
"""
SLEEP = "import time; print('asleep', flush=True); time.sleep(600)"


@pytest.fixture
def hosts(mpi_hosts: list[Host], tmp_path: Path) -> list[Host]:
    for name, text in (("sim", SIM), ("view", VIEW), ("sleep", SLEEP)):
        (tmp_path / f"{name}.py").write_text(text)
    return mpi_hosts


def start_run(host: Host, directory: Path, flow: str) -> Program:
    (directory / "flow.yaml").write_text(flow)
    command = [sys.executable, "-m", "staithe.cli", "run", "--grace", "2", str(directory / "flow.yaml")]
    return host.popen(command, env=LAUNCHER)


def staithe_run(host: Host, directory: Path, flow: str) -> tuple[int, str]:
    """The exit code, and all that was said."""
    program = start_run(host, directory, flow)
    out, errors = program.communicate(timeout=100)
    return program.returncode, out + errors


def test_programs_run_where_the_file_says(hosts: list[Host], tmp_path: Path) -> None:
    flow = """
programs:
  sim: {command: python sim.py, hosts: beta}
  view: {command: python view.py, ranks: 1, hosts: [gamma]}
streams:
  melt: {from: sim, to: view}
"""
    code, said = staithe_run(hosts[0], tmp_path, flow)
    assert code == 0, said
    assert "written on beta" in said and "read up to 19 on gamma" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flow.yaml", "sim.py", "sleep.py", "view.py"]


def test_the_host_that_failed_is_named_and_nothing_is_left_on_any(hosts: list[Host], tmp_path: Path) -> None:
    flow = """
programs:
  sim: {command: python sim.py, hosts: alpha}
  view: {command: python view.py fail, hosts: [beta]}
  idle: {command: python sleep.py, ranks: 2, hosts: [beta, gamma]}
streams:
  melt: {from: sim, to: view}
"""
    code, said = staithe_run(hosts[0], tmp_path, flow)
    assert code != 0
    assert "exit code 3 on beta" in said, said
    for host in hosts:
        assert nothing_left(host), host


def test_a_launcher_that_is_killed_leaves_nothing_on_any_host(hosts: list[Host], tmp_path: Path) -> None:
    launcher = start_run(
        hosts[0], tmp_path, "programs: {idle: {command: python sleep.py, ranks: 2, hosts: [beta, gamma]}}"
    )
    assert {line_of(launcher), line_of(launcher)} == {"idle | asleep"}
    os.kill(launcher.pid, signal.SIGKILL)
    for host in hosts:
        assert nothing_left(host), host


def nothing_left(host: Host) -> bool:
    """Of the programs; within a moment, since mpiexec's helpers notice its end."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        words = host.run(["sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' || true"])
        if not any(name in words for name in ("sleep.py", "sim.py", "view.py")):
            return True
        time.sleep(0.2)
    return False
