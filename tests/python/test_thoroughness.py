"""tools/thoroughness.py: one seed decides what is drawn, and a sample meets all that there is of anything."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest

import thoroughness

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 3, 9)

CASES = [
    {"codec": codec, "bound": bound, "dtype": dtype}
    for codec, bound, dtype in itertools.product(("dq", "zfp", "sz3"), range(7), ("f4", "f8"))
]


@pytest.mark.parametrize(
    ("environment", "seed"),
    [
        ({}, thoroughness.USERS_SEED),
        ({"CI": ""}, thoroughness.USERS_SEED),
        ({"CI": "true"}, 20260309),
        ({"STAITHE_TEST_SEED": "686627172"}, 686627172),
        ({"STAITHE_TEST_SEED": "7", "CI": "true"}, 7),
        ({"STAITHE_TEST_SEED": "", "CI": "true"}, 20260309),
    ],
)
def test_users_have_one_seed_and_ci_one_a_day(environment: dict[str, str], seed: int) -> None:
    assert thoroughness.seed_of(environment, TODAY) == seed


def values_of(field: str, numbers: Iterable[int]) -> set[object]:
    return {CASES[number][field] for number in numbers}


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_meets_every_value_of_every_field(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thoroughness, "SEED", seed)
    monkeypatch.setattr(thoroughness, "IS_LONG", False)
    chosen = thoroughness.sample(CASES, "codecs")
    assert 7 <= len(chosen) <= 12
    for field in CASES[0]:
        assert values_of(field, chosen) == values_of(field, range(len(CASES)))
    assert thoroughness.sample(CASES, "codecs") == chosen
    assert thoroughness.sample([], "nothing") == []


def test_samples_of_other_seeds_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thoroughness, "IS_LONG", False)
    met: set[int] = set()
    for seed in range(40):
        monkeypatch.setattr(thoroughness, "SEED", seed)
        met |= set(thoroughness.sample(CASES, "codecs"))
    assert met == set(range(len(CASES)))


def test_the_long_tests_leave_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thoroughness, "IS_LONG", True)
    assert thoroughness.sample(CASES, "codecs") == list(range(len(CASES)))
    assert thoroughness.examples(100) == 100
    assert thoroughness.has_its_turn("anything", 1000)
    monkeypatch.setattr(thoroughness, "IS_LONG", False)
    assert 1 <= thoroughness.examples(2) <= thoroughness.examples(100) < 100


FAILING = """
import pytest
from hypothesis import given, strategies as st

@pytest.mark.sampled("cases")
@pytest.mark.parametrize("a", range(9))
@pytest.mark.parametrize("b", range(9))
def test_cases(a, b):
    print("case", a, b)

@given(number=st.integers())
def test_drawn(number):
    print("drawn", number)

def test_failing():
    assert False
"""


def run_pytest(directory: Path, **environment: str) -> str:
    """What pytest prints, run on three tests with the hooks of all of ours."""
    (directory / "test_three.py").write_text(FAILING)
    options = ["-s", "-p", "conftest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(directory)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(directory)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests"), "STAITHE_TEST_LONG": ""} | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def drawn(output: str) -> list[str]:
    return [line for line in output.splitlines() if "case " in line or "drawn " in line]


def test_pytest_draws_by_the_seed_and_says_how_to_run_a_failure_again(tmp_path: Path) -> None:
    first, again, other = (run_pytest(tmp_path, STAITHE_TEST_SEED=seed) for seed in ("11", "11", "12"))
    assert drawn(first) == drawn(again)
    assert drawn(first) != drawn(other)
    assert 9 <= sum("case " in line for line in drawn(first)) <= 20
    assert "cases: a sample, drawn by seed 11; the same again: STAITHE_TEST_SEED=11 pytest" in first
    assert f"STAITHE_TEST_SEED=11 {sys.executable} -m pytest test_three.py::test_failing" in first
    everything = run_pytest(tmp_path, STAITHE_TEST_SEED="11", STAITHE_TEST_LONG="1")
    assert sum("case " in line for line in drawn(everything)) == 81
    assert f"STAITHE_TEST_SEED=11 STAITHE_TEST_LONG=1 {sys.executable} -m pytest" in everything
