#!/usr/bin/env python3
"""Runs the C++ tests (ctest) and the Python and system tests (pytest), and adds up their reports.

The last line is `N passed, N failed, N skipped`, in test cases. A test program that crashes, hangs or leaves no report
counts as a failure, and so does one that ends badly although its cases passed (a sanitizer's finding at exit).

How much runs, and what is drawn, tools/thoroughness.py decides. The long tests run the fuzz targets, too.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import thoroughness

ROOT = Path(__file__).resolve().parent.parent

# Most tests wait more than they compute, so two of a kind run at a time.
AT_A_TIME = "2"

# Each test has a watchdog of its own (tests/CMakeLists.txt, pyproject.toml); these end a run in which that failed.
CTEST_LIMIT = 20 * 60.0
PYTEST_LIMIT = 55 * 60.0
FUZZ_LIMIT = 60 * 60.0


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


def read_amounts(path: Path) -> Counter[str]:
    """How much the cases of a JUnit file say that they did: properties that are numbers, and Hypothesis's examples."""
    amounts: Counter[str] = Counter()
    for found in _root_of(path).iter("property"):
        name, value = found.get("name", ""), found.get("value", "")
        if name.startswith("hypothesis-statistics-"):
            statistics = base64.b64decode(value).decode()
            amounts["examples of properties"] += sum(map(int, re.findall(r"(\d+) passing", statistics)))
        elif value.isdigit():
            amounts[name] += int(value)
    return amounts


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
    run(
        [
            "ctest",
            "--test-dir",
            str(build),
            "--output-junit",
            str(overview),
            "--output-on-failure",
            "--parallel",
            AT_A_TIME,
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
    # In the order of the files, so that what a module's tests share is seldom made twice.
    spread = ["--numprocesses", AT_A_TIME, "--dist", "worksteal"]
    status = run([sys.executable, "-m", "pytest", f"--junitxml={report}", *spread, *arguments], PYTEST_LIMIT)
    return judge("pytest", report, status == 0)


def run_fuzz(results: Path, build: Path, seconds: int) -> Tally:
    """Runs every fuzz target for some seconds."""
    report = results / "fuzz.xml"
    command = [sys.executable, str(ROOT / "tools" / "fuzz.py"), "--build", str(build), "--seconds", str(seconds)]
    status = run([*command, "--report", str(report)], FUZZ_LIMIT)
    return judge("fuzz", report, status == 0)


def _cases(report: Path) -> list[ET.Element]:
    return list(_root_of(report).iter("testcase"))


def _root_of(report: Path) -> ET.Element:
    try:
        return ET.parse(report).getroot()
    except (OSError, ET.ParseError) as error:
        raise NoReportError(f"it left no report ({error})") from error


def _clear(results: Path) -> None:
    results.mkdir(parents=True, exist_ok=True)
    for old in results.glob("*.xml"):
        old.unlink()


def run(command: Sequence[str], limit: float) -> int:
    """Runs a command; past the limit, or when interrupted, ends it and all that it started."""
    print("$", *command, flush=True)
    environment = os.environ | thoroughness.settings()  # though midnight comes
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        print(f"\n{command[0]} did not end within {limit:.0f} s", flush=True)
        return 1
    finally:
        if process.poll() is None:
            _end_session(process.pid)
            process.wait()
    if status < 0:
        print(f"\n{command[0]} was killed by {signal.Signals(-status).name}", flush=True)
    return status


def _end_session(session: int) -> None:
    """Kills all of its processes: those of pytest have groups of their own (tests/conftest.py)."""
    os.killpg(session, signal.SIGKILL)  # at once: none of that group starts another meanwhile
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended, or is another user's
                if os.getsid(int(entry.name)) == session:
                    os.kill(int(entry.name), signal.SIGKILL)


def print_amounts(results: Path) -> None:
    """The closing table: how much ran of what has many cases, or goes on as long as one likes."""
    amounts: Counter[str] = Counter()
    for report in results.glob("*.xml"):
        with contextlib.suppress(NoReportError):  # a failure already
            amounts += read_amounts(report)
    print(f"\nWhat has many cases, {thoroughness.extent()}:")
    for name, amount in sorted(amounts.items()):
        print(f"  {name:<34} {amount:>12,}")


def main() -> int:
    """Runs what was asked for; the exit status says whether all passed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "package", help="where CMake built the C++ tests"
    )
    parser.add_argument("--cpp-only", metavar="LABEL", help="run the C++ tests alone, and call the result by this name")
    parser.add_argument("--fuzz", type=Path, metavar="BUILD", help="run the fuzz targets of this CMake build, too")
    parser.add_argument("--fuzz-seconds", type=int, default=60, help="for each target")
    parser.add_argument("pytest_arguments", nargs="*", help="what pytest is to run; by default all tests")
    options = parser.parse_args()

    print(f"tests: {thoroughness.extent()}", flush=True)
    tally = run_ctest(options.build.resolve())
    if options.cpp_only:
        print(f"C++ tests under {options.cpp_only}: {tally}")
    else:
        results = ROOT / "build" / "results"
        tally += run_pytest(results, options.pytest_arguments)
        if options.fuzz:
            tally += run_fuzz(results, options.fuzz.resolve(), options.fuzz_seconds)
        print_amounts(results)
        (results / "tally").write_text(f"{tally}\n")  # for .ci/run to repeat
        print(tally)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
