"""Recorders whose calls of the system fail, when nobody knows what is on the disk (EIO of fsync), and such as are
killed before, after and in the midst of any of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from compiled import COMPILER, sync_shim
from deaths import NEVER, Death, moments
from recorded import numbers_there, record

import staithe
from thoroughness import examples

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")

GOOD, STEPS = 3, 8  # steps before the disk may fail, and in all
WHOLE = [{"x": np.full((40, 50), float(i))} for i in range(STEPS + 1)]  # and one more

# Steps, one of them of another kind, and what became of each. Before step `sys.argv[4]` what is to go wrong is armed.
RECORDS = f"""
import sys
from pathlib import Path
import numpy as np
import staithe
path, armed, number, first = sys.argv[1:]
def arm(step):
    if step == int(first):
        Path(armed).write_text(number)
with staithe.writer("bad") as out, staithe.reader("bad") as live:
    try:
        arm(-1)
        with staithe.Recorder(path) as recorder:
            for i in range({STEPS}):
                arm(i)
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


def what_became(path: Path, armed: Path, number: int, first: int, env: Mapping[str, str]) -> dict[int, str]:
    """Of each step, as far as the program came."""
    ran = subprocess.run(
        [sys.executable, "-c", RECORDS, str(path), str(armed), str(number), str(first)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode in (0, -9), ran.stderr
    lines = [line.split(maxsplit=1) for line in ran.stdout.splitlines(keepends=True) if line.endswith("\n")]
    return {int(step): what.strip() for step, what in lines}


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_disk_that_fails_costs_no_step_that_was_acknowledged(ending: str, tmp_path: Path) -> None:
    failed = unknown = 0
    for attempt in range(1, 13):
        path, armed = tmp_path / f"{attempt}{ending}", tmp_path / f"{attempt}.armed"
        shim = {"LD_PRELOAD": str(sync_shim()), "SYNC_SHIM": str(armed)}
        told = what_became(path, armed, attempt, GOOD, shim)
        stored = {step for step, what in told.items() if what == "stored"}
        problems = [what for what in told.values() if what != "stored"]
        assert set(range(GOOD)) <= stored
        there = numbers_there(path)
        assert stored <= set(there) <= set(range(STEPS))
        if problems:
            failed += 1
            assert "Input/output error" in problems[0], problems
        if first := next((step for step, what in told.items() if what.startswith("it is not known")), None):
            unknown += 1
            assert all("resume" in what for step, what in told.items() if step > first), told
        record(path, WHOLE, [], resume=True)
        assert numbers_there(path) == [*there, *range(there[-1] + 1, STEPS + 1)]
    assert failed > 2
    assert unknown > 0


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_signals_that_break_calls_off_cost_nothing(ending: str, tmp_path: Path) -> None:
    path, armed = tmp_path / f"x{ending}", tmp_path / "armed"
    told = what_became(path, armed, 0, -1, {"LD_PRELOAD": str(sync_shim()), "SYNC_SHIM": str(armed)})
    assert told == dict.fromkeys(range(STEPS), "stored")
    assert numbers_there(path) == list(range(STEPS))


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_recorder_may_be_killed_at_any_of_its_calls(ending: str, tmp_path: Path) -> None:
    def live_and_die(moment: int) -> tuple[dict[int, str], Path, Death]:
        place = tmp_path / str(moment)
        place.mkdir()
        death, path = Death(place), place / f"x{ending}"
        return what_became(path, death.file, moment, -1, death.environment), path, death

    told, path, death = live_and_die(NEVER)
    assert len(told) == STEPS == len(numbers_there(path))
    begun = 0
    for moment in moments(death.moments(), f"recorder {ending}", max(8, examples(200))):
        told, path, _ = live_and_die(moment)
        assert set(told.values()) <= {"stored"}
        if told:
            begun += 1
            there = numbers_there(path)
            assert there == list(range(len(there)))
            assert len(told) <= len(there) <= len(told) + 1
        try:
            record(path, WHOLE, [], resume=True)
        except staithe.NotFound:
            assert not told, "there is no recording yet"
        else:
            assert numbers_there(path) == list(range(STEPS + 1))
    assert begun > 0
