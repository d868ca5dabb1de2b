"""tools/run_tests.py: reports are added up right, and a program that died is not taken for one that passed."""

from __future__ import annotations

import os
import select
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from run_tests import Tally, judge, read_amounts, read_report, run

GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="1" errors="0" time="0.1" name="AllTests">
  <testsuite name="Box" tests="4" failures="1" disabled="1" skipped="1" errors="0" time="0.1">
    <testcase name="IsEmpty" status="run" result="completed" time="0" classname="Box" />
    <testcase name="Intersects" status="run" result="completed" time="0" classname="Box">
      <failure message="no" type=""/>
    </testcase>
    <testcase name="IsHuge" status="run" result="skipped" time="0" classname="Box"><skipped message="no"/></testcase>
    <testcase name="DISABLED_Old" status="notrun" result="suppressed" time="0" classname="Box" />
  </testsuite>
</testsuites>"""

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="0" skipped="1" tests="3">
  <testcase classname="tests.test_a" name="test_one"/>
  <testcase classname="tests.test_a" name="test_two"><error message="failed on setup"/></testcase>
  <testcase classname="tests.test_a" name="test_three"><skipped message="no MPI"/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize("text", [GOOGLETEST, PYTEST])
def test_a_report_is_counted_by_cases(tmp_path: Path, text: str) -> None:
    report = tmp_path / "report.xml"
    report.write_text(text)
    assert read_report(report) == Tally(passed=1, failed=1, skipped=1)


def test_a_missing_report_is_a_failure(tmp_path: Path) -> None:
    assert judge("unit_os", tmp_path / "none.xml", ended_well=True) == Tally(failed=1)


def test_a_report_cut_short_is_a_failure(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(GOOGLETEST[: len(GOOGLETEST) // 2])
    assert judge("unit_os", report, ended_well=True) == Tally(failed=1)


def test_a_bad_end_after_good_cases_is_a_failure(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>')
    assert judge("unit_os", report, ended_well=True) == Tally(passed=1)
    assert judge("unit_os", report, ended_well=False) == Tally(passed=1, failed=1)


def test_cases_say_how_much_they_did(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    statistics = b64encode(
        b"  - during generate phase\n    - 400 passing, 0 failing\n  - 2 passing, 1 failing"
    ).decode()
    report.write_text(
        f"""<testsuites><testsuite><properties>
          <property name="hypothesis-statistics-tests/test_a.py::test_b" value="{statistics}"/></properties>
          <testcase><properties><property name="kills" value="17"/></properties></testcase>
          <testcase><properties><property name="kills" value="3"/></properties></testcase>
          <testcase><properties><property name="word" value="three"/></properties></testcase>
        </testsuite></testsuites>"""
    )
    assert read_amounts(report) == {"kills": 20, "examples of properties": 402}


def test_tallies_add_up_to_the_closing_line() -> None:
    assert str(Tally(3, 1, 0) + Tally(passed=2, skipped=4)) == "5 passed, 1 failed, 4 skipped"


def test_a_runner_that_was_killed_is_told_from_one_that_failed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], 60) == -9
    assert f"{sys.executable} was killed by SIGKILL" in capfd.readouterr().out


STARTS_ANOTHER = """
import os, sys, time
open(sys.argv[1], "w").write("here")
pipe = os.open(sys.argv[2], os.O_WRONLY)  # which both hold
if os.fork() == 0:
    os.setpgid(0, 0)
time.sleep(100)
"""


def test_what_a_runner_started_ends_with_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    started, held = tmp_path / "started", tmp_path / "held"
    os.mkfifo(held)
    reading = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    assert run([sys.executable, "-c", STARTS_ANOTHER, str(started), str(held)], 3) == 1
    assert started.read_text() == "here"
    assert select.select([reading], [], [], 10)[0] and os.read(reading, 1) == b"", "somebody holds the pipe still"
    os.close(reading)
    assert f"{sys.executable} did not end within 3 s" in capfd.readouterr().out
