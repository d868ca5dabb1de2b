"""Builds the C++ programs of cpp/, once a run, when the first trial needs one."""

import subprocess
import sys
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "cpp"
BUILD = SOURCE.parents[1] / "build" / "bench" / "cpp"


class NotBuilt(Exception):
    """The text says why."""


def program(name: str) -> Path:
    """The built program, or library; raises NotBuilt."""
    reason = _build()
    if reason:
        raise NotBuilt(reason)
    path = BUILD / name
    if not path.exists():
        raise NotBuilt("no C++ package of Staithe found")
    return path


@cache
def _build() -> str:
    configure = ["cmake", "-S", str(SOURCE), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release"]
    staithe = Path(sys.executable).parent / "staithe"
    if staithe.exists():
        found = subprocess.run([staithe, "config", "--cmake-dir"], capture_output=True, text=True, check=False)
        configure.append(f"-Dstaithe_DIR={found.stdout.strip()}")
    for command in (configure, ["cmake", "--build", str(BUILD)]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "cmake is not installed"
        if done.returncode:
            lines = (done.stdout + done.stderr).splitlines()
            return next((line for line in lines if "error" in line.lower()), "the C++ programs do not build")
    return ""
