"""Recordings on a disk that fails to have a file on it (EIO of fsync): nobody knows then what is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from compiled import COMPILER, sync_shim
from recorded import by_stock_tools

import staithe

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

GOOD, STEPS = 3, 8  # steps before the disk may fail, and in all

# Steps, one of them of another kind, and what became of each. From the fourth on the disk may fail.
RECORDS = f"""
import sys
from pathlib import Path
import numpy as np
import staithe
path, armed, attempt = sys.argv[1:]
with staithe.writer("bad") as out, staithe.reader("bad") as live:
    try:
        with staithe.Recorder(path) as recorder:
            for i in range({STEPS}):
                if i == {GOOD}:
                    Path(armed).write_text(attempt)
                with out.step() as step:
                    step.put("x", np.full((40, 50), float(i)))
                    if i == {GOOD + 1}:
                        step.put("more", np.full(3, i))
                try:
                    recorder.append(next(live))
                    print(i, "stored", flush=True)
                except staithe.Error as problem:
                    print(i, problem, flush=True)
    except staithe.Error as problem:
        print({STEPS}, problem, flush=True)  # of the last ones, at the end
"""


def numbers_in(path: Path) -> list[int]:
    """Of the steps that stock tools and ours find there, each whole."""
    numbers = []
    for step in staithe.reader(str(path)):
        assert (step["x"][...] == step.index).all()
        numbers.append(step.index)
    with by_stock_tools(path) as stock:
        along = list(stock["step"].elements)
        np.testing.assert_array_equal(stock["x"].elements[:, 39, 49], along)
    assert set(along) <= set(numbers)
    return numbers


@needs_compiler
@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_disk_that_fails_costs_no_step_that_was_acknowledged(ending: str, tmp_path: Path) -> None:
    failed = unknown = 0
    for attempt in range(1, 13):
        path, armed = tmp_path / f"{attempt}{ending}", tmp_path / f"{attempt}.armed"
        ran = subprocess.run(
            [sys.executable, "-c", RECORDS, str(path), str(armed), str(attempt)],
            env={**os.environ, "LD_PRELOAD": str(sync_shim()), "SYNC_SHIM": str(armed)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ran.returncode == 0, ran.stderr
        told = {int(line.split()[0]): line.split(maxsplit=1)[1] for line in ran.stdout.splitlines()}
        stored = {step for step, what in told.items() if what == "stored"}
        problems = [what for what in told.values() if what != "stored"]
        assert set(range(GOOD)) <= stored
        there = numbers_in(path)
        assert stored <= set(there) <= set(range(STEPS))
        if problems:
            failed += 1
            assert "Input/output error" in problems[0], problems
        if first := next((step for step, what in told.items() if what.startswith("it is not known")), None):
            unknown += 1
            assert all("resume" in what for step, what in told.items() if step > first), told
        with (
            staithe.writer("bad") as out,
            staithe.reader("bad") as live,
            staithe.Recorder(path, resume=True) as recorder,
        ):
            assert recorder.newest == there[-1]
            for i in range(STEPS + 1):
                with out.step() as step:
                    step.put("x", np.full((40, 50), float(i)))
                if (got := next(live)).index > there[-1]:
                    recorder.append(got)
        assert numbers_in(path) == [*there, *range(there[-1] + 1, STEPS + 1)]
    assert failed > 2
    assert unknown > 0
