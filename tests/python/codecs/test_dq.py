"""What dq does better than the conformance suite asks of every codec."""

from __future__ import annotations

import numpy as np
import pytest

from staithe import codecs


@pytest.mark.parametrize("land", [0, 400])
def test_bounds_beside_the_precision_cost_little(land: int) -> None:
    """Decoding rounds to the precision, which a finer step makes room for: few values become exceptions."""
    generator = np.random.default_rng(0)
    near_zero = (np.cumsum(generator.normal(size=(300, 1000)), 1) * 1e-3).astype("f4")
    far_off = near_zero + np.float32(1000)
    for array in (near_zero, far_off):
        array[:, :land] = 1e20
    sizes = [codecs.encode(array, abs=1e-3, fill=1e20).nbytes for array in (near_zero, far_off)]
    assert sizes[1] < 1.4 * sizes[0]
