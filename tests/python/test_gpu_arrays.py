"""Arrays of a GPU that are put, and read into: by a fake GPU, and by CuPy where there is a real one."""

from __future__ import annotations

import gc
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from compiled import COMPILER
from fake_gpu import STREAM, DlpackArray, FakeArray, FakeGpu
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

import staithe
from staithe.devices import driver
from thoroughness import examples

pytestmark = pytest.mark.skipif(COMPILER is None, reason="the fake GPU takes a C compiler")


@pytest.fixture(scope="module")
def gpu() -> Iterator[FakeGpu]:
    gpu = FakeGpu()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "LIBRARY", str(gpu.driver))
        yield gpu


@pytest.fixture(autouse=True)
def leaves_all_well(gpu: FakeGpu) -> Iterator[None]:
    yield
    gpu.go_on()
    gc.collect()
    assert (gpu.faults, gpu.contexts) == (0, 0)
    gpu.free_all()


@pytest.fixture(scope="module")
def lasting_pair() -> Iterator[tuple[staithe.Writer, staithe.Reader]]:
    name = f"gpu-{os.getpid()}"
    with staithe.writer(name) as out, staithe.reader(name) as reader:
        yield out, reader


@pytest.fixture
def in_thread() -> Iterator[Callable[[Callable[[], object]], threading.Thread]]:
    threads: list[threading.Thread] = []

    def start(call: Callable[[], object]) -> threading.Thread:
        threads.append(threading.Thread(target=call))
        threads[-1].start()
        return threads[-1]

    yield start
    for thread in threads:
        thread.join()


DTYPES = ("?", "i1", "i4", "i8", "u1", "u2", "u8", "f2", "f4", "f8", "c8", "c16")
ELEMENTS = arrays.arrays(
    st.sampled_from(DTYPES).map(np.dtype), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
)


def drawn_part(data: st.DataObject, whole: NDArray[Any]) -> Any:
    """A key that leaves a view, of any strides."""
    axes = data.draw(st.permutations(range(whole.ndim)))
    key = (..., *(data.draw(st.slices(length)) for length in whole.shape))
    return axes, key


def of_strides(gpu: FakeGpu, data: st.DataObject, whole: NDArray[Any], **description: Any) -> tuple[FakeArray, Any]:
    """An array of the GPU that is a part of this one, its axes in any order; and what it holds."""
    axes, key = drawn_part(data, whole)
    array = gpu.array(whole, key, **description)
    array.shape = tuple(array.shape[axis] for axis in axes)
    array.strides = tuple(array.strides[axis] for axis in axes)
    return array, np.asarray(whole[key]).transpose(axes)


@settings(max_examples=examples(300), deadline=None)
@given(whole=ELEMENTS, stream=st.sampled_from([STREAM, 1, None]), dlpack=st.booleans(), data=st.data())
def test_what_is_put_is_read(
    gpu: FakeGpu, lasting_pair: Any, whole: NDArray[Any], stream: int | None, dlpack: bool, data: st.DataObject
) -> None:
    out, reader = lasting_pair
    array, expected = of_strides(gpu, data, whole, stream=stream)
    with out.step() as step:
        step.put("x", DlpackArray(array) if dlpack else array, unit="K", attrs={"a": 1})
    x = next(reader)["x"]
    assert (x.shape, x.dtype, x.unit, x.attrs) == (expected.shape, expected.dtype, "K", {"a": 1})
    np.testing.assert_array_equal(x[...], expected)
    gpu.free_all()


