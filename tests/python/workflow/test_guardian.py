"""What a killed launcher leaves is ended by its guardian, whatever it does about that."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import staithe.workflow

GUARDIAN = Path(staithe.workflow.__file__).parent / "guardian.py"

# Told to end, it starts another one in a session of its own, as launchers of MPI programs do.
STARTS_ANOTHER = """
import signal, subprocess, sys, time
def start_another(*_):
    subprocess.Popen(["sleep", "infinity"], start_new_session=True)
    sys.exit()
signal.signal(signal.SIGTERM, start_another)
print("ready", flush=True)
time.sleep(60)
"""


def test_what_is_started_while_others_end_is_ended_too(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    environment = os.environ | {"STAITHE_SUMMARY_DIR": f"{directory}/summaries"}
    end, mark = os.pipe()  # which all of them hold
    guardian = subprocess.Popen([sys.executable, str(GUARDIAN), str(directory)], stdin=subprocess.PIPE)
    program = subprocess.Popen(
        [sys.executable, "-c", STARTS_ANOTHER.replace("start_new", f"pass_fds=[{mark}], start_new")],
        env=environment,
        pass_fds=[mark],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(mark)
    with program, guardian, os.fdopen(end) as ended:
        assert program.stdout and program.stdout.readline() == b"ready\n"
        assert guardian.stdin
        guardian.stdin.close()
        assert program.wait(30) == 0
        assert guardian.wait(30) == 0
        assert select.select([ended], [], [], 10)[0], "somebody holds the mark still"
    assert not directory.exists()
