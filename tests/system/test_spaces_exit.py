"""Programs that end with everything open, or with calls under way: nothing crashes, hangs or is lost without a word."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from space_servers import own_run_directory, serving

import staithe

Start = Callable[..., subprocess.Popen[str]]

HEAD = """
import multiprocessing, os, sys, threading
import numpy as np
import staithe
"""


@pytest.fixture
def space() -> Iterator[staithe.Space]:
    with own_run_directory(), serving("--memory", "40MB"), staithe.space("campaign", server="staithe") as opened:
        yield opened


def end_of(program: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, errors = program.communicate(timeout=60)
    return program.returncode, out, errors


@pytest.mark.parametrize("server", ["", "staithe"])
def test_threads_that_wait_are_left_alone(space: staithe.Space, start_python: Start, server: str) -> None:
    """Python ends daemon threads where they ask for its lock, which those in a wait do all the time."""
    text = f"""
space = staithe.space("campaign", server={server!r})
def wait():
    while True:
        try:
            space.get("nobody puts it", timeout=0.0005)
        except staithe.Timeout:
            pass
for _ in range(8):
    threading.Thread(target=wait, daemon=True).start()
threading.Thread(target=space.get, args=("nobody puts it",), daemon=True).start()
"""
    programs = [start_python(HEAD + text) for _ in range(4)]
    assert [end_of(program) for program in programs] == [(0, "", "")] * 4


FORGETFUL = {
    "in a global": "held = (space, lock, view, watch, waiting)",
    "in a cycle": "cycle = [space, lock, view, watch, waiting]; cycle.append(cycle); del cycle, space, lock, view",
    "by sys.exit": "sys.exit(0)",
}


@pytest.mark.parametrize("where", FORGETFUL)
def test_a_program_may_end_with_everything_open(space: staithe.Space, start_python: Start, where: str) -> None:
    text = f"""
space = staithe.space("campaign")
space.put("x", np.arange(3))
lock, view, watch = space.lock("x"), space.view("y", "write", shape=3, dtype="f8"), space.watch("z")
view.__enter__()[:] = 5
waiting = space.get_async("nobody puts it")
{FORGETFUL[where]}
"""
    assert end_of(start_python(HEAD + text)) == (0, "", "")
    with space.lock("x", timeout=10), space.lock("y", timeout=10):
        assert space.names() == ["x"]


PUTS = "for i in range(40): space.put_async('x', np.full(10_000, i), version=i)"
PUTTING = {
    "at its end": f"space = staithe.space('campaign')\n{PUTS}",
    "from a space that nobody has any more": f"def put(space):\n    {PUTS}\nput(staithe.space('campaign'))",
    "in a process of multiprocessing": f"""
def put():
    space = staithe.space("campaign")
    {PUTS}
program = multiprocessing.get_context("fork").Process(target=put)
program.start()
program.join()
""",
    "with a child that was forked": f"""
space = staithe.space("campaign")
{PUTS}
if os.fork() == 0:
    sys.exit()
""",
}


@pytest.mark.parametrize("where", PUTTING)
def test_what_was_put_without_waiting_is_put(space: staithe.Space, start_python: Start, where: str) -> None:
    assert end_of(start_python(HEAD + PUTTING[where])) == (0, "", "")
    for version in range(40):
        assert (space.get("x", version=version, timeout=0) == version).all()


def test_what_could_not_be_put_is_told(space: staithe.Space, start_python: Start) -> None:
    text = """
space = staithe.space("campaign", timeout=0.2)
for i in range(30): space.put_async("x", np.ones(500_000), version=i)
"""
    code, out, errors = end_of(start_python(HEAD + text))
    assert (code, out) == (0, "")
    put = len(space.versions("x"))
    assert 0 < put < 30
    assert f"staithe: {30 - put} blocks that nobody waited for were not put: waited 0.2 s" in errors


def test_a_batch_that_was_not_sent_is_told(space: staithe.Space, start_python: Start) -> None:
    text = "batch = staithe.space('campaign').batch()\nfor i in range(5): batch.put('x', np.arange(i))"
    code, _, errors = end_of(start_python(HEAD + text))
    assert code == 0
    assert "RuntimeWarning: 5 blocks of a batch are lost" in errors
    assert space.names() == []


@pytest.mark.parametrize("call", ["space.lock('x')", "next(space.watch('y'))", "space.reduce('y', 'sum')"])
def test_ctrl_c_ends_it(space: staithe.Space, start_python: Start, call: str) -> None:
    space.put("x", np.zeros(2))
    with space.lock("x"):
        program = start_python(HEAD + f"space = staithe.space('campaign')\nprint('waits', flush=True)\n{call}")
        assert program.stdout is not None
        assert program.stdout.readline() == "waits\n"
        program.send_signal(2)
        assert end_of(program)[2].rstrip().endswith("KeyboardInterrupt")
