#!/usr/bin/env python3
"""Installs a wheel of Staithe and tries it: where there is nothing but Python, and where there are compilers.

Both are the same installation, in a virtual environment of its own. It is made on the bare machine, from the wheels in
build/wheelhouse; then programs in C, C++ and Fortran are built against it here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import bare_machine

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "build" / "wheel_environment"
WHEELHOUSE = ROOT / "build" / "wheelhouse"

TESTS_WITHOUT_COMPILERS = (
    "tests/wheel/wheel.py",
    "tests/python/test_docs.py::test_code_blocks_run[README.md]",
    "tests/python/test_docs.py::test_code_blocks_run[docs/guide/first-stream.md]",
)
TESTS_WITH_COMPILERS = (
    "tests/python/test_cmake_package.py",
    "tests/python/test_exported_symbols.py",
    "tests/python/cli/test_config_command.py",
    "tests/system/test_languages.py",
)
WHAT_TESTS_READ = ("CONTRIBUTING.md", "Makefile", "README.md", "docs", "pyproject.toml", "scripts", "tests", "tools")


def in_environment(*command: str) -> list[str | Path]:
    """A command of the environment's interpreter."""
    return [ENVIRONMENT / "bin" / "python", "-m", *command]


def testing(tests: Sequence[str]) -> list[str | Path]:
    """The command that runs these tests."""
    return in_environment("pytest", "-q", "-p", "no:cacheprovider", *(str(ROOT / test) for test in tests))


def try_wheel(wheel: Path) -> bool:
    """Whether all went well."""
    base = Path(sys.executable).resolve()
    subprocess.run([base, "-m", "venv", "--clear", ENVIRONMENT], check=True)
    install = in_environment(
        "pip", "install", "--quiet", "--no-index", "--find-links", str(WHEELHOUSE), f"{wheel}[test]"
    )
    bare = try_without_compilers(wheel, install)
    print("wheel: C, C++ and Fortran programs built against it", flush=True)
    return bare and run(testing(TESTS_WITH_COMPILERS))


def try_without_compilers(wheel: Path, install: list[str | Path]) -> bool:
    """Installs and tries it on a bare machine; only installs it where there can be none."""
    reason = bare_machine.why_not()
    if reason:
        print(f"wheel: skipped where there is nothing but Python: {reason}", flush=True)
        return run(install)
    print("wheel: installed and tried where there is nothing but Python", flush=True)
    needed = [ROOT / name for name in WHAT_TESTS_READ]
    with tempfile.TemporaryDirectory(prefix="staithe-bare-") as root:
        machine = bare_machine.BareMachine(Path(root), [wheel, WHEELHOUSE, ENVIRONMENT, *needed])
        environment = {"PATH": f"{ENVIRONMENT}/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}
        return all(machine.run(command, environment) == 0 for command in (install, testing(TESTS_WITHOUT_COMPILERS)))


def run(command: list[str | Path]) -> bool:
    """Runs a command here, where mpicc and mpiexec are those of the environment that this program runs in."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(command, cwd=ROOT, env=os.environ | {"PATH": path}, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(not try_wheel(Path(sys.argv[1]).resolve()))
