"""`staithe doctor` on real programs that wait, hang, are stopped and are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Program = subprocess.Popen[str]
Start = Callable[..., Program]
Doctor = Callable[..., tuple[int, list[dict[str, Any]]]]

WRITER = """
import numpy as np, staithe, sys
with staithe.writer("melt", queue_steps=2) as out:
    print("open", flush=True)
    for index in range(10):
        with out.step() as step:
            step.put("x", np.zeros(10))
"""
# Takes one step, keeps it, and does something else.
HOLDER = """
import staithe, sys
steps = staithe.reader("melt", program="plot")
step = next(steps)
print("holding", flush=True)
sys.stdin.read()
"""
# Reads the other's stream before it writes its own, and again once it is told that this cannot be.
CROSSED = """
import staithe, sys
mine, others = sys.argv[1:]
with staithe.writer(mine) as out:
    print("open", flush=True)
    steps = staithe.reader(others)
    while True:
        try:
            next(steps)
        except staithe.Deadlock:
            pass
"""
READS_FIRST = """
import staithe, sys
mine, others = sys.argv[1:]
print("open", flush=True)
steps = None
while steps is None:
    try:
        steps = staithe.reader(others)
    except staithe.Deadlock:
        pass
with staithe.writer(mine) as out:
    pass
"""


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def start(run_directory: Path) -> Iterator[Start]:
    """Starts a program under a name, and waits for its first line."""
    started: list[Program] = []

    def start(name: str, text: str, *arguments: str, await_line: bool = True, **environment: str) -> Program:
        process = subprocess.Popen(
            [sys.executable, "-c", text, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"STAITHE_RUN_DIR": str(run_directory), "STAITHE_PROGRAM": name} | environment,
        )
        started.append(process)
        assert process.stdout is not None
        if await_line:
            assert process.stdout.readline()
        return process

    yield start
    for process in started:
        with process:
            process.kill()


@pytest.fixture
def doctor(run_directory: Path) -> Doctor:
    """Runs `staithe doctor --json`; its exit code and findings."""

    def run(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
        done = subprocess.run(
            [sys.executable, "-m", "staithe.cli", "doctor", "--json", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"STAITHE_RUN_DIR": str(run_directory)},
        )
        assert done.stderr == ""
        found = json.loads(done.stdout)
        assert found["run_directory"] == str(run_directory)
        # Other tests may run on these cores.
        findings = [finding for finding in found["findings"] if finding["kind"] not in ("cores", "limit")]
        return done.returncode, findings

    return run


def find(doctor: Doctor, kind: str, *arguments: str, alone: bool = False) -> dict[str, Any]:
    """The finding of that kind, once it is there; `alone`: and no other beside it."""
    for _ in range(100):
        code, findings = doctor(*arguments)
        found = [finding for finding in findings if finding["kind"] == kind]
        if found:
            assert code == 1
            assert found[0]["advice"]
            assert found == findings or not alone, findings
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"no {kind}, but {findings}")


def pids(finding: dict[str, Any]) -> list[int]:
    return [who["pid"] for who in finding["who"]]


def test_all_is_well_where_nothing_is(doctor: Doctor, run_directory: Path) -> None:
    assert doctor()[1] == []
    run_directory.mkdir(mode=0o700)
    assert doctor()[1] == []


def test_a_writer_waits_for_a_reader_that_holds_its_steps(start: Start, doctor: Doctor) -> None:
    writer = start("sim", WRITER)
    holder = start("view", HOLDER)
    finding = find(doctor, "wait", "--waiting", "0.1")
    assert pids(finding) == [writer.pid, holder.pid]
    assert "waits for room in the queue of 'melt': plot rank 0" in finding["what"]
    assert finding["seconds"] > 0.1
    assert holder.stdin is not None
    holder.stdin.close()  # the holder ends, and with it all waiting
    assert writer.wait(30) == 0
    assert doctor()[1] == []


def test_two_programs_that_read_each_other_are_named_as_a_deadlock(start: Start, doctor: Doctor) -> None:
    there = start("there", CROSSED, "a", "b")
    back = start("back", CROSSED, "b", "a")
    finding = find(doctor, "deadlock", "--waiting", "0.1", alone=True)  # and so named once
    assert sorted(pids(finding)) == sorted([there.pid, back.pid])
    assert "there rank 0" in finding["what"]
    assert "waits for the next step of 'b'" in finding["what"]
    assert "waits for the next step of 'a'" in finding["what"]
    assert finding["what"].endswith("none of them can go on")
    assert finding["seconds"] > 0.1


def test_two_programs_that_both_read_before_they_write(start: Start, doctor: Doctor) -> None:
    """Neither stream is there, so no director knows; a workflow tells who is to write which."""
    there = start("there", READS_FIRST, "a", "b", STAITHE_STREAMS='{"a": {}}')
    back = start("back", READS_FIRST, "b", "a", STAITHE_STREAMS='{"b": {}}')
    finding = find(doctor, "deadlock")
    assert sorted(pids(finding)) == sorted([there.pid, back.pid])
    assert "waits for somebody to open 'b'" in finding["what"]


def test_a_reader_of_a_stream_that_nobody_writes(start: Start, doctor: Doctor) -> None:
    reader = start("plot", READS_FIRST, "mine", "nobodys")
    finding = find(doctor, "wait")
    assert pids(finding) == [reader.pid]
    assert finding["what"].endswith("waits for somebody to open 'nobodys': no live process has opened it for writing")


def test_a_stopped_writer_is_named(start: Start, doctor: Doctor) -> None:
    writer = start("sim", WRITER)
    writer.send_signal(signal.SIGSTOP)
    finding = find(doctor, "silent")
    assert pids(finding) == [writer.pid]
    assert finding["what"].endswith("which writes 'melt', is stopped")
    assert f"kill -CONT {writer.pid}" in finding["advice"]
    writer.send_signal(signal.SIGCONT)


def test_what_killed_programs_leave_is_found_and_removed(start: Start, doctor: Doctor, run_directory: Path) -> None:
    writer = start("sim", WRITER)
    reader = start("plot", READS_FIRST, "mine", "nobodys")
    while not any(finding["who"][0]["pid"] == reader.pid for finding in doctor()[1]):
        time.sleep(0.1)
    (socket,) = (path.name for path in run_directory.glob("*.socket"))
    for process in (writer, reader):
        process.kill()
        process.wait()
    left = {"melt.stream.contact", socket} | {path.name for path in run_directory.glob("*.waiting")}
    # How far the writer came stays, for one that resumes.
    stays = {"melt.progress"}
    assert {path.name for path in run_directory.iterdir()} == left | stays
    code, findings = doctor()
    assert code == 1
    assert [finding["kind"] for finding in findings] == ["stale-file"] * len(left) + ["unfinished"]
    assert {path.split(".")[0] for path in left if path.endswith(".waiting")} >= {"nobodys"}
    assert [finding["kind"] for finding in doctor("--clean")[1]] == ["unfinished"]
    assert {path.name for path in run_directory.iterdir()} == stays


def test_people_get_lines(start: Start, run_directory: Path) -> None:
    environment = os.environ | {"STAITHE_RUN_DIR": str(run_directory)}
    command = [sys.executable, "-m", "staithe.cli", "doctor"]
    well = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (well.returncode, well.stdout) == (0, f"all is well in {run_directory}\n")
    start("plot", READS_FIRST, "mine", "nobodys")
    while True:
        ill = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        if "nobodys" in ill.stdout:
            break
    assert ill.returncode == 1
    assert ill.stdout.startswith("wait: plot (pid ")
    assert "\n    -> start its writer" in ill.stdout
