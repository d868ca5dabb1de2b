"""What the conformance suite runs on: every codec that is there, in every mode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias, get_args

import numpy as np
import pytest
from arrays import Array, field, filled

from staithe import codecs

How: TypeAlias = dict[str, Any]
"""Arguments of `encode` and `probe`: the codec and the mode."""

PRESENT = tuple(codec for codec in codecs.list() if not codec.missing)
MODES = get_args(codecs.Mode)


def _each(chosen: Iterable[codecs.Codec]) -> pytest.MarkDecorator:
    cases = [{"codec": codec.name, "mode": mode} for codec in chosen for mode in MODES]
    return pytest.mark.parametrize("how", cases, ids=lambda how: "-".join(how.values()))


each_codec = _each(PRESENT)
each_lossy_codec = _each(codec for codec in PRESENT if codec.lossy)

OUT_LAYOUTS = ("C", "Fortran", "strided", "negative", "transposed", "unaligned")


def _with_exceptions() -> Array:
    array = field("sparse", "f4", (12, 20, 30))
    array[2, 3:9] = 1e20
    array[:, 4, 7] = np.nan
    return array


SAMPLES: dict[str, tuple[Array, dict[str, Any]]] = {
    "bounded": (field("turbulence", "f4", (9, 17, 20)), {"rel": 1e-3}),
    "exceptions": (_with_exceptions(), {"abs": 0.1, "fill": 1e20}),
    "exact": (np.arange(-500, 500).reshape(20, 50), {}),
    "raw": (filled((30, 40), "u1", "bits", 1), {}),
    "tiles": (np.zeros((3, 300_000), "f8"), {}),
    "empty": (np.zeros((0, 4)), {}),
    "one": (np.array(3, "f4"), {}),
}
"""Arrays whose payloads differ in kind, with the arguments of `encode`."""
