from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from staithe.errors import NotFound
from staithe.workflow import stats

# A live stream as `staithe.describe` tells of it.
MELT: dict[str, Any] = {
    "name": "melt",
    "placement": "producer",
    "pid": 4711,
    "host": "node7",
    "program": "lammps",
    "ranks": 2,
    "started": 1_700_000_000.0,
    "now": 1_700_000_100.0,
    "steps": 120,
    "bytes": 1_240_000_000,
    "queue": {"steps": 2, "limit_steps": 8, "bytes": 20_000_000, "limit_bytes": 268_435_456},
    "stall_seconds": 1.5,
    "readers": [
        {"program": "msd", "pid": 4712, "ranks": 1, "joined": 1_700_000_001.0, "steps": 118, "lag": 2, "members": []},
        {"program": "stats", "pid": 4713, "ranks": 4, "joined": 1_700_000_001.0, "steps": 120, "lag": 0, "members": []},
    ],
    "writers": [],
    "joining": [],
    "incomplete": None,
    "closing_seconds": None,
    "expected_readers": 2,
    "readers_seen": 2,
    "variables": [
        {"name": "x", "dtype": "f8", "shape": [32000, 3], "unit": "sigma", "blocks": 2},
        {"name": "energy", "dtype": "f8", "shape": [], "unit": "", "blocks": 1},
        {"name": "ghosts", "dtype": "i8", "shape": None, "unit": None, "blocks": 2},
    ],
    "state": "open",
}


@pytest.fixture
def live_streams(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """The streams that the CLI sees; each look at one finds 10 more steps in it."""
    streams: dict[str, dict[str, Any]] = {"melt": dict(MELT)}

    def describe(name: str, timeout: float = 5.0, address: str | None = None) -> dict[str, Any]:
        if name not in streams:
            raise NotFound(name)
        seen = dict(streams[name])
        streams[name] |= {"steps": seen["steps"] + 10, "bytes": seen["bytes"] + 10_000_000}
        return seen

    monkeypatch.setattr(stats, "describe", describe)
    monkeypatch.setattr(stats, "describe_live", lambda address=None: [describe(name) for name in sorted(streams)])
    monkeypatch.setenv("STAITHE_RUN_DIR", "/run/here")
    return streams


class Launcher:
    """Starts `staithe run` on a workflow of Python files in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.started: list[subprocess.Popen[str]] = []

    def write(self, text: str, **files: str) -> Path:
        for name, content in files.items():
            (self.directory / f"{name}.py").write_text(textwrap.dedent(content))
        file = self.directory / "flow.yaml"
        file.write_text(textwrap.dedent(text))
        return file

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "staithe.cli", "run", str(self.directory / "flow.yaml"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path)
    yield launcher
    for process in launcher.started:
        process.kill()
        process.communicate(timeout=60)


@pytest.fixture
def staithe_command() -> Callable[..., tuple[int, str, str]]:
    """Runs `staithe ARGUMENTS` and gives exit code, stdout and stderr."""

    def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
        process = subprocess.run(
            [sys.executable, "-m", "staithe.cli", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | environment,
            check=False,
        )
        return process.returncode, process.stdout, process.stderr

    return run