@settings(max_examples=examples(300), deadline=None)
@given(
    whole=ELEMENTS,
    to=st.sampled_from(DTYPES),
    stream=st.sampled_from([STREAM, 1, None]),
    blocks=st.integers(1, 3),
    data=st.data(),
)
def test_what_is_read_into_a_gpu_is_what_numpy_has(
    gpu: FakeGpu,
    lasting_pair: Any,
    whole: NDArray[Any],
    to: str,
    stream: int | None,
    blocks: int,
    data: st.DataObject,
) -> None:
    out, reader = lasting_pair
    array, _ = of_strides(gpu, data, np.zeros(whole.shape, to), stream=stream)
    elements = whole.flat[: np.prod(array.shape, dtype=int)].reshape(array.shape)
    with out.step() as step:
        parts = np.array_split(elements, blocks) if elements.ndim else [elements]
        first = 0
        for part in parts:
            if not elements.ndim or len(part) or len(elements) == 0:
                offset = (first, *(0,) * (elements.ndim - 1)) if elements.ndim else ()
                step.put("x", part, offset=offset, shape=elements.shape)
                first += len(part) if elements.ndim else 0
            if len(elements.shape) == 0 or len(elements) == 0:
                break
    x = next(reader)["x"]
    if not np.can_cast(whole.dtype, to):
        with pytest.raises(staithe.InvalidArgument, match="cannot hold all"):
            x.read(out=array)
        return
    assert x.read(out=array) is array
    settle(gpu, stream)
    np.testing.assert_array_equal(array.content(), elements.astype(to))
    gpu.free_all()


def settle(gpu: FakeGpu, stream: int | None) -> None:
    """Waits for a stream, as programs do before they look."""
    if stream is not None:
        device = driver.device_of(gpu.array([0]).memory, "it")
        with device.current():
            device.settle(stream)


ROWS = np.arange(12, dtype="f4").reshape(3, 4)


def test_the_end_of_a_step_waits_for_its_copies(gpu: FakeGpu, pair: Any, in_thread: Any) -> None:
    array = gpu.array(ROWS)
    step = pair.out.step()
    gpu.hold()
    step.put("x", array)
    step.put("y", 1)
    ending = in_thread(step.end)
    ending.join(0.05)
    assert ending.is_alive()
    with pytest.raises(staithe.Timeout):
        pair.reader.next(timeout=0)
    gpu.go_on()
    np.testing.assert_array_equal(next(pair.reader)["x"], ROWS)


def test_a_put_stands_between_what_its_stream_does_before_and_after(gpu: FakeGpu, pair: Any) -> None:
    array = gpu.array(np.zeros(100, "u1"))
    gpu.hold()
    gpu.fill(array, 1)
    with pair.out.step() as step:
        step.put("x", array)
        gpu.fill(array, 2)
        step.put("y", array)
        gpu.go_on()
    read = next(pair.reader)
    assert (set(read["x"][:]), set(read["y"][:])) == ({1}, {2})


def test_an_array_of_no_known_stream_may_change_at_once(gpu: FakeGpu, pair: Any) -> None:
    array = gpu.array(np.zeros(100, "u1"), stream=None)
    with pair.out.step() as step:
        step.put("x", array)
        gpu.fill(array, 9, stream=99)
    assert not next(pair.reader)["x"].max()


def test_dlpack_is_asked_for_the_stream_of_the_copy(gpu: FakeGpu, pair: Any) -> None:
    array = DlpackArray(gpu.array(ROWS), device=(13, 0))
    np.testing.assert_array_equal(pair.send(x=array)["x"], ROWS)
    assert array.asked_for == [driver.DEFAULT_STREAM]


def test_an_old_interface_gives_way_to_dlpack(gpu: FakeGpu, pair: Any) -> None:
    array = gpu.array(ROWS, version=2)
    np.testing.assert_array_equal(pair.send(x=array)["x"], ROWS)

    class Both(DlpackArray):
        __cuda_array_interface__ = array.__cuda_array_interface__

    both = Both(array)
    np.testing.assert_array_equal(pair.send(x=both)["x"], ROWS)
    assert both.asked_for == [driver.DEFAULT_STREAM]


