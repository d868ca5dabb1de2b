"""The fields that codecs are measured on: what programs write, as far as it can be had, and stand-ins that say so.

Each is made or fetched once, and kept in build/bench/fields.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import simulated
from .downloads import Unavailable, ocean_atlas, sperr_sample

Array = NDArray[Any]
Kind = Literal["smooth", "turbulence", "positions", "sparse"]

KEPT = Path(__file__).resolve().parents[2] / "build" / "bench" / "fields"


@dataclass(frozen=True)
class Field:
    """What stands here is looked up by name."""

    name: str
    kind: Kind
    origin: str
    make: Callable[[Path], Array]
    fill: float | None = None

    def load(self) -> Array:
        """Raises Unavailable."""
        path = KEPT / f"{self.name.replace(' ', '_')}.npy"
        if not path.exists():
            KEPT.mkdir(parents=True, exist_ok=True)
            made = np.ascontiguousarray(self.make(KEPT / "downloads"))
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                np.save(file, made)
            part.replace(path)
        kept: Array = np.load(path)
        return kept

    def counts(self, array: Array) -> NDArray[np.bool_]:
        """Where its values are such as bounds are about."""
        finite: NDArray[np.bool_] = np.isfinite(array)
        return finite if self.fill is None else finite & (array != array.dtype.type(self.fill))

    def span(self, array: Array) -> float:
        """The largest value less the smallest."""
        return float(np.ptp(array[self.counts(array)].astype("f8")))


def fetch(fields: Iterable[Field]) -> None:
    """Makes or fetches what is not here yet. Who loads one that cannot be had is told why."""
    for field in {field.name: field for field in fields}.values():
        with suppress(Unavailable):
            field.load()


FIELDS = (
    Field(
        "miranda",
        "smooth",
        "density of two mixing fluids, 256 × 128 × 128, float64 (sample of SPERR)",
        partial(sperr_sample, name="density_128x128x256.d64", dtype="f8", shape=(256, 128, 128)),
    ),
    Field(
        "vorticity",
        "turbulence",
        "vorticity of a flow, 41 × 128 × 128 (sample of SPERR)",
        partial(sperr_sample, name="vorticity.128_128_41", dtype="f4", shape=(41, 128, 128)),
    ),
    Field(
        "vorticity plane",
        "turbulence",
        "vorticity of a flow, 512 × 512 (sample of SPERR)",
        partial(sperr_sample, name="vorticity.512_512", dtype="f4", shape=(512, 512)),
    ),
    Field(
        "ocean",
        "smooth",
        "temperature of the ocean, 12 months × 19 × 90 × 180, 39 % of it land (Levitus atlas)",
        ocean_atlas,
        fill=-1e34,
    ),
    Field(
        "gray-scott",
        "smooth",
        "concentration of v in a reaction that makes patterns, 128³, simulated",
        lambda _: simulated.gray_scott(128),
    ),
    Field(
        "turbulence",
        "turbulence",
        "velocity with the spectrum of Kolmogorov and random phases, 128³, synthetic",
        lambda _: simulated.turbulence(128),
    ),
    Field(
        "positions",
        "positions",
        "256,000 atoms of a melting crystal, (atoms, 3), simulated by LAMMPS",
        lambda _: simulated.melt(40),
    ),
    Field(
        "rain",
        "sparse",
        "rain that is 0 in 92 % of the places, 16 × 512 × 512, synthetic",
        lambda _: simulated.rain((16, 512, 512)),
    ),
)
NAMES = tuple(field.name for field in FIELDS)

__all__ = ["FIELDS", "NAMES", "Array", "Field", "Kind", "Unavailable"]
