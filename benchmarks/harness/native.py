"""Builds the C++ programs of cpp/ and simulation/, each folder once a run, when the first trial needs one."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
BUILD = BENCHMARKS.parent / "build" / "bench"
# Those that are no program of users are made of the library's own modules, which takes a while the first time.
SIMULATIONS = ("fabric_reads", "scale_simulation", "spread_simulation")


class NotBuilt(Exception):
    """The text says why."""


def program(name: str) -> Path:
    """The built program, or library; raises NotBuilt."""
    folder = "simulation" if name in SIMULATIONS else "cpp"
    reason = _build(folder)
    if reason:
        raise NotBuilt(reason)
    path = BUILD / folder / name
    if not path.exists():
        raise NotBuilt("no C++ package of Staithe found")
    return path


@cache
def _build(folder: str) -> str:
    build = str(BUILD / folder)
    configure = ["cmake", "-S", str(BENCHMARKS / folder), "-B", build, "-DCMAKE_BUILD_TYPE=Release"]
    staithe = Path(sys.executable).parent / "staithe"
    if staithe.exists():
        found = subprocess.run([staithe, "config", "--cmake-dir"], capture_output=True, text=True, check=False)
        configure.append(f"-Dstaithe_DIR={found.stdout.strip()}")
    for command in (configure, ["cmake", "--build", build, "--parallel", str(len(os.sched_getaffinity(0)))]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "cmake is not installed"
        if done.returncode:
            lines = (done.stdout + done.stderr).splitlines()
            return next((line for line in lines if "error" in line.lower()), "the C++ programs do not build")
    return ""
