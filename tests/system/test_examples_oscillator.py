"""examples/oscillator: a simulation and an analysis in C, run as users do."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

OSCILLATOR = Path(__file__).parents[2] / "examples" / "oscillator"


def kinetic_energies(steps: int) -> list[float]:
    """Of every tenth step, by the same scheme in NumPy."""
    x, v = np.ones(1000), np.zeros(1000)
    energies = []
    for _ in range(steps):
        energies.append(float((v**2).sum() / 2))
        v -= 0.01 * ((1 + 0.1 * np.arange(1000)) * x + 0.5 * v)
        x += 0.01 * v
    return energies[::10]


def test_the_analysis_prints_what_numpy_computes(tmp_path: Path) -> None:
    example = shutil.copytree(OSCILLATOR, tmp_path / "oscillator", ignore=shutil.ignore_patterns("build"))
    command = [sys.executable, "-m", "staithe.cli", "run", str(example / "oscillator.yaml")]
    done = subprocess.run(
        [*command, "--set", "STEPS=31", "--set", "EVERY=10"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = re.findall(r"time ([\d.]+): kinetic energy ([\d.]+)", done.stdout)
    assert [time for time, _ in printed] == ["0.00", "0.10", "0.20", "0.30"]
    np.testing.assert_allclose([float(energy) for _, energy in printed], kinetic_energies(31), atol=6e-4)
