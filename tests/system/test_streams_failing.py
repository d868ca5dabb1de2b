"""How a program ends its streams when nobody tells it to: closed where it ends well, as failed where it does not."""

from __future__ import annotations

import contextlib
import subprocess
import sys
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


DROPPED = """
import sys, staithe
def produce():
    out = staithe.writer(sys.argv[1])
    for i in range(3):
        with out.step() as step:
            step.put("x", [i] * 1000)
produce()
print("over", flush=True)
"""


def test_a_writer_that_is_dropped_waits_for_its_reader_at_the_end(start_python: Start, stream: str) -> None:
    program = start_python(DROPPED, stream)
    assert program.stdout.readline() == "over\n"
    assert read_all(stream) == ([0, 1, 2], "")
    assert program.wait(20) == 0


def test_a_writer_that_is_dropped_gives_its_name_to_the_next(start_python: Start, stream: str) -> None:
    program = start_python(f"{DROPPED}produce()\nprint('twice', flush=True)", stream)
    assert [program.stdout.readline() for _ in range(2)] == ["over\n", "twice\n"]
    assert read_all(stream) == ([0, 1, 2], "")
    assert program.wait(20) == 0
    assert "3 of its steps are lost" in program.stderr.read()


def test_a_step_that_is_open_at_the_end_is_a_failure(start_python: Start, stream: str) -> None:
    results: list[tuple[list[int], str]] = []
    reading = threading.Thread(target=lambda: results.append(read_all(stream)))
    reading.start()
    program = start_python(WRITER.format(ending="last = out.step()\nlast.put('x', np.zeros(3))"), stream)
    assert program.wait(20) == 0
    reading.join()
    assert results[0][0] == [0, 1, 2]
    assert "failed: step 3 was neither ended nor abandoned" in results[0][1]


def test_an_exception_that_ends_a_thread_is_a_failure(start_python: Start, stream: str) -> None:
    """But a stream that another thread writes goes on."""
    program = start_python(
        """
import sys, threading, staithe

def produce():
    out = staithe.writer(sys.argv[1])
    for i in range(3):
        with out.step() as step:
            step.put("x", [i] * 1000)
    sys.stdin.readline()
    raise ArithmeticError("diverged")

thread = threading.Thread(target=produce)
thread.start()
with staithe.writer(sys.argv[1] + ".other") as other:
    thread.join()
    with other.step() as step:
        step.put("x", [0] * 1000)
""",
        stream,
    )
    reader = staithe.reader(stream, timeout=20)
    other = staithe.reader(f"{stream}.other", timeout=20)
    assert [next(reader).index for _ in range(3)] == [0, 1, 2]
    program.stdin.write("\n")
    program.stdin.close()
    with pytest.raises(staithe.WriterFailed, match="ArithmeticError: diverged"):
        next(reader)
    assert [step.index for step in other] == [0]
    assert program.wait(20) == 0
    assert "ArithmeticError: diverged" in program.stderr.read()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_process_of_multiprocessing_ends_its_streams(
    start_python: Start, stream: str, tmp_path: Any, method: str, fails: bool
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import multiprocessing, sys
import staithe

def produce(name):
    global out
    out = staithe.writer(name)
    for i in range(3):
        with out.step() as step:
            step.put("x", [i] * 1000)
    if {fails}:
        raise ArithmeticError("diverged")

if __name__ == "__main__":
    child = multiprocessing.get_context("{method}").Process(target=produce, args=sys.argv[1:])
    child.start()
    child.join()
"""
    )
    results: list[tuple[list[int], str]] = []
    reading = threading.Thread(target=lambda: results.append(read_all(stream)))
    reading.start()
    subprocess.run([sys.executable, str(program), stream], check=True, timeout=60)
    reading.join()
    steps, failure = results[0]
    assert steps == [0, 1, 2]
    assert ("failed: ArithmeticError: diverged" in failure) == fails


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
