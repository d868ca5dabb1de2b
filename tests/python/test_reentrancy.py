"""Code of the user's that runs within a call, and ends what the call is about: an error or nothing, and no crash.

NumPy asks objects for their array, dtype or index; attributes are asked for their items; names, arrays and warnings may
run code as they come or go. Any of these may end the step, or close the stream.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from conftest import Pair

import staithe

Do = Callable[[], object]


class Acting:
    """An object that does something as it is asked for what it is, in any of the ways that are asked."""

    def __init__(self, do: Do, array: Any = 1.0) -> None:
        self.do = do
        self.array = np.asarray(array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self.do()
        return self.array

    def __index__(self) -> int:
        self.do()
        return 0

    @property
    def dtype(self) -> Any:
        self.do()
        return self.array.dtype

    @property
    def offset(self) -> tuple[int, ...]:
        self.do()
        return (0,)


class Interface(Acting):
    """Hands over its memory by NumPy's protocol of attributes."""

    __array__ = None

    @property
    def __array_interface__(self) -> dict[str, Any]:
        self.do()
        return dict(self.array.__array_interface__)


class Items(list[Any]):
    """A sequence that is no list to the C interface, and acts as it is read."""

    def __init__(self, do: Do, values: Any) -> None:
        super().__init__(values)
        self.do = do

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self.do()
        return np.asarray(list(self))


class Mapped:
    """A mapping that acts as it is read."""

    def __init__(self, do: Do) -> None:
        self.do = do

    def keys(self) -> list[str]:
        self.do()
        return ["a"]

    def __getitem__(self, name: str) -> int:
        return 1


class Listed(np.ndarray[Any, Any]):
    """An array that acts as its values are asked for."""

    do: Do

    def tolist(self) -> Any:
        self.do()
        return [1, 2]


def listed(do: Do) -> Listed:
    array = np.arange(2).view(Listed)
    array.do = do
    return array


class Dying(str):
    """A name that acts as it goes."""

    do: Do | None = None

    def __del__(self) -> None:
        if self.do is not None:
            self.do()


ENDS: dict[str, Callable[[staithe.Writer, staithe.WriteStep], object]] = {
    "ends": lambda out, step: step.end(),
    "abandons": lambda out, step: step.abandon(),
    "closes": lambda out, step: (step.abandon(), out.close()),
    "fails": lambda out, step: out.fail("as asked"),
    "opens another": lambda out, step: (step.end(), out.step()),
}


@pytest.fixture(params=ENDS.values(), ids=ENDS)
def ended(request: pytest.FixtureRequest, stream: str) -> Iterator[tuple[staithe.WriteStep, Do]]:
    """A step, and what ends it, or more."""
    out = staithe.writer(stream, readers=0)
    step = out.step()
    yield step, lambda: request.param(out, step)
    out.fail("the test is over")


PUTS: dict[str, Callable[[staithe.WriteStep, Do], object]] = {
    "array": lambda step, do: step.put("x", Acting(do, np.zeros(1000))),
    "long array": lambda step, do: step.put("x", Acting(do, np.zeros(1_000_000))),
    "item": lambda step, do: step.__setitem__("x", Acting(do)),
    "interface": lambda step, do: step.put("x", Interface(do, np.zeros(1000))),
    "list": lambda step, do: step.put("x", [Acting(do), 2.0]),
    "offset": lambda step, do: step.put("x", np.zeros(1000), offset=(Acting(do),), shape=(1000,)),
    "shape": lambda step, do: step.put("x", np.zeros(0), offset=0, shape=Acting(do)),
    "attrs": lambda step, do: step.put("x", np.zeros(1000), attrs=Mapped(do)),
    "value of attrs": lambda step, do: step.put("x", np.zeros(1000), attrs={"a": listed(do)}),
    "attribute": lambda step, do: step.attrs.__setitem__("a", listed(do)),
    "attributes": lambda step, do: step.attrs.update({"a": listed(do)}),
    "loan of a dtype": lambda step, do: step.loan("x", count=1000, dtype=Acting(do)),
    "loan of a count": lambda step, do: step.loan("x", count=(Acting(do),)),
}


