"""Looks into the simulation while it runs. Cell by cell, as in a notebook; or all at once, as a program."""

# %% The newest plate, as it is now. `get` waits for the first ten.
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import xarray as xr

import staithe

space = staithe.space("plate")
space.get("T", version=9)
plate = xr.open_dataset("plate", engine="staithe")
print(f"{float(plate.time):.1f} s: {float(plate.T.max()):.1f} K at most")

# %% All that were put so far, as one array with a dimension more. Nothing of it is read yet.
history = xr.open_dataset("plate", engine="staithe", version="all", chunks={})
print(f"{history.sizes['version']} plates in {history.T.data.npartitions} chunks")

# %% Dask goes through them chunk by chunk, where they lie.
mean = history.T.mean(("y", "x")).compute()
hottest = history.T.max("version").compute()

# %% A figure.
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.5), layout="constrained")
plate.T.plot(ax=left)
left.set_title("now")
hottest.plot(ax=middle)
middle.set_title("hottest so far")
mean.plot(ax=right)
right.set_title("mean")
figure.savefig("plate.png")
print("plate.png is drawn")
