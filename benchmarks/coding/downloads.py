"""Fields out of packages that have them as sample data. The packages are fetched, but not installed."""

import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contenders.base import untyped

SPERR = "hdf5plugin==7.1.0"  # its sources come with those of SPERR, and with its test data
ATLAS = "ferret-datasets"  # a Debian package


class Unavailable(Exception):
    """A field cannot be had here; the text says why."""


def sperr_sample(downloads: Path, name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """A file of SPERR's test data."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    archive = _fetched(downloads, "hdf5plugin-*.tar.gz", [*pip, "--no-binary", "hdf5plugin", SPERR])
    with tarfile.open(archive) as tar:
        member = next((item for item in tar if item.name.endswith(f"lib/SPERR/test_data/{name}")), None)
        file = tar.extractfile(member) if member else None
        if file is None:
            raise Unavailable(f"{archive.name} has no {name}")
        return np.frombuffer(file.read(), dtype).reshape(shape)


def ocean_atlas(downloads: Path) -> NDArray[Any]:
    """Temperature, of all months and depths."""
    package = _fetched(downloads, f"{ATLAS}_*.deb", ["apt-get", "-qq", "download", ATLAS])
    path = "usr/share/ferret-vis/data/ocean_atlas_subset.nc"
    run("unpacking the ocean atlas", ["dpkg-deb", "--extract", str(package), str(downloads / ATLAS)], downloads)
    with untyped("scipy.io").netcdf_file(downloads / ATLAS / path, mmap=False) as file:
        temperature: NDArray[Any] = file.variables["TEMP"].data.astype("f4")
    return temperature


def _fetched(downloads: Path, pattern: str, command: list[str]) -> Path:
    downloads.mkdir(parents=True, exist_ok=True)
    if not any(downloads.glob(pattern)):
        run(f"downloading {pattern}", command, downloads)
    return next(downloads.glob(pattern))


def run(purpose: str, command: list[str], folder: Path) -> None:
    """Raises Unavailable, if there is no such program or it fails."""
    print(purpose, file=sys.stderr)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Unavailable(f"{purpose}: there is no {command[0]} here") from None
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no message"]
        raise Unavailable(f"{purpose}: {lines[-1]}")
