"""The examples at placement `servers`: the programs are the same, and so are their results, bit by bit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def results(example: str, placement: str, directory: Path, *words: str) -> tuple[str, bytes]:
    """What the run prints, and what is in the file that its analysis leaves, if there is one."""
    shutil.copytree(EXAMPLES / example, directory)
    command = [sys.executable, "-m", "staithe.cli", "run", f"{example}.yaml", *words]
    environment = os.environ | {"STAITHE_PLACEMENT": placement}
    done = subprocess.run(
        command, cwd=directory, env=environment, check=False, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    tables = sorted(directory.glob("*.csv"))
    return done.stdout, b"".join(table.read_bytes() for table in tables)


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        ("laplace", ("SWEEPS=1000", "EVERY=100", "POINTS=62")),
        ("melt", ("STEPS=300", "CELLS=6")),
    ],
)
def test_results_are_the_same(tmp_path: Path, example: str, settings: tuple[str, ...]) -> None:
    words = [word for setting in settings for word in ("--set", setting)]
    _, at_producer = results(example, "producer", tmp_path / "producer", *words)
    _, at_servers = results(example, "servers", tmp_path / "servers", *words)
    assert at_producer
    assert at_servers == at_producer


def test_every_value_arrives(tmp_path: Path) -> None:
    settings = ("STEPS=50", "WRITERS=3", "READERS=2", "SIZE=64x48")
    words = [word for setting in settings for word in ("--set", setting)]
    results("synthetic", "servers", tmp_path / "synthetic", *words)  # the consumer checks them
