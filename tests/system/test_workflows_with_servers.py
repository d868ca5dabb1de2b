"""The servers of a workflow: one group for all its programs, there before them and ended behind them, on the hosts that
the file names."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hosts import Host, line_of
from remote_shell import LAUNCHER

SIM = """
import pathlib, sys, numpy as np, staithe
with staithe.writer("melt", timeout=60, queue_steps=2) as out:
    for index in range(int(sys.argv[1])):
        with out.step() as step:
            step.put("T", np.full((300, 400), float(index)))
        if index == 3:  # so that somebody has read some
            pathlib.Path("flowing").touch()
"""
VIEW = """
import socket, staithe
for step in staithe.reader("melt", timeout=60):
    T = step["T"][...]
    assert T.min() == T.max() == step.index
with staithe.space("results") as space:
    space.put("T", T)
    print("read up to", step.index, "on", socket.gethostname(), "and put it at", space.kept_by, flush=True)
"""
# What each server says of itself.
LOOK = """
import json
from staithe.workflow.stats import describe_servers
print(json.dumps([[server[key] for key in ("name", "host", "memory_limit")] for server in describe_servers()]))
"""
# Ends the server of rank 1, which is on its own host.
KILLER = """
import os, pathlib, signal, sys, time
from staithe.workflow.stats import describe_servers
while not pathlib.Path("flowing").exists():
    time.sleep(0.01)
[doomed] = [server["pid"] for server in describe_servers() if server["program"] == "server-1"]
os.kill(doomed, signal.Signals[sys.argv[1]])
time.sleep(600)
"""
FLOW = """
programs:
  sim: {command: python sim.py 20}
  view: {command: python view.py}
  look: {command: python look.py}
streams:
  melt: {from: sim, to: view, placement: servers}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("sim", SIM), ("view", VIEW), ("look", LOOK), ("killer", KILLER)):
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def run_words(folder: Path, flow: str, *options: str) -> list[str]:
    (folder / "flow.yaml").write_text(flow)
    return [sys.executable, "-m", "staithe.cli", "run", "--grace", "3", *options, str(folder / "flow.yaml")]


