"""How a program ends its streams when nobody tells it to: closed where it ends well, as failed where it does not."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staithe

Start = Callable[..., Any]

WRITER = """
import os, signal, sys, numpy as np, staithe
out = staithe.writer(sys.argv[1])
for i in range(3):
    with out.step() as step:
        step.put("x", np.full(1000, i))
{ending}
"""


def read_all(stream: str) -> tuple[list[int], str]:
    """The steps that came, and what the reader was told at the end: nothing, if that was an end."""
    steps = []
    try:
        for step in staithe.reader(stream, timeout=20):
            assert (step["x"][...] == step.index).all()
            steps.append(step.index)
    except staithe.WriterFailed as failure:
        return steps, str(failure)
    return steps, ""


@pytest.mark.parametrize("ending", ["", "sys.exit()", "sys.exit(0)", "raise SystemExit"])
def test_a_writer_that_is_never_closed_waits_for_its_reader(
    start_python: Start, stream: str, tmp_path: Any, ending: str
) -> None:
    program = start_python(WRITER.format(ending=f"print('over', flush=True)\n{ending}"), stream)
    assert program.stdout.readline() == "over\n"  # nothing is left to be done but to end
    assert read_all(stream) == ([0, 1, 2], "")
    assert program.wait(20) == 0


@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [
        ("raise ValueError('the pressure is negative\\nin cell 7')", 1, "ValueError: the pressure is negative ("),
        ("sys.exit(1)", 1, "the program ended with exit code 1"),
        ("sys.exit('no input')", 1, "the program ended with exit code 1"),
        ("raise SystemExit(3)", 3, "the program ended with exit code 3"),
        ("os.kill(os.getpid(), signal.SIGINT)", -2, "KeyboardInterrupt"),
    ],
)
def test_a_program_that_fails_ends_its_streams_as_failed(
    start_python: Start, stream: str, ending: str, code: int, said: str
) -> None:
    results: list[tuple[list[int], str]] = []
    reading = threading.Thread(target=lambda: results.append(read_all(stream)))
    reading.start()
    program = start_python(WRITER.format(ending=ending), stream)
    assert program.wait(20) == code
    reading.join()
    steps, failure = results[0]
    assert steps == [0, 1, 2]
    assert f"writer rank 0, python3.11 (pid {program.pid} on" in failure
    assert said in failure
    assert "\n" not in failure


def write_and_raise(stream: str, error: BaseException) -> staithe.Reader:
    """Writes a step, and leaves the writer's block by an exception; returns a reader."""
    with contextlib.suppress(type(error)), staithe.writer(stream, timeout=10) as out:
        reader = staithe.reader(stream, timeout=10)
        with out.step() as step:
            step.put("x", np.zeros(3))
        with out.step() as step:
            step.put("x", np.ones(3))
            raise error
    return reader


def test_an_exception_that_leaves_the_writers_block_is_a_failure(stream: str) -> None:
    reader = write_and_raise(stream, ArithmeticError("the pressure is negative"))
    assert next(reader)["x"][...].sum() == 0
    with pytest.raises(staithe.WriterFailed, match="ArithmeticError: the pressure is negative"):
        next(reader)


@pytest.mark.parametrize("code", [None, 0])
def test_sys_exit_without_a_code_is_no_failure(stream: str, code: int | None) -> None:
    assert [step.index for step in write_and_raise(stream, SystemExit(code))] == [0]


def test_a_program_says_that_it_failed(stream: str) -> None:
    with staithe.writer(stream, timeout=10) as out, staithe.reader(stream, timeout=10) as reader:
        with out.step() as step:
            step.put("x", 1)
        out.fail("ran out of fuel")
        assert out.closed
        out.fail("twice")
        assert next(reader).index == 0
        with pytest.raises(staithe.WriterFailed, match="ran out of fuel"):
            next(reader)


def test_a_writer_that_is_dropped_says_what_it_loses(run_python: Callable[..., str], stream: str) -> None:
    said = run_python(
        """
import contextlib, os, sys, staithe
os.dup2(1, 2)
def produce():
    out = staithe.writer(sys.argv[1])
    for i in range(3):
        with out.step() as step:
            step.put("x", i)
produce()
""",
        stream,
    )
    assert "ends without having been closed: 3 of its steps are lost" in said


def test_the_last_step_stays_after_the_loop(stream: str) -> None:
    with staithe.writer(stream, timeout=10) as out:
        reader = staithe.reader(stream, timeout=10)
        for number in range(3):
            with out.step() as step:
                step.put("x", number)
    last = None
    for step in reader:
        last = step
    assert last is not None
    assert last["x"][...] == 2


def test_a_step_that_ends_while_another_thread_puts_is_whole(stream: str) -> None:
    big = np.arange(20_000_000.0)
    with staithe.writer(stream, timeout=30, queue_bytes="1 GiB") as out:
        reader = staithe.reader(stream, timeout=30)
        step = out.step()
        entered = threading.Event()

        def put() -> None:
            entered.set()
            step.put("x", big)

        thread = threading.Thread(target=put)
        thread.start()
        entered.wait()
        time.sleep(0.002)  # most often it is in the middle then
        step.end()
        thread.join()
        read = next(reader)
        assert "x" not in read or (read["x"][...] == big).all()
