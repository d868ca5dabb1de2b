"""Arrays of CuPy and PyTorch, where there is a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe


@pytest.fixture
def cupy() -> Any:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"CuPy finds no GPU: {error}")
    return cupy


LARGE = np.arange(1 << 24, dtype="f4").reshape(4096, 4096)


@pytest.mark.parametrize("key", [np.s_[...], np.s_[5:4000, 3:70], np.s_[:64:-3, ::2], np.s_[7]], ids=str)
def test_parts_come_and_go(cupy: Any, pair: Any, key: Any) -> None:
    for array in (cupy.asarray(LARGE)[key], cupy.asfortranarray(cupy.asarray(LARGE))[key]):
        x = pair.send(x=array)["x"]
        np.testing.assert_array_equal(x, LARGE[key])
        out = cupy.zeros_like(cupy.asarray(LARGE))[key]
        assert x.read(out=out) is out
        np.testing.assert_array_equal(cupy.asnumpy(out), LARGE[key])


def test_a_stream_keeps_its_order(cupy: Any, pair: Any) -> None:
    with cupy.cuda.Stream(non_blocking=True):
        array = cupy.zeros((4096, 4096), "f4")
        for number in range(20):
            array += 1
            with pair.out.step() as step:
                step["x"] = array
                array += 1
                step["y"] = array
            read = next(pair.reader)
            assert (read["x"].min(), read["x"].max()) == (2 * number + 1,) * 2
            assert (read["y"].min(), read["y"].max()) == (2 * number + 2,) * 2
            out = cupy.zeros_like(array)
            out += 5
            read["x"].read(out=out)
            out -= array
            assert cupy.asnumpy(out).min() == cupy.asnumpy(out).max() == -1


def test_tensors_of_pytorch(cupy: Any, pair: Any) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.from_numpy(LARGE).cuda()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        with pair.out.step() as step:
            step["x"] = tensor[:, 5:9]
            tensor.zero_()
        x = next(pair.reader)["x"]
        np.testing.assert_array_equal(x, LARGE[:, 5:9])
        out = torch.zeros((4096, 4), dtype=torch.float64, device="cuda")
        np.testing.assert_array_equal(x.read(out=out).cpu().numpy(), LARGE[:, 5:9])
    with pytest.raises(staithe.InvalidArgument, match="resolve_conj"), pair.out.step() as step:
        step["x"] = torch.zeros(3, dtype=torch.complex64, device="cuda").conj()
    with pytest.raises(staithe.InvalidArgument, match="requires grad"), pair.out.step() as step:
        step["x"] = torch.zeros(3, device="cuda", requires_grad=True)
