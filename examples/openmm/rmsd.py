"""How far villin moves from where it began, by MDAnalysis, while OpenMM runs: villin.csv and villin.png."""

import MDAnalysis
import numpy as np
from matplotlib.figure import Figure
from MDAnalysis.analysis.rms import rmsd

import staithe

rows: list[tuple[float, float, float]] = []
with staithe.reader("villin") as steps:
    protein = MDAnalysis.Universe("villin.pdb").atoms  # written before the stream was opened
    carbons = protein.select_atoms("name CA")
    start = carbons.positions
    for step in steps:
        protein.positions = step["x"][...]
        moved = rmsd(carbons.positions, start, superposition=True)
        rows.append((step.attrs["time"], moved, protein.radius_of_gyration()))

time, moved, radius = np.array(rows).T
np.savetxt("villin.csv", rows, delimiter=",", header="time,rmsd,radius", comments="")
figure = Figure(figsize=(7.2, 4.5), layout="constrained")
axes = figure.subplots()
axes.plot(time, moved, label=r"RMSD of C$\alpha$ from the start")
axes.plot(time, radius, label="radius of gyration")
axes.set(xlabel="time [ps]", ylabel="[Å]", ylim=(0, None), title="Villin headpiece")
axes.legend(frameon=False)
figure.savefig("villin.png", dpi=160)
print(f"RMSD {moved[-1]:.2f} Å, radius of gyration {radius[-1]:.2f} Å after {time[-1]:.1f} ps")
