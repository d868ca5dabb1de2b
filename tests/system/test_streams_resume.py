"""A writer that is killed and comes back: it goes on after its last published step, and so do those who wait for it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

import staithe

Program = Popen[str]

WRITER = """
import json, sys, time
import numpy as np
import staithe
name, last, resume, readers = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "resume", int(sys.argv[4])
with staithe.writer(name, resume=resume, queue_steps=4, readers=readers) as out:
    print(out.next_step, flush=True)
    while out.next_step < last:
        with out.step() as step:
            step.put("x", np.full(100, step.index))
    if last < 30:
        with out.step() as step:  # never published
            step.put("x", np.full(100, -1))
            print("in the step", flush=True)
            time.sleep(100)
"""

READER = """
import sys
import numpy as np
import staithe
seen = []
try:
    for step in staithe.reader(sys.argv[1], resume=sys.argv[2] == "resume"):
        assert (step["x"][...] == step.index).all()
        seen.append(step.index)
    print(*seen, "end")
except staithe.PeerLost as error:
    print(*seen, error)
"""


def kill(program: Program) -> None:
    program.send_signal(signal.SIGKILL)
    program.wait(20)


def test_writer_and_readers_go_on(stream: str, run_directory: Path, start_python: Callable[..., Program]) -> None:
    reader = start_python(READER, stream, "resume")
    plain = start_python(READER, stream, "plain")
    for last, begins, readers in ((7, "0\n", 2), (12, "7\n", 1), (30, "12\n", 1)):
        writer = start_python(WRITER, stream, str(last), "resume", str(readers))
        assert writer.stdout is not None
        assert writer.stdout.readline() == begins
        if last < 30:
            # What was given to nobody is lost with its writer.
            while sum(reader["steps"] + reader["lag"] > 0 for reader in staithe.describe(stream)["readers"]) < readers:
                time.sleep(0.01)
            assert writer.stdout.readline() == "in the step\n"
            kill(writer)
    lost = plain.communicate(timeout=30)[0]
    assert "writer rank 0" in lost and "died" in lost
    output, errors = reader.communicate(timeout=30)
    assert output.split() == [*map(str, range(30)), "end"], errors
    assert writer.wait(30) == 0
    assert not (run_directory / f"{stream}.progress").exists(), "a stream that ended leaves nothing to resume"


def test_without_resume_the_numbers_begin_anew(stream: str, start_python: Callable[..., Program]) -> None:
    reader = start_python(READER, stream, "plain")
    writer = start_python(WRITER, stream, "5", "anew", "1")
    assert writer.stdout is not None
    assert writer.stdout.readline() == "0\n"
    assert writer.stdout.readline() == "in the step\n"
    kill(writer)
    reader.communicate(timeout=30)
    with staithe.writer(stream, readers=0) as out:
        assert out.next_step == 0
    with staithe.writer(stream, readers=0, resume=True) as out:
        assert out.next_step == 0, "the second writer has ended the stream"


def test_a_reader_does_not_wait_for_ever(stream: str, start_python: Callable[..., Program]) -> None:
    writer = start_python(WRITER, stream, "2", "anew", "1")
    assert writer.stdout is not None
    writer.stdout.readline()
    with staithe.reader(stream, resume=True, timeout=1) as reader:
        assert [next(reader).index, next(reader).index] == [0, 1]
        kill(writer)
        with pytest.raises(staithe.PeerLost, match="died after 2 steps had been read, and it did not come back within"):
            next(reader)


def test_a_stream_without_a_step_leaves_nothing_to_resume(stream: str, run_directory: Path) -> None:
    with pytest.raises(ArithmeticError), staithe.writer(stream):
        raise ArithmeticError
    assert not (run_directory / f"{stream}.progress").exists()


def test_what_is_left_of_a_stream_is_small(
    stream: str, run_directory: Path, start_python: Callable[..., Program]
) -> None:
    """After a kill only the mark of the last step stays; the next who looks removes the rest."""
    writer = start_python(WRITER, stream, "3", "anew", "1")
    assert writer.stdout is not None
    writer.stdout.readline()
    with staithe.reader(stream) as reader:
        for _ in range(3):
            next(reader)
        kill(writer)
        with pytest.raises(staithe.PeerLost):
            next(reader)
    assert staithe.streams() == []
    left = [file.name for file in run_directory.iterdir() if file.name.startswith(stream)]
    assert left == [f"{stream}.progress"]
    assert (run_directory / left[0]).stat().st_size == 16
