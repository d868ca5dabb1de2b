"""Heat that spreads on a plate from a burner going round. Puts the plate and its time into the space "plate"."""

import sys
import time

import numpy as np
import xarray as xr

import staithe
import staithe.xarray  # so that Datasets have .staithe

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
POINTS = 256
x = np.linspace(-1, 1, POINTS)
X, Y = np.meshgrid(x, x)
T = np.full((POINTS, POINTS), 290.0)

space = staithe.space("plate")
space.keep("T", 100)
for step in range(STEPS):
    for _ in range(50):
        T[1:-1, 1:-1] += 0.2 * (T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:] - 4 * T[1:-1, 1:-1])
    angle = 2 * np.pi * step / 40
    T += 20 * np.exp(-((X - 0.5 * np.cos(angle)) ** 2 + (Y - 0.5 * np.sin(angle)) ** 2) / 0.01)
    now = xr.Dataset(
        {"T": (("y", "x"), T, {"units": "K"})},
        coords={"x": ("x", x, {"units": "m"}), "y": ("y", x, {"units": "m"}), "time": 0.1 * step},
    )
    # Dask puts each quarter as a block of its own, as the ranks of a larger simulation would.
    now.chunk(y=POINTS // 2, x=POINTS // 2).staithe.put(space, version=step)
    time.sleep(0.05)
