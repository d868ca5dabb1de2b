"""examples/looking_in: xarray and Dask look into a simulation that runs, as users do it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import xarray as xr
from space_servers import own_run_directory, serving

LOOKING_IN = Path(__file__).parents[2] / "examples" / "looking_in"
PLATES = 12


def test_a_figure_is_drawn_while_the_simulation_runs(tmp_path: Path) -> None:
    with own_run_directory(), serving():
        with subprocess.Popen([sys.executable, str(LOOKING_IN / "simulation.py"), str(PLATES)]) as simulation:
            look = [sys.executable, str(LOOKING_IN / "look_in.py")]
            done = subprocess.run(look, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        [(plates, chunks)] = re.findall(r"(\d+) plates in (\d+) chunks", done.stdout)
        assert 10 <= int(plates) <= PLATES
        assert int(chunks) == 4 * int(plates)
        assert (tmp_path / "plate.png").read_bytes()[1:4] == b"PNG"
        assert simulation.returncode == 0
        whole = xr.open_dataset("plate", engine="staithe", version="all")
        assert (whole.sizes["version"], whole.T.shape) == (PLATES, (PLATES, 256, 256))
        assert (whole.T.mean(("y", "x")).diff("version") > 0).all()  # the burner never stops
