"""The types that users' programs are checked against are those of the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import staithe

PACKAGE = Path(staithe.__file__).parent


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_stub_is_what_the_bindings_say(tmp_path: Path) -> None:
    pytest.importorskip("nanobind")
    new = tmp_path / "_core.pyi"
    run("-m", "nanobind.stubgen", "-q", "-m", "staithe._core", "-o", str(new))
    assert (PACKAGE / "_core.pyi").read_text() == new.read_text(), "python/README.md says how to write it anew"


def test_a_strictly_typed_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    pytest.importorskip("mpi4py")
    run(
        *("-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}"),
        str(Path(__file__).parent / "typed_program.py"),
    )


def test_everything_public_is_documented() -> None:
    for name in staithe.__all__:
        public = getattr(staithe, name)
        if callable(public):
            assert public.__doc__, name
            for attribute, value in vars(public).items() if isinstance(public, type) else ():
                if not attribute.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                    assert value.__doc__, f"{name}.{attribute}"