def run_here(folder: Path, flow: str, *options: str) -> tuple[int, str, str]:
    done = subprocess.run(run_words(folder, flow, *options), capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout, done.stderr


def run_at(host: Host, folder: Path, flow: str) -> tuple[int, str]:
    """The exit code, and all that was said."""
    program = host.popen(run_words(folder, flow), env=LAUNCHER)
    out, errors = program.communicate(timeout=100)
    return program.returncode, out + errors


def servers_seen(said: str) -> list[list[Any]]:
    found = re.search(r"^look +\| (.*)$", said, re.MULTILINE)
    assert found, said
    return sorted(json.loads(found[1]))


def test_they_are_one_group(folder: Path) -> None:
    code, out, errors = run_here(folder, FLOW + "servers: {count: 3, memory: 256 MiB, cores: 1}")
    assert code == 0, errors
    assert "and put it at 3 servers 'staithe'" in out
    assert [(name, memory) for name, _, memory in servers_seen(out)] == [
        (f"staithe.{rank}-of-3", 256 << 20) for rank in range(3)
    ]
    assert len(re.findall(r"^server-[012] .* ok$", out, re.MULTILINE)) == 3
    assert re.search(r"^melt +sim +20 .* view$", out, re.MULTILINE), "what became of the stream"


def test_one_is_a_server_alone(folder: Path) -> None:
    code, out, errors = run_here(folder, FLOW, "--json")
    assert code == 0, errors
    assert "and put it at server 'staithe'" in errors
    summary = json.loads(out)
    assert [server["name"] for server in summary["servers"]] == ["server-0"]
    assert {program["name"] for program in summary["programs"]} == {"sim", "view", "look"}


@pytest.mark.parametrize(("killed_by", "how"), [("SIGKILL", "killed by SIGKILL"), ("SIGTERM", "exit code 0")])
def test_one_that_ends_ends_the_run_and_is_named(folder: Path, killed_by: str, how: str) -> None:
    flow = FLOW.replace("sim.py 20", "sim.py 1000000").replace("look.py", f"killer.py {killed_by}")
    code, _, errors = run_here(folder, flow + "servers: 2")
    assert code == 1
    assert f"flow failed: server-1, {how}" in errors


def test_one_that_cannot_serve_is_named_and_no_program_starts(folder: Path) -> None:
    code, out, errors = run_here(folder, FLOW + "servers: {count: 2, memory: 1 KiB}")
    assert code == 1
    assert re.search(r"server-\d \| staithe: .* was given 1.02 KB of memory", errors)
    assert re.search(r"^staithe: server-\d: ended before it could serve \(exit code 1\)$", errors, re.MULTILINE)
    assert "sim " not in out + errors


def test_a_signal_ends_programs_first(folder: Path) -> None:
    flow = FLOW.replace("sim.py 20", "sim.py 1000000").replace("python look.py", "sleep 600")
    words = run_words(folder, flow + "servers: 2", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        while not (folder / "flowing").exists():
            assert run.poll() is None
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        out, errors = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGTERM
    assert "stopping sim, view, look: SIGTERM" in errors
    summary = json.loads(out)
    assert [(server["name"], server["stopped"]) for server in sorted(summary["servers"], key=lambda s: s["name"])] == [
        ("server-0", True),
        ("server-1", True),
    ]
    assert {server["returncode"] for server in summary["servers"]} == {0}


ON_HOSTS = """
programs:
  sim: {command: python sim.py 20, hosts: alpha}
  view: {command: python view.py, hosts: gamma}
  look: {command: python look.py}
streams:
  melt: {from: sim, to: view, placement: servers}
servers: {hosts: [beta, gamma], memory: 256 MiB}
"""


def test_they_are_where_the_file_says(mpi_hosts: list[Host], folder: Path) -> None:
    code, said = run_at(mpi_hosts[0], folder, ON_HOSTS)
    assert code == 0, said
    assert "read up to 19 on gamma and put it at 2 servers 'staithe'" in said
    assert servers_seen(said) == [["staithe.0-of-2", "beta", 256 << 20], ["staithe.1-of-2", "gamma", 256 << 20]]
    assert re.search(r"^melt +sim +20 .* view$", said, re.MULTILINE), said
    assert len(re.findall(r"^server-[01] .* ok$", said, re.MULTILINE)) == 2, said
    assert not list(folder.glob(".staithe*")), "the run's directory has gone"
    assert_nothing_left(mpi_hosts)


def test_the_host_of_one_that_is_killed_is_named(mpi_hosts: list[Host], folder: Path) -> None:
    flow = ON_HOSTS.replace("sim.py 20", "sim.py 1000000").replace("look.py", "killer.py SIGKILL, hosts: gamma")
    code, said = run_at(mpi_hosts[0], folder, flow)
    assert code == 1
    assert "flow failed: server-1, killed by SIGKILL on gamma" in said, said
    assert_nothing_left(mpi_hosts)


def test_a_launcher_that_is_killed_leaves_no_server_behind(mpi_hosts: list[Host], folder: Path) -> None:
    (folder / "sleep.py").write_text("import time; print('asleep', flush=True); time.sleep(600)")
    flow = "programs: {idle: {command: python sleep.py}}\nservers: {hosts: [beta, gamma]}"
    launcher = mpi_hosts[0].popen(run_words(folder, flow), env=LAUNCHER)
    assert line_of(launcher) == "idle     | asleep"
    os.kill(launcher.pid, signal.SIGKILL)
    assert_nothing_left(mpi_hosts)


def assert_nothing_left(hosts: list[Host]) -> None:
    """Of programs and servers; within a moment, since mpiexec's helpers notice its end."""
    deadline = time.monotonic() + 20
    while True:
        words = [
            host.run(["sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' || true"]) for host in hosts
        ]
        if not any(name in word for name in ("sleep.py", "sim.py", "view.py", "staithe.cli serve") for word in words):
            return
        assert time.monotonic() < deadline, words
        time.sleep(0.2)