def test_pytorch_works_in_its_current_stream(
    gpu: FakeGpu, pair: Any, monkeypatch: pytest.MonkeyPatch, in_thread: Any
) -> None:
    class Tensor(DlpackArray):
        __cuda_array_interface__ = gpu.array(ROWS, version=2, stream=None).__cuda_array_interface__
        device = "cuda:0"
        conjugated = False

        def is_conj(self) -> bool:
            return self.conjugated

        def is_neg(self) -> bool:
            return False

    def current_stream(device: str) -> Any:
        return types.SimpleNamespace(cuda_stream={"cuda:0": STREAM}[device])

    torch = types.SimpleNamespace(Tensor=Tensor, cuda=types.SimpleNamespace(current_stream=current_stream))
    monkeypatch.setitem(sys.modules, "torch", torch)
    tensor = Tensor(gpu.array(ROWS))
    gpu.hold()
    step = pair.out.step()
    step.put("x", tensor)
    ending = in_thread(step.end)
    ending.join(0.05)
    assert ending.is_alive() and tensor.asked_for == []
    gpu.go_on()
    np.testing.assert_array_equal(next(pair.reader)["x"], ROWS)
    tensor.conjugated = True
    with pytest.raises(staithe.InvalidArgument, match=r"resolve_conj\(\)"), pair.out.step() as step:
        step.put("x", tensor)


