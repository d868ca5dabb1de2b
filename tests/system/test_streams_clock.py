"""The wall clock may jump, by years and in both directions: deadlines neither pass early nor stretch."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compiled import COMPILER, clock_shim

YEAR = 365 * 86400

pytestmark = pytest.mark.skipif(
    COMPILER is None, reason="there is no C compiler to build the shim that moves the clock"
)


# Waits of every kind, while the clock jumps: each ends by what it waits for, or in time by the steady clock.
PROGRAM = """
import pathlib, sys, threading, time
import staithe
name, clock, jump = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
started = time.time()
def leap():
    clock.with_suffix(".new").write_text(jump)
    clock.with_suffix(".new").rename(clock)
def wait_in_vain(call):
    began = time.monotonic()
    threading.Timer(0.1, leap).start()
    try:
        call()
    except staithe.Timeout:
        waited = time.monotonic() - began
        assert 0.5 <= waited < 20, waited
    else:
        raise AssertionError("it should have waited in vain")
    clock.unlink(missing_ok=True)

out = staithe.writer(name, queue_steps=1, timeout=0.5)
reader = staithe.reader(name, timeout=0.5)
wait_in_vain(reader.next)
with out.step() as step:
    step.put("x", 1)
wait_in_vain(out.step)
wait_in_vain(lambda: staithe.reader(name + ".nobody", timeout=0.5))
wait_in_vain(lambda: staithe.writer(name + ".nobody", group=(1, 2), timeout=0.5))
lonely = staithe.writer(name + ".lonely", timeout=0.5)
wait_in_vain(lonely.close)

leap()
assert abs(time.time() - started - float(jump)) < 60, "the shim works"
threading.Timer(0.2, lambda: (leap(), out.step(10).end())).start()
assert next(reader)["x"][()] == 1
assert reader.next(10) is not None, "it waited for a step over a jump"
assert staithe.describe(name)["steps"] == 2
reader.close()
out.close()
print("done")
"""


@pytest.mark.parametrize("jump", [10 * YEAR, -10 * YEAR])
def test_the_wall_clock_jumps(start_python: Callable[..., Any], stream: str, tmp_path: Path, jump: int) -> None:
    clock = tmp_path / "clock"
    program = start_python(
        PROGRAM, stream, str(clock), str(jump), LD_PRELOAD=str(clock_shim()), CLOCK_SHIM=str(clock), STAITHE_TIMEOUT="5"
    )
    began = time.monotonic()
    output, errors = program.communicate(timeout=90)
    assert (output, program.returncode) == ("done\n", 0), errors
    assert time.monotonic() - began < 80
