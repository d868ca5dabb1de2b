#!/usr/bin/env python3
"""Runs the fuzz targets, two at a time, each for some seconds, and says what they did and found.

Each C++ target starts from tests/fuzz/corpus/<target>/ and collects what reaches new code in
build/asan/grown/<target>/, which the next run goes on from. An input that breaks a target is left in build/asan/found/.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from thoroughness import SEED, again

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ROOT / "tests" / "fuzz"
AT_ONCE = 2

# Above the largest message that a peer may send, which a target may hold a few times over.
MEMORY_MIB = 3072
# One input; the slowest of them wait for a live writer.
INPUT_SECONDS = 25
GRACE_SECONDS = 120


@dataclass(frozen=True)
class Outcome:
    """What one target did."""

    target: str
    inputs: int
    coverage: int
    failure: str = ""

    def __str__(self) -> str:
        reached = f", {self.coverage} edges" if self.coverage else ""
        return f"{self.target:<16} {self.inputs:>9} inputs{reached}{'  FAILED' if self.failure else ''}"


def run_target(program: Path, build: Path, seconds: int) -> Outcome:
    """Runs one libFuzzer program."""
    name = program.name.removeprefix("fuzz_")
    grown = build / "grown" / name
    found = build / "found"
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    command = [
        str(program),
        f"-seed={SEED % 2**32 or 1}",  # 0 would mean: any
        f"-max_total_time={seconds}",
        f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={MEMORY_MIB}",
        "-max_len=16384",
        "-print_final_stats=1",
        f"-artifact_prefix={found}/{name}-",
        str(grown),
        str(TARGETS / "corpus" / name),
    ]
    output, failed = _run(command, seconds + GRACE_SECONDS)
    inputs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", output) or re.findall(r"^#(\d+)", output, re.M)
    coverage = re.findall(r"\bcov: (\d+)", output)
    return Outcome(
        name,
        int(inputs[-1]) if inputs else 0,
        int(coverage[-1]) if coverage else 0,
        output[-6000:] if failed or not inputs else "",
    )


def run_workflows(seconds: int) -> Outcome:
    """Runs the target that is written in Python."""
    output, failed = _run(
        [sys.executable, str(TARGETS / "fuzz_workflow.py"), "--seconds", str(seconds), "--seed", str(SEED)],
        seconds + GRACE_SECONDS,
    )
    inputs = re.findall(r"(\d+) inputs", output)
    return Outcome("workflow", int(inputs[-1]) if inputs else 0, 0, output[-6000:] if failed or not inputs else "")


def _run(command: list[str], limit: float) -> tuple[str, bool]:
    """The output of a command, and whether it failed or had to be ended."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            check=False,
            cwd=ROOT,
        )
    except subprocess.TimeoutExpired as hanging:
        text = (hanging.stdout or b"").decode(errors="replace")
        return f"{text}\n{command[0]} did not end within {limit:.0f} s", True
    return done.stdout.decode(errors="replace"), done.returncode != 0


def write_report(outcomes: list[Outcome], seconds: int, path: Path) -> None:
    """A JUnit file: a case for each target, with how much it did."""
    suite = ET.Element("testsuite", name="fuzz")
    for outcome in outcomes:
        case = ET.SubElement(suite, "testcase", classname="fuzz", name=outcome.target)
        properties = ET.SubElement(case, "properties")
        for name, amount in (("inputs of fuzz targets", outcome.inputs), ("seconds of fuzz targets", seconds)):
            ET.SubElement(properties, "property", name=name, value=str(amount))
        if outcome.failure:
            ET.SubElement(case, "failure", message="see its output")
    ET.ElementTree(suite).write(path)


def main() -> int:
    """Runs all targets; the exit status says whether one of them found something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "asan", help="where the targets were built")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--report", type=Path, help="where to write what the targets did, as JUnit does")
    parser.add_argument("only", nargs="*", help="targets to run; by default all")
    options = parser.parse_args()
    build = options.build.resolve()
    programs = sorted(path for path in (build / "tests" / "fuzz").glob("fuzz_*") if path.is_file())
    if not programs:
        print(f"fuzz: no targets in {build}; `make fuzz` builds them")
        return 1
    wanted = set(options.only)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [
            pool.submit(run_target, program, build, options.seconds)
            for program in programs
            if not wanted or program.name.removeprefix("fuzz_") in wanted
        ]
        if not wanted or "workflow" in wanted:
            runs.append(pool.submit(run_workflows, options.seconds))
        outcomes = [run.result() for run in runs]
    if options.report:
        write_report(outcomes, options.seconds, options.report)
    for outcome in outcomes:
        if outcome.failure:
            print(f"--- {outcome.target}\n{outcome.failure}")
    print(*outcomes, sep="\n")
    failed = [outcome.target for outcome in outcomes if outcome.failure]
    print(f"fuzz: {', '.join(failed)} failed; the inputs are in {build / 'found'}" if failed else "fuzz: nothing found")
    if failed:
        print(f"fuzz: again: {again('make fuzz')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
