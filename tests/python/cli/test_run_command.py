"""`staithe run` as a process: what it prints, how it ends, and what it does with signals."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(90)

TWO = "programs: {sim: {command: python sim.py}, viewer: {command: python viewer.py}}\n"
# Says that it is there, then notes the signal it gets.
PATIENT = """
    import os, pathlib, signal, sys, time

    name = os.environ["STAITHE_PROGRAM"]
    def note(number, frame):
        pathlib.Path(name + ".signal").write_text(signal.Signals(number).name)
        sys.exit(5)
    signal.signal(signal.SIGINT, note)
    signal.signal(signal.SIGTERM, note)
    pathlib.Path(name + ".pid").write_text(str(os.getpid()))
    pathlib.Path(name + ".dir").write_text(os.environ["STAITHE_RUN_DIR"])
    pathlib.Path(name + ".ready").touch()
    time.sleep(50)
"""
STUBBORN = PATIENT.replace("sys.exit(5)", "pass").replace("time.sleep(50)", "[time.sleep(1) for _ in range(50)]")


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def both_ready(directory: Path) -> None:
    for name in ("sim", "viewer"):
        wait_for((directory / f"{name}.ready").exists, f"{name} did not start")


def has_ended(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def test_a_good_run(launcher: Any) -> None:
    launcher.write(
        TWO + "streams: {field: {from: sim}}",
        sim="print('out of sim')",
        viewer="import sys\nprint('err of viewer', file=sys.stderr)",
    )
    code, out, err = launcher.run()
    assert code == 0
    assert err == "viewer | err of viewer\n"
    assert "sim    | out of sim\n" in out
    assert "\x1b" not in out
    summary = out[out.index("\nflow: ") :]
    assert re.search(r"^sim +- +\d\.\d\d s +ok$", summary, re.MULTILINE)
    assert re.search(r"^field +sim .* - \(never opened\)$", summary, re.MULTILINE)


def test_a_failing_program_is_named_and_says_why_once(launcher: Any) -> None:
    launcher.write(TWO, sim="raise RuntimeError('no such lattice')", viewer="import time\ntime.sleep(50)")
    code, out, err = launcher.run("--grace", "0.2")
    assert code == 1
    assert re.search(r"^staithe: sim failed after \S+ s: exit code 1$", err, re.MULTILINE)
    assert "sim    | RuntimeError: no such lattice\n" in err
    assert err.count("no such lattice") == 2  # in the line of the source, and in the message
    assert "staithe: stopping viewer: sim failed; they have 0.2 s to end by themselves\n" in err
    assert err.endswith("staithe: flow failed: sim, exit code 1\n")
    assert re.search(r"^viewer .* stopped \(killed by SIGTERM\)$", out, re.MULTILINE)


def test_a_bad_file_starts_nothing(launcher: Any) -> None:
    file = launcher.write("programs: {sim: {comand: ls}}")
    code, out, err = launcher.run()
    assert (code, out) == (1, "")
    assert err == (
        f"staithe: {file}:1: programs.sim.comand: is no key here; did you mean 'command'? "
        "(allowed: command, analysis, args, ranks, hosts, env, cwd, timeout)\n"
    )


def test_a_check_starts_nothing(launcher: Any, tmp_path: Path) -> None:
    file = launcher.write(
        TWO + "streams: {field: {from: sim, to: viewer}}", sim="open('started', 'w')", viewer="print('started')"
    )
    assert launcher.run("--check") == (0, f"{file}: all is well; programs: sim, viewer; streams: field\n", "")
    code, out, _ = launcher.run("--check", "--json")
    assert (code, json.loads(out)) == (0, {"file": str(file), "problems": []})
    assert not (tmp_path / "started").exists()
    (tmp_path / "viewer.py").write_text("print(")
    message = f"{tmp_path}/viewer.py, line 1, is not valid Python: '(' was never closed"
    assert launcher.run("--check") == (1, "", f"staithe: {file}:1: programs.viewer.command: {message}\n")
    code, out, _ = launcher.run("--check", "--json")
    problem = {"line": 1, "key": "programs.viewer.command", "message": message}
    assert (code, json.loads(out)["problems"]) == (1, [problem])


def test_the_summary_as_json(launcher: Any) -> None:
    launcher.write(TWO + "streams: {field: {from: sim}}", sim="print('out of sim')", viewer="raise SystemExit(3)")
    code, out, err = launcher.run("--json")
    assert code == 1
    summary = json.loads(out)
    keys = ["name", "ok", "failures", "interrupted", "seconds", "programs", "servers", "streams", "trace"]
    assert list(summary) == keys
    assert (summary["ok"], summary["failures"]) == (False, ["flow failed: viewer, exit code 3"])
    ends = {program["name"]: (program["returncode"], program["end"]) for program in summary["programs"]}
    assert ends == {"sim": (0, "exit code 0"), "viewer": (3, "exit code 3")}
    (stream,) = summary["streams"]
    assert (stream["name"], stream["opened"], stream["steps"]) == ("field", False, None)
    assert "sim    | out of sim\n" in err


def test_parameters_and_directory(launcher: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    launcher.write("parameters: {word: one}\nprograms: {sim: {command: 'sh -c \"echo ${word}; pwd\"'}}")
    code, out, _ = launcher.run("--set", "word=two", "--directory", str(tmp_path / "elsewhere"))
    assert code == 0
    assert out.startswith(f"sim | two\nsim | {tmp_path}/elsewhere\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_forwarded(launcher: Any, tmp_path: Path, number: signal.Signals) -> None:
    launcher.write(TWO, sim=PATIENT, viewer=PATIENT)
    process = launcher.start()
    both_ready(tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    for name in ("sim", "viewer"):
        assert (tmp_path / f"{name}.signal").read_text() == number.name
        assert re.search(rf"^{name} .* stopped \(exit code 5\)$", out, re.MULTILINE)
    assert f"staithe: stopping sim, viewer: {number.name}; once more to kill at once\n" in err
    assert "failed" not in err


def test_who_ignores_the_signal_is_killed_after_the_grace_time(launcher: Any, tmp_path: Path) -> None:
    launcher.write(TWO, sim=STUBBORN, viewer=PATIENT)
    process = launcher.start("--grace", "0.5")
    both_ready(tmp_path)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"^sim .* stopped \(killed by SIGKILL\)$", out, re.MULTILINE)


def test_the_second_signal_kills_at_once(launcher: Any, tmp_path: Path) -> None:
    launcher.write(TWO, sim=STUBBORN, viewer=STUBBORN)
    process = launcher.start("--grace", "60")
    both_ready(tmp_path)
    process.send_signal(signal.SIGINT)
    for name in ("sim", "viewer"):
        wait_for((tmp_path / f"{name}.signal").exists, f"{name} got no signal")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


def test_ranks_get_the_signal_too(launcher: Any, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    launcher.write(TWO.replace("viewer.py", "viewer.py, ranks: 2"), sim=PATIENT, viewer=PATIENT)
    process = launcher.start()
    both_ready(tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert (tmp_path / "viewer.signal").read_text() == "SIGINT"


def test_nothing_outlives_a_launcher_that_is_killed(launcher: Any, tmp_path: Path) -> None:
    launcher.write(TWO, sim=PATIENT, viewer=STUBBORN)
    process = launcher.start()
    both_ready(tmp_path)
    process.kill()
    process.communicate(timeout=30)
    for name in ("sim", "viewer"):
        pid = int((tmp_path / f"{name}.pid").read_text())
        wait_for(lambda pid=pid: has_ended(pid), f"{name} outlived its launcher")
    run_directory = Path((tmp_path / "sim.dir").read_text()).parent
    wait_for(lambda: not run_directory.exists(), f"{run_directory} was left behind")


def test_who_reads_the_output_may_leave(launcher: Any, tmp_path: Path) -> None:
    launcher.write(TWO, sim="while True: print('more')", viewer=PATIENT)
    process = launcher.start()
    wait_for((tmp_path / "viewer.ready").exists, "viewer did not start")
    process.stdout.close()
    process.stdout = None
    assert process.wait(timeout=30) == 1
    assert has_ended(int((tmp_path / "viewer.pid").read_text()))


def test_a_terminal_shows_coloured_prefixes_and_a_live_line(launcher: Any) -> None:
    file = launcher.write(
        TWO + "streams: {field: {from: sim}}",
        sim="import time\nprint('out of sim')\ntime.sleep(1)",
        viewer="import sys\nprint('err of viewer', file=sys.stderr)",
    )
    screen = on_terminal([sys.executable, "-m", "staithe.cli", "run", str(file)])
    assert "\x1b[36msim    | \x1b[0mout of sim" in screen
    assert "\x1b[35mviewer | \x1b[0merr of viewer" in screen
    assert "waiting for sim" in screen
    assert "never opened" in screen


def on_terminal(command: list[str]) -> str:
    """What a command writes to a terminal of 100 columns."""
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    screen = b""
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    screen += os.read(master, 65536)
                except OSError:  # the terminal of a process that has ended
                    break
        assert process.wait(timeout=30) == 0, screen.decode()
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return screen.decode()
