"""examples/melt: the mean squared displacement is the one of a LAMMPS dump of the same run."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

MELT = Path(__file__).parents[2] / "examples" / "melt"


def read_dump(path: Path) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids (frames, atoms) and positions (frames, atoms, 3), in the order in which they were written."""
    lines = path.read_text().splitlines()
    atoms = int(lines[3])
    heading = 9  # lines of "ITEM: ..." with their values, before the atoms
    frames = range(heading, len(lines), heading + atoms)
    table = np.array([[line.split() for line in lines[first : first + atoms]] for first in frames], dtype=float)
    return table[:, :, 0].astype(np.int64), table[:, :, 1:]


def test_atoms_are_matched_by_id() -> None:
    msd = runpy.run_path(str(MELT / "msd.py"))
    ids = np.array([3, 1, 4, 2])
    x = np.arange(12.0).reshape(4, 3)
    reference = msd["by_id"](ids, x)
    np.testing.assert_array_equal(reference, x[[1, 3, 0, 2]])
    order = [2, 0, 3]
    moved = x[order] + [[0, 0, 0], [1, 0, 2], [0, 3, 0]]
    assert msd["squared_displacement"](ids[order], moved, reference) == 0 + 5 + 9


def test_the_diffusion_coefficient_is_a_sixth_of_the_slope_from_the_start_on() -> None:
    msd = runpy.run_path(str(MELT / "msd.py"))
    time = np.linspace(0, 10, 101)
    ballistic_then_linear = np.where(time < 4, time**2, 0.6 * time + 13.6)
    coefficient, offset = msd["diffusion"](time, ballistic_then_linear, 5)
    assert (coefficient, offset) == (pytest.approx(0.1), pytest.approx(13.6))


@pytest.mark.parametrize("analysis_ranks", [1, 2])
def test_msd_equals_that_of_a_dump(tmp_path: Path, analysis_ranks: int) -> None:
    shutil.copytree(MELT, tmp_path, dirs_exist_ok=True)
    workflow = tmp_path / "melt.yaml"
    workflow.write_text(workflow.read_text().replace("melt.py", "melt.py --dump melt.dump"))
    settings = ("STEPS=300", "CELLS=6", f"ANALYSIS_RANKS={analysis_ranks}")
    command = [sys.executable, "-m", "staithe.cli", "run", str(workflow)]
    done = subprocess.run(
        [*command, *(word for setting in settings for word in ("--set", setting))],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    ids, x = read_dump(tmp_path / "melt.dump")
    assert ids.shape == (31, 4 * 6**3)
    assert (ids[-1] != ids[0]).any(), "atoms change places, or matching them by id would not be tested"
    by_id = np.take_along_axis(x, np.argsort(ids, axis=1)[..., None], axis=1)
    expected = np.mean(np.sum((by_id - by_id[0]) ** 2, axis=2), axis=1)

    time, found = np.loadtxt(tmp_path / "msd.csv", delimiter=",", skiprows=1, unpack=True)
    np.testing.assert_allclose(time, 0.05 * np.arange(31), rtol=1e-14)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    assert found[-1] > 0.3, "the crystal has melted"
    assert (tmp_path / "msd.png").read_bytes().startswith(b"\x89PNG")
    assert "D = " in done.stdout
