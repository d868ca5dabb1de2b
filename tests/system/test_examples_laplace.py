"""examples/laplace: solvers in all languages agree with NumPy, and so do the moments, wherever they are computed."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from example_runs import QUICKLY_BUILT
from numpy.typing import NDArray

LAPLACE = Path(__file__).parents[2] / "examples" / "laplace"
POINTS, SWEEPS, EVERY = 37, 200, 20

KEEP_FIELDS = """
import numpy as np
import staithe

class Keep(staithe.Analysis):
    def start(self, group, stream_attrs):
        self.fields = []

    def step(self, step):
        self.fields.append(np.array(step["u"][...]))

    def finish(self):
        np.save("fields.npy", self.fields)
"""


@pytest.fixture(scope="module")
def fields() -> NDArray[np.float64]:
    """The fields inside the edges, every so many sweeps, by NumPy on the whole plate at once."""
    u = np.zeros((POINTS + 2, POINTS + 2))
    u[0] = 1
    kept = []
    for sweep in range(SWEEPS + 1):
        if sweep % EVERY == 0:
            kept.append(u[1:-1, 1:-1].copy())
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    return np.array(kept)


def exact_moments(values: NDArray[np.float64]) -> list[float]:
    """Mean, variance, skewness, kurtosis by their definitions, in long double."""
    extended = values.astype(np.longdouble)
    difference = extended - extended.mean()
    variance = (difference**2).mean()
    return [
        float(extended.mean()),
        float(variance),
        float((difference**3).mean() / variance**1.5),
        float((difference**4).mean() / variance**2),
    ]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example, since it writes beside its workflow."""
    return Path(shutil.copytree(LAPLACE, tmp_path / "laplace", ignore=shutil.ignore_patterns("build")))


def run(workflow: Path, ranks: int = 2) -> None:
    settings = {"POINTS": POINTS, "SWEEPS": SWEEPS, "EVERY": EVERY, "RANKS": ranks}
    command = [sys.executable, "-m", "staithe.cli", "run", str(workflow)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=os.environ | QUICKLY_BUILT)
    assert done.returncode == 0, done.stdout + done.stderr


def keep_fields(workflow: Path) -> None:
    """From now on, a second reader of the stream keeps what it sees."""
    (workflow.parent / "keep.py").write_text(KEEP_FIELDS)
    text = workflow.read_text().replace("[moments]", "[moments, keep]")
    workflow.write_text(text.replace("programs:", "programs:\n  keep: {analysis: keep.py}"))


def run_keeping_fields(workflow: Path, ranks: int) -> NDArray[np.float64]:
    """The fields that a second reader of the stream sees."""
    keep_fields(workflow)
    run(workflow, ranks)
    return np.load(workflow.parent / "fields.npy")


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_python_solver_computes_what_numpy_does(example: Path, ranks: int, fields: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(run_keeping_fields(example / "laplace.yaml", ranks), fields)


def test_the_python_solver_does_without_mpi(example: Path, fields: NDArray[np.float64]) -> None:
    (example / "mpi4py.py").write_text("raise ImportError")
    np.testing.assert_array_equal(run_keeping_fields(example / "laplace.yaml", ranks=1), fields)


def test_the_cpp_solver_computes_the_same(example: Path, fields: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(run_keeping_fields(example / "laplace_cpp.yaml", 2), fields)


def test_the_fortran_solver_computes_the_same(fortran_mpi: None, example: Path, fields: NDArray[np.float64]) -> None:
    workflow = example / "laplace_fortran.yaml"
    keep_fields(workflow)
    for ranks in (1, 2, 3):  # not a test each: the example is compiled where it lies, which takes longest
        run(workflow, ranks)
        kept = np.load(example / "fields.npy")
        np.testing.assert_array_equal(kept.transpose(0, 2, 1), fields)  # its plate has rows and columns exchanged
        rows = np.loadtxt(example / "moments.csv", delimiter=",", skiprows=1)
        np.testing.assert_allclose(rows[1:, 1:], [exact_moments(field) for field in fields[1:]], rtol=1e-13)
        (example / "fields.npy").unlink()


def test_the_moments_are_those_of_the_fields(example: Path, fields: NDArray[np.float64]) -> None:
    run(example / "laplace.yaml")
    rows = np.loadtxt(example / "moments.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, 0], EVERY * np.arange(len(fields)))
    np.testing.assert_array_equal(rows[0, 1:], [0, 0, np.nan, np.nan])
    np.testing.assert_allclose(rows[1:, 1:], [exact_moments(field) for field in fields[1:]], rtol=1e-13)
    assert (example / "moments.png").read_bytes().startswith(b"\x89PNG")


def test_the_moments_are_the_same_inline(example: Path) -> None:
    run(example / "laplace.yaml")
    (example / "moments.csv").rename(example / "reader.csv")
    run(example / "laplace_inline.yaml")
    assert (example / "moments.csv").read_text() == (example / "reader.csv").read_text()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
def test_moments_of_values_that_are_no_numbers_or_huge(odd: float) -> None:
    moments = runpy.run_path(str(LAPLACE / "moments.py"))
    values = np.linspace(0.0, 1.0, 40_000)
    values[12_345] = odd
    mean, *others = moments["moments_of"](values).statistics()
    assert np.isfinite(mean) == np.isfinite(odd)
    assert not np.isfinite(others).any(), "not numbers that look as if they meant something"


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("cuts", [(), (1,), (0, 40_000, 40_001, 99_999)])
def test_moments_of_parts_merge_into_those_of_the_whole(offset: float, cuts: tuple[int, ...]) -> None:
    moments = runpy.run_path(str(LAPLACE / "moments.py"))
    values = offset + np.random.default_rng(1).gamma(2.0, size=100_000)
    merged = moments["Moments"]()
    for first, last in pairwise((0, *cuts, len(values))):
        merged = moments["merge"](merged, moments["moments_of"](values[first:last]))
    np.testing.assert_allclose(merged.statistics(), exact_moments(values), rtol=1e-10 if offset else 1e-13)
