"""Programs that end without closing their streams, or fork: nothing hangs, crashes or stays behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import staithe

Run = Callable[..., str]


def test_steps_of_a_program_that_forgot_to_close_are_read_to_the_end(
    start_python: Callable[..., Any], stream: str
) -> None:
    program = start_python(
        """
import sys, staithe
out = staithe.writer(sys.argv[1])
for i in range(5):
    with out.step() as step:
        step.put("x", [i] * 1000)
sys.stdin.readline()
""",
        stream,
    )
    reader = staithe.reader(stream)
    first = next(reader)
    program.stdin.write("\n")
    program.stdin.close()
    assert [step["x"][-1] for step in [first]] + [step["x"][-1] for step in reader] == [0, 1, 2, 3, 4]
    assert program.wait(20) == 0
    assert "the writer of stream" in program.stderr.read(), "a ResourceWarning says what was forgotten"


FORGETFUL = {
    "in a global": "keep = (out, reader, step, view)",
    "in a cycle": "cycle = [out, reader, step, view]; cycle.append(cycle); del cycle, out, reader, step, view",
    "in a module": "sys.keep = (out, reader, step, view)",
    "in a thread": """
import threading
def wait():
    global out
    staithe.reader("nobody-writes-this").next()
threading.Thread(target=wait, daemon=True).start()
""",
    "with a step open": "writing = out.step(); writing.put('x', 1)",
    "with a loan open": "writing = out.step(); loan = writing.loan('v', count=1000); v = loan.__enter__(); v[:] = 1",
    "by sys.exit": "sys.exit(0)",
    "in a generator": """
def produce():
    with staithe.writer(name + ".generator", readers=0) as other:
        with other.step() as step:
            step.put("x", 1)
            yield
generator = produce()
next(generator)
""",
}


@pytest.mark.parametrize("where", FORGETFUL)
def test_a_program_may_end_with_everything_open(start_python: Callable[..., Any], stream: str, where: str) -> None:
    program = start_python(
        f"""
import sys, warnings, staithe
warnings.simplefilter("ignore", ResourceWarning)
name = sys.argv[1]
out = staithe.writer(name)
reader = staithe.reader(name)
with out.step() as step:
    step.put("x", range(10))
step = next(reader)
view = step["x"][...]
{FORGETFUL[where]}
""",
        stream,
    )
    output, errors = program.communicate(timeout=30)
    assert (program.returncode, output, errors) == (0, "", "")
    assert not [found for found in staithe.streams() if found["name"].startswith(stream)]


def test_nothing_is_left_in_the_run_directory(run_python: Run, stream: str, tmp_path: Path) -> None:
    run_python(
        """
import sys, staithe
with staithe.writer(sys.argv[1], readers=0) as out, out.step() as step:
    step.put("x", range(10))
""",
        stream,
        STAITHE_RUN_DIR=str(tmp_path / "run"),
    )
    assert list((tmp_path / "run").iterdir()) == []


def test_a_forked_child_leaves_its_parents_streams_alone(run_python: Run, stream: str) -> None:
    output = run_python(
        """
import os, sys, staithe
name = sys.argv[1]
out = staithe.writer(name)
reader = staithe.reader(name)
with out.step() as step:
    step.put("x", range(10))
view = next(reader)["x"][...]
for ending in ("out.close(); reader.close()", "sys.exit(0)", "del globals()['out'], globals()['reader']"):
    child = os.fork()
    if child == 0:
        assert out.closed and reader.closed
        for attempt in (out.step, reader.next):
            try:
                attempt()
            except staithe.Closed:
                pass
            else:
                os._exit(3)
        assert view.sum() == 45
        exec(ending)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0, ending
    with out.step() as step:
        step.put("x", range(10))
    assert next(reader)["x"][...].sum() == 45
out.close()
print(reader.next())
""",
        stream,
    )
    assert output == "None\n"


def test_a_forked_child_opens_streams_of_its_own(run_python: Run, stream: str) -> None:
    output = run_python(
        """
import multiprocessing, sys, staithe
def work(name):
    with staithe.writer(name) as out, out.step() as step:
        step.put("x", 7)
name = sys.argv[1]
with staithe.writer(name + ".parent", readers=0):
    child = multiprocessing.get_context("fork").Process(target=work, args=(name,))
    child.start()
    print([int(step["x"][()]) for step in staithe.reader(name)], flush=True)
    child.join()
""",
        stream,
    )
    assert output == "[7]\n"


def test_a_waiting_program_uses_no_processor(start_python: Callable[..., Any], stream: str) -> None:
    program = start_python(
        """
import sys, time, staithe
with staithe.writer(sys.argv[1]) as out, staithe.reader(sys.argv[1]) as reader:
    try:
        reader.next(timeout=2)
    except staithe.Timeout:
        print(time.process_time() < 1.5)
""",
        stream,
    )
    began = time.monotonic()
    output, errors = program.communicate(timeout=30)
    assert (output, errors) == ("True\n", "")
    assert time.monotonic() - began >= 2
