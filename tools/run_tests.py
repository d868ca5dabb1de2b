#!/usr/bin/env python3
"""Runs the C++ tests (ctest) and the Python and system tests (pytest), and adds up their reports.

The last line is `N passed, N failed, N skipped`, in test cases. A test program that crashes, hangs or leaves no report
counts as a failure, and so does one that ends badly although its cases passed (a sanitizer's finding at exit).
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each test has a watchdog of its own (tests/CMakeLists.txt, pyproject.toml); these end a run in which that failed.
CTEST_LIMIT = 20 * 60.0
PYTEST_LIMIT = 40 * 60.0


@dataclass(frozen=True)
class Tally:
    """How many test cases went which way."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class NoReportError(Exception):
    """A report is missing or cut short: the program that should have written it died."""


def read_report(path: Path) -> Tally:
    """Counts the cases of one JUnit file, as GoogleTest and pytest write it."""
    tally = Tally()
    for case in _cases(path):
        if case.get("status") == "notrun":
            continue  # disabled: GoogleTest lists it all the same
        if case.find("failure") is not None or case.find("error") is not None:
            tally += Tally(failed=1)
        elif case.find("skipped") is not None:
            tally += Tally(skipped=1)
        else:
            tally += Tally(passed=1)
    return tally


def judge(name: str, report: Path, ended_well: bool) -> Tally:
    """The tally of one test program, made worse where its end contradicts its report."""
    try:
        tally = read_report(report)
    except NoReportError as error:
        print(f"FAILED {name}: {error}")
        return Tally(failed=1)
    if not ended_well and not tally.failed:
        print(f"FAILED {name}: its cases passed, but it ended with an error")
        return tally + Tally(failed=1)
    return tally


def run_ctest(build: Path) -> Tally:
    """Runs every C++ test program of a build folder."""
    results = build / "tests" / "results"
    _clear(results)
    overview = results / "ctest.xml"
    _run(
        [
            "ctest",
            "--test-dir",
            str(build),
            "--output-junit",
            str(overview),
            "--output-on-failure",
            "--parallel",
            "2",
        ],
        CTEST_LIMIT,
    )
    try:
        programs = {case.get("name", ""): case.get("status") == "run" for case in _cases(overview)}
    except NoReportError as error:
        print(f"FAILED ctest: {error}")
        return Tally(failed=1)
    if not programs:
        print(f"FAILED ctest: no test programs in {build}")
        return Tally(failed=1)
    return sum((judge(name, results / f"{name}.xml", ended_well) for name, ended_well in programs.items()), Tally())


def run_pytest(results: Path, arguments: Sequence[str]) -> Tally:
    """Runs pytest in the environment of this interpreter."""
    _clear(results)
    report = results / "pytest.xml"
    status = _run([sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments], PYTEST_LIMIT)
    return judge("pytest", report, status == 0)


def _cases(report: Path) -> list[ET.Element]:
    try:
        return list(ET.parse(report).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        raise NoReportError(f"it left no report ({error})") from error


def _clear(results: Path) -> None:
    results.mkdir(parents=True, exist_ok=True)
    for old in results.glob("*.xml"):
        old.unlink()


def _run(command: Sequence[str], limit: float) -> int:
    """Runs a command; past the limit, or when interrupted, ends it and all that it started."""
    print("$", *command, flush=True)
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        print(f"{command[0]} did not end within {limit:.0f} s", flush=True)
        return 1
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> int:
    """Runs what was asked for; the exit status says whether all passed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "package", help="where CMake built the C++ tests"
    )
    parser.add_argument("--cpp-only", metavar="LABEL", help="run the C++ tests alone, and call the result by this name")
    parser.add_argument("pytest_arguments", nargs="*", help="what pytest is to run; by default all tests")
    options = parser.parse_args()

    tally = run_ctest(options.build.resolve())
    if options.cpp_only:
        print(f"C++ tests under {options.cpp_only}: {tally}")
    else:
        results = ROOT / "build" / "results"
        tally += run_pytest(results, options.pytest_arguments)
        (results / "tally").write_text(f"{tally}\n")  # for .ci/run to repeat
        print(tally)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
