"""What dq does better than the conformance suite asks of every codec."""

from __future__ import annotations

import numpy as np
import pytest

from staithe import codecs


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_differences_that_rounding_makes_smaller(dtype: str) -> None:
    """Interpolated values that miss the bound by less than the difference of both can say."""
    real = np.dtype(dtype).type
    bound = real(2.0**-7)
    z, y, x = np.ogrid[0:40, 0:40, 0:65]
    array = (np.sin(x * 0.05 + y * 0.043) * np.cos(z * 0.06 + 0.3) * 0.2).astype(dtype)
    known = codecs.decode(codecs.encode(array, mode="dense", abs=float(bound)))
    before, left, right, behind = (known[:, :, i : i + 58 : 2] for i in (0, 2, 4, 6))
    predicted = (left * real(0.5625) + right * real(0.5625)) + (before * real(-0.0625) + behind * real(-0.0625))
    # The next number beyond the bound from there, on the other side of 0.
    beyond = np.nextafter(predicted + bound, real(1))
    beyond = np.where(beyond.astype("f16") - predicted.astype("f16") > bound, beyond, np.nextafter(beyond, real(1)))
    chosen = (predicted < 0) & (predicted > -bound / 2) & (np.random.default_rng(0).random(beyond.shape) < 0.02)
    assert chosen.any()
    array[:, :, 3:61:2][chosen] = beyond[chosen]
    again = codecs.decode(codecs.encode(array, mode="dense", abs=float(bound)))
    assert np.abs(array.astype("f16") - again.astype("f16")).max() <= bound


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
