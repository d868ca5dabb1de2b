"""A small protein, villin, in implicit solvent by OpenMM: its positions go into the stream "villin"."""

import sys

import openmm as mm
from openmm import app, unit

import staithe

frames, every = map(int, sys.argv[1:])
pdb = app.PDBFile(f"{app.__path__[0]}/data/test.pdb")  # comes with OpenMM: villin in water, with ions
villin = app.Modeller(pdb.topology, pdb.positions)
villin.delete([residue for residue in villin.topology.residues() if len(residue) <= 3])
forces = app.ForceField("amber14-all.xml", "implicit/obc2.xml")
options = {"nonbondedMethod": app.CutoffNonPeriodic, "constraints": app.HBonds, "hydrogenMass": 3 * unit.amu}
system = forces.createSystem(villin.topology, **options)
integrator = mm.LangevinMiddleIntegrator(350 * unit.kelvin, 1 / unit.picosecond, 4 * unit.femtosecond)
simulation = app.Simulation(villin.topology, system, integrator, mm.Platform.getPlatform("CPU"))
simulation.context.setPositions(villin.positions)
simulation.minimizeEnergy(maxIterations=50)
app.PDBFile.writeFile(villin.topology, villin.positions, "villin.pdb")  # which atoms they are

with staithe.writer("villin") as out:
    for _ in range(frames):
        simulation.step(every)
        state = simulation.context.getState(positions=True)
        with out.step() as step:
            step.put("x", state.getPositions(asNumpy=True).value_in_unit(unit.angstrom), unit="angstrom")
            step.attrs["time"] = state.getTime().value_in_unit(unit.picosecond)
