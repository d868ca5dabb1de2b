"""Ctrl-C ends every call that waits, at once, and nothing is left behind."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

import staithe

WAITS = {
    "for a writer": "staithe.reader(name)",
    "for rank 0": "staithe.writer(name, group=(1, 2))",
    "for a step": """
out = staithe.writer(name)
reader = staithe.reader(name)
waiting()
try:
    next(reader)
finally:
    out.close()
""",
    "for room in the queue": """
with staithe.writer(name, queue_steps=1) as out:
    out.step().end()
    waiting()
    out.step()
""",
    "for readers to join": """
out = staithe.writer(name)
out.step().end()
waiting()
out.close()
""",
    "for an inline analysis of another rank": """
class Nothing(staithe.Analysis):
    def step(self, step): pass
with staithe.writer(name, group=(0, 2), analyses=[Nothing()]) as out:
    out.step().end()
""",
}

HEAD = """
import os, sys
import staithe
name = sys.argv[1]
def waiting(): print("waiting", flush=True)
"""


@pytest.mark.parametrize("wait", WAITS)
def test_ctrl_c_ends_a_wait(start_python: Callable[..., Any], stream: str, wait: str) -> None:
    body = WAITS[wait]
    program = start_python(HEAD + ("" if "waiting()" in body else "waiting()\n") + body, stream)
    assert program.stdout.readline() == "waiting\n"
    time.sleep(0.3)
    assert program.poll() is None, program.stderr.read()
    began = time.monotonic()
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=20)
    assert time.monotonic() - began < 10, "long before the timeout of 30 s"
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert stream not in [found["name"] for found in staithe.streams()]


def test_handlers_that_do_not_raise_let_it_wait_on(start_python: Callable[..., Any], stream: str) -> None:
    program = start_python(
        HEAD
        + """
import signal
signal.signal(signal.SIGUSR1, lambda *_: print("handled", flush=True))
waiting()
print(next(staithe.reader(name))["x"][()], flush=True)
""",
        stream,
    )
    assert program.stdout.readline() == "waiting\n"
    program.send_signal(signal.SIGUSR1)
    assert program.stdout.readline() == "handled\n"
    with staithe.writer(stream) as out, out.step() as step:
        step.put("x", 7)
    assert program.communicate(timeout=20) == ("7\n", "")
