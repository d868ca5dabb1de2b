"""examples/openmm: programs of other projects, each coupled in 30 lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

OPENMM = Path(__file__).parents[2] / "examples" / "openmm"


def test_each_program_has_30_lines() -> None:
    lines = {program.name: len(program.read_text().splitlines()) for program in OPENMM.glob("*.py")}
    assert len(lines) == 2 and max(lines.values()) <= 30, lines


def test_mdanalysis_gets_what_openmm_computes(tmp_path: Path) -> None:
    pytest.importorskip("openmm")
    pytest.importorskip("MDAnalysis")
    example = shutil.copytree(OPENMM, tmp_path / "openmm")
    settings = ["--set", "FRAMES=3", "--set", "EVERY=5"]
    command = [sys.executable, "-m", "staithe.cli", "run", str(example / "villin.yaml"), *settings]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    time, moved, radius = np.loadtxt(example / "villin.csv", delimiter=",", skiprows=1, unpack=True)
    np.testing.assert_allclose(time, [0.02, 0.04, 0.06])
    assert ((moved > 0.01) & (moved < 1)).all()
    assert ((radius > 9) & (radius < 10)).all(), "villin has a radius of gyration of some 9.4 Å"
    assert (example / "villin.png").read_bytes().startswith(b"\x89PNG")
    assert "RMSD" in done.stdout
