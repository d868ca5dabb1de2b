"""Mean squared displacement (MSD) of the atoms in the stream "melt", while the simulation runs.

    mpiexec -n 2 python -m mpi4py msd.py --out msd.png          # or simply: python msd.py

Displacements count from the first step. A row of msd.csv is written per step, as it comes. In the end MSD(t)
is drawn with the diffusion coefficient D that its linear part gives by the Einstein relation: MSD = 6 D t in
three dimensions (D. Frenkel and B. Smit, Understanding Molecular Simulation, 2nd ed., Academic Press 2002,
section 4.4.1).
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import typer
from matplotlib.figure import Figure
from mpi4py import MPI
from numpy.typing import NDArray

import staithe

Array = NDArray[Any]


def by_id(ids: Array, x: Array) -> Array:
    """The positions in the order of the ids, which count from 1."""
    ordered = np.empty_like(x)
    ordered[ids - 1] = x
    return ordered


def squared_displacement(ids: Array, x: Array, reference: Array) -> float:
    """The sum of |x - x0|^2 over these atoms, where x0 is reference[id - 1]."""
    displacement = x - reference[ids - 1]
    return float(np.vdot(displacement, displacement))


def diffusion(time: Array, msd: Array, start: float) -> tuple[float, float]:
    """The coefficient D, and the line's value at t = 0, of 6 D t + c fitted to t >= start."""
    fitted = time >= start
    slope, offset = np.polyfit(time[fitted], msd[fitted], 1)
    return float(slope) / 6, float(offset)


def draw(time: Array, msd: Array, start: float, path: Path) -> None:
    coefficient, offset = diffusion(time, msd, start)
    ends = np.array([time[0], time[-1]])
    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(start, ends[1], color="#eef2f6", label="fitted part")
    axes.plot(time, msd, color="#1f6f9f", linewidth=4, alpha=0.55, label="simulation")
    axes.plot(ends, 6 * coefficient * ends + offset, color="#c8452f", linewidth=1.2, label="$6Dt + c$")
    axes.set(xlabel=r"time $t$  [$\tau$]", xlim=ends)
    axes.set(ylabel=r"mean squared displacement  [$\sigma^2$]", ylim=(0, None))
    axes.set_title(rf"Lennard-Jones melt: $D = {coefficient:.4f}\ \sigma^2/\tau$", loc="left")
    axes.legend(loc="upper left", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)

    inset = axes.inset_axes((0.64, 0.13, 0.34, 0.32), xlim=ends, ylim=(0, 1.6 * coefficient))
    inset.plot(time[1:], msd[1:] / (6 * (time[1:] - time[0])), color="#1f6f9f")
    inset.axhline(coefficient, color="#c8452f", linewidth=1)
    inset.set_title("MSD / 6t", fontsize=8)
    inset.tick_params(labelsize=7)
    figure.savefig(path, dpi=160)


def main(out: Path = Path("msd.png"), fit_from: float = 0.5) -> None:
    """Draw MSD(t) into OUT; D comes from what follows the fraction FIT_FROM of the run."""
    comm = MPI.COMM_WORLD
    rows: list[tuple[float, float]] = []
    with (out.with_suffix(".csv") if comm.rank == 0 else Path(os.devnull)).open("w") as table:
        print("time,msd", file=table)
        for step in staithe.reader("melt", group=comm):
            if not rows:
                reference = by_id(step["id"][...], step["x"][...])
            # Whichever atoms its share holds, a rank finds them in the reference, which is whole.
            mine = squared_displacement(step["id"].read(share="count"), step["x"].read(share="count"), reference)
            rows.append((step.attrs["time"], comm.allreduce(mine) / len(reference)))
            print(*map(repr, rows[-1]), sep=",", file=table, flush=True)

    if comm.rank == 0:
        time, msd = np.array(rows).T
        start = time[0] + fit_from * (time[-1] - time[0])
        draw(time, msd, start, out)
        print(f"D = {diffusion(time, msd, start)[0]:.5f} sigma^2/tau from {len(rows)} steps; figure in {out.resolve()}")


if __name__ == "__main__":
    typer.run(main)