@pytest.mark.parametrize("put", PUTS.values(), ids=PUTS)
def test_whatever_ends_a_step_while_it_is_written(
    put: Callable[[staithe.WriteStep, Do], object], ended: tuple[staithe.WriteStep, Do]
) -> None:
    step, end = ended
    with pytest.raises(staithe.Closed, match=r"is over|closed"):
        put(step, once(end))


def once(do: Do) -> Do:
    """Does it the first time."""
    left = [do]
    return lambda: left and left.pop()()


def test_a_loan_of_a_step_that_is_over(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out:
        step = out.step()
        loan = step.loan("x", count=1000)
        loan.__enter__()
        step.abandon()
        with pytest.raises(staithe.Closed):
            loan.__exit__(None, None, None)


class Growing:
    """A number that makes the list longer that it stands in."""

    def __init__(self, numbers: list[Any]) -> None:
        self.numbers = numbers

    def __index__(self) -> int:
        self.numbers.extend(range(100_000))
        return 2


def test_a_shape_that_changes_while_it_is_read(pair: Pair) -> None:
    numbers: list[Any] = []
    numbers.append(Growing(numbers))
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match="dimensions"):
        step.put("x", np.zeros(3), offset=(0,), shape=numbers)


def test_attributes_that_change_while_they_are_read(pair: Pair) -> None:
    attributes: dict[str, Any] = {}
    attributes["a"] = listed(attributes.clear)
    with pair.out.step() as step:
        step.put("x", np.zeros(3), attrs=attributes)
    assert next(pair.reader)["x"].attrs == {"a": [1, 2]}