def test_parts_fill_values_and_lists_of_the_host_go_together(gpu: FakeGpu, pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", gpu.array(ROWS), offset=(0, 0), shape=(5, 4), fill=-1)
        step.put("x", np.ones((2, 4), "f4"), offset=(3, 0), shape=(5, 4), fill=-1)
    x = next(pair.reader)["x"]
    np.testing.assert_array_equal(x, np.concatenate([ROWS, np.ones((2, 4))]))
    assert x.attrs == {"_FillValue": -1.0}


def test_fortran_order_stays(gpu: FakeGpu, pair: Any) -> None:
    before = gpu.calls("cuMemcpyDtoHAsync_v2")
    x = pair.send(x=gpu.array(np.asfortranarray(ROWS)))["x"][:]
    np.testing.assert_array_equal(x, ROWS)
    assert x.flags.f_contiguous and not x.flags.c_contiguous
    assert gpu.calls("cuMemcpyDtoHAsync_v2") == before + 1


def test_rows_go_at_once(gpu: FakeGpu, pair: Any) -> None:
    before = gpu.calls("cuMemcpy2DAsync_v2"), gpu.calls("cuMemcpyDtoHAsync_v2")
    x = pair.send(x=gpu.array(np.arange(10_000).reshape(100, 100), np.s_[10:90, 5:50]))["x"]
    np.testing.assert_array_equal(x, np.arange(10_000).reshape(100, 100)[10:90, 5:50])
    assert (gpu.calls("cuMemcpy2DAsync_v2"), gpu.calls("cuMemcpyDtoHAsync_v2")) == (before[0] + 1, before[1])


def test_the_array_is_kept_until_it_is_copied(gpu: FakeGpu, pair: Any) -> None:
    array = gpu.array(ROWS)
    alive = weakref.ref(array)
    gpu.hold()
    with pair.out.step() as step:
        step.put("x", array)
        del array
        gc.collect()
        assert alive() is not None
        gpu.go_on()
    assert alive() is None


@pytest.mark.parametrize("end", ["abandon", "exception", "fail", "forget"])
def test_memory_goes_back_only_when_nothing_is_copied_to_it(
    gpu: FakeGpu, stream: str, end: str, in_thread: Any, recwarn: pytest.WarningsRecorder
) -> None:
    out = staithe.writer(stream, readers=0)
    gpu.hold()
    step = out.step()
    step.put("x", gpu.array(np.ones(1 << 17)))

    def give_up() -> None:
        nonlocal out, step
        if end == "abandon":
            step.abandon()
        elif end == "exception":
            with pytest.raises(ZeroDivisionError), step:
                raise ZeroDivisionError
        elif end == "fail":
            out.fail("it is over")
        else:
            del out, step
            gc.collect()

    giving_up = in_thread(give_up)
    giving_up.join(0.05)
    assert giving_up.is_alive()
    gpu.go_on()
    giving_up.join()
    if end in ("abandon", "exception"):
        out.close()
    recwarn.clear()  # what is forgotten warns


def test_memory_is_pinned_once_and_as_long_as_it_is_there(gpu: FakeGpu, stream: str) -> None:
    before = gpu.calls("cuMemHostRegister_v2"), gpu.calls("cuMemHostUnregister")
    big = np.ones(1 << 17)
    with staithe.writer(stream, queue_steps=2, readers=0) as out:
        for _ in range(10):
            with out.step() as step:
                step.put("x", gpu.array(big))
                step.put("small", gpu.array(ROWS))
            gpu.free_all()
        times = gpu.calls("cuMemHostRegister_v2") - before[0]
        assert 2 <= times <= 5
    del out, step
    gc.collect()
    assert gpu.calls("cuMemHostUnregister") - before[1] == times


def test_memory_that_cannot_be_pinned_serves_all_the_same(gpu: FakeGpu, pair: Any) -> None:
    gpu.fail("cuMemHostRegister_v2", 1)
    np.testing.assert_array_equal(pair.send(x=gpu.array(ROWS))["x"], ROWS)
    np.testing.assert_array_equal(pair.send(x=gpu.array(ROWS))["x"], ROWS)


@pytest.mark.parametrize("function", ["cuMemcpyDtoHAsync_v2", "cuEventCreate", "cuEventRecord"])
def test_a_step_without_its_copy_is_not_published(gpu: FakeGpu, pair: Any, function: str) -> None:
    gpu.fail(function, 700)
    says = rf"CUDA's driver: {function}: the device is a fake \(700\)"
    with pytest.raises(staithe.SystemFailure, match=says), pair.out.step() as step:
        step.put("x", gpu.array(ROWS))
    step = pair.out.step()
    gpu.fail(function, 700)
    with pytest.raises(staithe.SystemFailure):
        step.put("x", gpu.array(ROWS))
    with pytest.raises(staithe.SystemFailure, match=r"variable 'x' was not copied from the GPU.*abandon"):
        step.end()
    np.testing.assert_array_equal(pair.send(x=gpu.array(ROWS + 1))["x"], ROWS + 1)


def test_a_copy_that_fails_later_ends_the_step(gpu: FakeGpu, pair: Any) -> None:
    step = pair.out.step()
    step.put("x", gpu.array(ROWS))
    step.put("y", gpu.array(ROWS))
    gpu.fail("cuEventSynchronize", 700)
    with pytest.raises(staithe.SystemFailure, match="cuEventSynchronize"):
        step.end()
    assert list(pair.send(z=1)) == ["z"]


def test_a_variable_that_was_put_before_is_refused(gpu: FakeGpu, pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", gpu.array(ROWS))
        with pytest.raises(staithe.AlreadyExists):
            step.put("x", gpu.array(ROWS + 1))
    np.testing.assert_array_equal(next(pair.reader)["x"], ROWS)


class Sparse:
    @property
    def __cuda_array_interface__(self) -> Any:
        raise TypeError("it is sparse: use to_dense()")


def test_what_cannot_be_put(gpu: FakeGpu, pair: Any) -> None:
    with pair.out.step() as step:
        for array, message in (
            (gpu.array(ROWS, mask=object()), "variable 'x' has a mask"),
            (gpu.array(ROWS, typestr=">f4"), "'x' must be in the byte order of this machine"),
            (gpu.array(ROWS, typestr="|V4"), "variable 'x' cannot have dtype"),
            (gpu.array(np.zeros((1,) * 9)), "variable 'x' has 9 dimensions: there can be 8"),
            (
                DlpackArray(gpu.array(ROWS), device=(10, 0)),
                "variable 'x' lies on a device of ROCm.*Copy it to the host",
            ),
            (DlpackArray(gpu.array(ROWS), device=(77, 0)), "DLPack kind 77"),
            (Sparse(), r"variable 'x': its library does not show where it lies: it is sparse: use to_dense\(\)"),
        ):
            with pytest.raises(staithe.InvalidArgument, match=message):
                step.put("x", array)
        with pytest.raises(staithe.InvalidArgument, match=r"fill=0\.5 is no value of its dtype"):
            step.put("x", gpu.array(np.arange(3)), fill=0.5)
    assert list(next(pair.reader)) == []


def test_without_a_driver_the_message_says_so(gpu: FakeGpu, pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", "libnone.so.1")
    says = r"variable 'x' lies in the memory of a GPU, and CUDA's driver cannot be loaded: libnone.*Copy it to the host"
    with pytest.raises(staithe.SystemFailure, match=says), pair.out.step() as step:
        step.put("x", gpu.array(ROWS))


def test_a_read_comes_after_what_the_stream_does_before(gpu: FakeGpu, pair: Any) -> None:
    first, second = (gpu.array(np.zeros(100, "u1")) for _ in range(2))
    step = pair.send(x=np.full(100, 5, "u1"), y=np.full(100, 6, "u1"))
    gpu.hold()
    gpu.fill(first, 1)
    step["x"].read(out=first)
    step["y"].read(out=second)
    assert not first.content().any() and not second.content().any()  # nothing has waited for the stream
    pair.send(x=0)  # that step is gone
    gpu.go_on()
    settle(gpu, STREAM)
    assert (set(first.content()), set(second.content())) == ({5}, {6})


def test_reads_one_after_the_other_do_not_mix(gpu: FakeGpu, pair: Any) -> None:
    step = pair.send(**{f"x{i}": np.full(1000 * (i % 5 + 1), i, "i4") for i in range(20)})
    read = [gpu.array(np.zeros(step[f"x{i}"].shape, "i4")) for i in range(20)]
    for i, array in enumerate(read):
        step[f"x{i}"].read(out=array)
    settle(gpu, STREAM)
    assert all((array.content() == i).all() for i, array in enumerate(read))


def test_a_selection_and_a_share_are_read_into_a_gpu(gpu: FakeGpu, pair: Any) -> None:
    x = pair.send(x=ROWS)["x"]
    for key in (np.s_[1, ::-2], np.s_[[0, 2]], np.s_[None, :, 3], staithe.Box((1, 1), (2, 2))):
        out = gpu.array(np.zeros(np.shape(x[key]), "f8"))
        x.read(key, out=out)
        settle(gpu, STREAM)
        np.testing.assert_array_equal(out.content(), x[key])
    out = gpu.array(np.zeros((3, 4), "f4"))
    assert x.read(share="count", out=out) is out
    settle(gpu, STREAM)
    np.testing.assert_array_equal(out.content(), ROWS)


def test_what_cannot_be_read_into(gpu: FakeGpu, pair: Any) -> None:
    x = pair.send(x=ROWS)["x"]
    for out, message in (
        (gpu.array(ROWS, read_only=True), "out cannot be written to: it is read-only"),
        (DlpackArray(gpu.array(ROWS)), "only DLPack shows"),
        (gpu.array(ROWS[:2]), r"the selection is of shape \(3, 4\), but out is of shape \(2, 4\)"),
        (gpu.array(np.zeros((3, 0))), r"of shape \(3, 4\), but out"),
        (gpu.array(ROWS.astype("f2")), "float16 cannot hold all"),
        ([1, 2], "out must be an array of NumPy's or of a GPU, not list"),
    ):
        with pytest.raises(staithe.InvalidArgument, match=message):
            x.read(out=out)
    gpu.fail("cuMemHostAlloc", 2)
    large = np.zeros(1 << 21)
    with pytest.raises(staithe.LimitReached, match="out of memory"):
        pair.send(x=large)["x"].read(out=gpu.array(large))
    x = pair.send(x=ROWS)["x"]
    gpu.fail("cuMemcpyHtoDAsync_v2", 700)
    with pytest.raises(staithe.SystemFailure, match="cuMemcpyHtoDAsync"):
        x.read(out=gpu.array(ROWS))


def test_a_child_leaves_its_parents_copies_alone(gpu: FakeGpu, pair: Any) -> None:
    gpu.hold()
    with pair.out.step() as step:
        step.put("x", gpu.array(ROWS))
        if (child := os.fork()) == 0:
            os._exit(0 if pair.out.closed else 1)
        gpu.go_on()
        assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(next(pair.reader)["x"], ROWS)