READS: dict[str, Callable[[staithe.Variable, Do], object]] = {
    "index": lambda x, do: x[Acting(do)],
    "slice": lambda x, do: x[slice(Acting(do), 5)],
    "out": lambda x, do: x.read(slice(Acting(do), None), out=np.empty(100_000)),
    "another dtype": lambda x, do: x.read(slice(Acting(do), None), out=np.empty(100_000, "c16")),
    "astype": lambda x, do: x.astype(Acting(do, np.zeros(1, "c16"))),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("release", ["release", "close"])
@pytest.mark.parametrize("blocks", [1, 2])
def test_whatever_releases_a_step_while_it_is_read(
    read: Callable[[staithe.Variable, Do], object], release: str, blocks: int, pair: Pair
) -> None:
    with pair.out.step() as written:
        for i in range(blocks):
            count = 100_000 // blocks
            written.put("x", np.arange(count, dtype="f8"), offset=i * count, shape=100_000)
    step = next(pair.reader)
    variable = step["x"]

    def do() -> None:
        step.release()
        if release == "close":
            pair.reader.close()
        gc.collect()

    with pytest.raises(staithe.Closed, match="released"):
        read(variable, once(do))


class Garbage:
    """Acts when it is collected, which the making of any object may set off."""

    def __init__(self, do: Do) -> None:
        self.do = do
        self.itself = self

    def __del__(self) -> None:
        self.do()


SHOWN: dict[str, Callable[[staithe.Step, staithe.Variable], object]] = {
    "attrs": lambda step, x: x.attrs,
    "attrs of the step": lambda step, x: step.attrs,
    "shape": lambda step, x: x.shape,
    "blocks": lambda step, x: x.blocks,
    "names": lambda step, x: list(step),
    "elements": lambda step, x: x[...],
    "repr": lambda step, x: repr(x),
    "repr of the step": lambda step, x: repr(step),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_whatever_is_collected_while_a_step_is_looked_at(
    show: Callable[[staithe.Step, staithe.Variable], object], pair: Pair
) -> None:
    attributes = {f"a{i}": [{"b": "long enough to be a string of its own " * 3}] for i in range(50)}
    with pair.out.step() as written:
        written.attrs.update(attributes)
        for i in range(2):
            written.put("x", np.zeros(10), offset=10 * i, shape=20, attrs=attributes)
    step = next(pair.reader)
    variable = step["x"]
    before = gc.get_threshold()

    def do() -> None:
        step.release()
        pair.out.step().abandon()  # takes in the release
        pair.reader.close()

    gc.disable()
    Garbage(do)
    gc.set_threshold(1)
    gc.enable()
    try:
        with contextlib.suppress(staithe.Closed):
            show(step, variable)
    finally:
        gc.set_threshold(*before)
        gc.collect()
    assert variable.__repr__().endswith("released>")


class Substitute(np.ndarray[Any, Any]):
    """An array whose parts are none."""

    def __getitem__(self, key: Any) -> Any:
        return "no array"


def test_a_class_derived_from_arrays_is_read_into_as_the_array_it_is(pair: Pair) -> None:
    out = np.zeros(100, "c16").view(Substitute)
    pair.send(x=np.arange(100.0))["x"].read(out=out)
    assert np.array_equal(np.asarray(out), np.arange(100))


def test_a_name_that_closes_the_reader_as_it_goes(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out:
        reader = staithe.reader(stream)
        with out.step() as step:
            step.put("x", np.zeros(3))
    name = Dying("x")
    received = next(reader)
    assert received[name].shape == (3,)
    name.do = reader.close
    del name, received
    assert reader.next() is None
    assert reader.closed


def test_a_warning_that_closes_the_writer(run_python: Callable[..., str], stream: str) -> None:
    program = f"""
import warnings, staithe
out = staithe.writer({stream!r}, readers=0)
step = out.step()
warnings.simplefilter("always")
warnings.showwarning = lambda *of: (print("warned"), step.abandon(), out.close())
"""
    assert run_python(program) == "warned\n"


def test_a_warning_that_drops_the_writer(run_python: Callable[..., str], stream: str) -> None:
    program = f"""
import warnings, staithe
held = [staithe.writer({stream!r}, readers=0)]
warnings.simplefilter("always")
warnings.showwarning = lambda *of: (print("warned"), held[0].close(), held.clear())
"""
    assert run_python(program) == "warned\n"


def test_a_signal_that_ends_what_is_waited_for(stream: str) -> None:
    """The handler runs in the middle of the call: it is told so, and the call goes on."""
    refused: list[Exception] = []

    def handler(*_: object) -> None:
        for do in (out.close, lambda: out.fail("as asked"), out.step):
            try:
                do()
            except staithe.InvalidArgument as error:
                refused.append(error)

    with staithe.writer(stream, queue_steps=1, readers=1) as out:
        reader = staithe.reader(stream, timeout=10)
        out.step().end()
        before = signal.signal(signal.SIGUSR1, handler)
        try:
            main = threading.get_ident()
            threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGUSR1)).start()
            with pytest.raises(staithe.Timeout):
                out.step(timeout=1)
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert len(refused) == 3
        next(reader)
        reader.close()
        out.step().end()


class Meddling:
    """An analysis that does to its own stream what it should not."""

    def __init__(self) -> None:
        self.out: staithe.Writer | None = None
        self.refused: list[Exception] = []

    def _meddle(self) -> None:
        assert self.out is not None
        for do in (
            self.out.close,
            lambda: self.out.fail("as asked"),
            self.out.step,
            lambda: self.out.attach(Meddling()),
        ):
            try:
                do()
            except (staithe.InvalidArgument, staithe.Closed) as error:
                self.refused.append(error)

    def start(self, group: staithe.Group, attributes: Any) -> None:
        if self.out is not None:
            self._meddle()

    def step(self, step: staithe.Step) -> None:
        self._meddle()
        step.release()

    def finish(self) -> None:
        self._meddle()


def test_an_analysis_that_ends_its_own_stream(stream: str) -> None:
    analysis = Meddling()
    with staithe.writer(stream, placement="inline", readers=0) as out:
        analysis.out = out
        out.attach(analysis)
        with out.step() as step:
            step.put("x", np.zeros(3))
        out.step().end()
    assert len(analysis.refused) >= 12
