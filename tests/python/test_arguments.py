"""Wrong calls say which argument is wrong, and what was meant: in the words of Python, never of C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import staithe
from staithe import _core, codecs

X = np.zeros(3)


class Each(staithe.Analysis):
    def step(self, step: staithe.Step) -> None:
        pass


OF_WRITERS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda step: step.put("x", X, units="K"), "put(): there is no argument units; did you mean unit?"),
    (lambda step: step.put("x", X, atrs={}), "did you mean attrs?"),
    (lambda step: step.put("x", X, colour=1), "there are name, array, offset=, shape=, unit=, attrs=, fill="),
    (lambda step: step.put("x", X, unit=3), "put(): unit must be str or None, not int: 3"),
    (lambda step: step.put(X, "x"), "put(): name and array are swapped: name, array, offset="),
    (lambda step: step.put(1, X), "put(): name must be str, not int: 1"),
    (lambda step: step.put("x"), "put(): missing a required argument: 'array'"),
    (lambda step: step.put("x", X, (0,)), "put(): too many positional arguments"),
    (lambda step: step.put("x", X, name="x"), "put(): multiple values for argument 'name'"),
    (lambda step: step.loan("x", cuont=3), "loan(): there is no argument cuont; did you mean count?"),
    (lambda step: step.loan("x", count=3, unit=b"K"), "loan(): unit must be str or None, not bytes: b'K'"),
    (lambda step: step.__setitem__(1, X), "WriteStep[...] = ...: name must be str, not int: 1"),
]

OF_READERS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda step: step[0], "Step[...]: name must be str, not int: 0"),
    (lambda step: step["x"].read(share=3), "read(): share must be 'block' or 'count' or 'round' or None, not int: 3"),
    (lambda step: step["x"].read(output=X), "read(): there is no argument output; did you mean out?"),
    (lambda step: step["x"].astype("f8", "safe"), "astype(): too many positional arguments"),
]

OF_FUNCTIONS: list[tuple[Callable[[], Any], str]] = [
    (lambda: staithe.writer(None), "writer(): name must be str or PathLike, not NoneType: None"),  # type: ignore[arg-type]
    (lambda: staithe.writer(), "writer(): missing a required argument: 'name'"),  # type: ignore[call-arg]
    (lambda: staithe.writer("x", analyses=Each()), "as in analyses=[analysis], not Each"),  # type: ignore[arg-type]
    (lambda: staithe.writer("x", analyses=Each), "as in analyses=[analysis], not the class Each"),  # type: ignore[arg-type]
    (lambda: staithe.writer("x", analyses=[Each]), "Analysis, not the class Each: make one, by Each()"),  # type: ignore[list-item]
    (lambda: staithe.writer("x", analyses=[3]), "analyses must be made of staithe.Analysis, not int"),  # type: ignore[list-item]
    (lambda: staithe.analyse(Each, "x"), "analyse(): analysis must be made of staithe.Analysis, not the class Each"),  # type: ignore[arg-type]
    (lambda: staithe.analyse(np.max, "x"), "not the function max: staithe.analysis makes one of a function"),  # type: ignore[arg-type]
    (lambda: staithe.analyse("size.py", "x"), "not str: staithe.load_analysis gives what a file has"),  # type: ignore[arg-type]
    (lambda: staithe.writer("x", queue_step=2), "did you mean queue_steps?"),  # type: ignore[call-arg]
    (lambda: staithe.writer("x", queue_steps="2"), "queue_steps must be int or None, not str: '2'"),  # type: ignore[arg-type]
    (lambda: staithe.reader("x", timeout="1 s"), "timeout must be float or None, not str"),  # type: ignore[arg-type]
    (lambda: staithe.reader("x", 3), "reader(): too many positional arguments"),  # type: ignore[misc]
    (lambda: codecs.encode(X, 1e-3), "codec must be str, not float: 0.001; such a one goes by name, to abs= or rel="),  # type: ignore[arg-type]
    (lambda: codecs.encode(X, tol=1), "encode(): there is no argument tol; there are array, codec"),  # type: ignore[call-arg]
    (lambda: codecs.encode("dq", X), "encode(): codec and array are swapped"),  # type: ignore[arg-type]
    (lambda: codecs.probe(X, shares=1), "did you mean share?"),  # type: ignore[call-arg]
    (lambda: staithe.set_limits(memry=1), "did you mean memory?"),  # type: ignore[call-arg]
    (
        lambda: staithe.RunningReduction("mean", axes=0),
        "RunningReduction(): there is no argument axes; did you mean axis?",
    ),  # type: ignore[call-arg]
    (lambda: staithe.RunningReduction(), "RunningReduction(): missing a required argument: 'how'"),  # type: ignore[call-arg]
    (lambda: staithe.Recorder("x.zarr", keep=["T"]), "Recorder(): there is no argument keep; there are path"),  # type: ignore[call-arg]
    (lambda: staithe.Recorder("x.zarr", codec=5), "codec must be str or None, not int: 5"),  # type: ignore[arg-type]
    (lambda: staithe.describe(3), "describe(): name must be str, not int: 3"),  # type: ignore[arg-type]
]


def check(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(("call", "message"), OF_WRITERS, ids=lambda case: case if isinstance(case, str) else "")
def test_calls_of_a_step_that_is_written(pair: Any, call: Callable[[Any], Any], message: str) -> None:
    with pair.out.step() as step:
        check(lambda: call(step), message)
        step.put("x", 1)


def test_a_number_for_a_name_is_no_number_for_another_argument(pair: Any) -> None:
    with pair.out.step() as step, pytest.raises(TypeError, match=r"name must be str, not int: 5$"):
        step.put(5, [1])


@pytest.mark.parametrize(("call", "message"), OF_READERS, ids=lambda case: case if isinstance(case, str) else "")
def test_calls_of_a_step_that_is_read(pair: Any, call: Callable[[Any], Any], message: str) -> None:
    step = pair.send(x=X)
    check(lambda: call(step), message)


@pytest.mark.parametrize(("call", "message"), OF_FUNCTIONS, ids=lambda case: case if isinstance(case, str) else "")
def test_calls_of_functions(call: Callable[[], Any], message: str) -> None:
    check(call, message)


def test_every_function_of_the_extension_explains() -> None:
    classes = [value for value in vars(_core).values() if isinstance(value, type)]
    everything = [value for scope in (_core, *classes) for value in vars(scope).values()]
    functions = [value for value in everything if hasattr(value, "__nb_signature__") and not isinstance(value, type)]
    assert len(functions) > 60
    for function in functions:
        with pytest.raises(TypeError) as caught:
            function(*[None] * 40)
        assert "incompatible function arguments" not in str(caught.value), function


def test_every_constructor_of_the_extension_explains() -> None:
    classes = [value for value in vars(_core).values() if isinstance(value, type) and "__init__" in vars(value)]
    assert {"Recorder", "RunningReduction"} <= {made.__name__ for made in classes}
    for made in classes:
        for arguments, keywords in [([None] * 40, {}), ([], {"nothing_of_that_name": 1})]:
            with pytest.raises(TypeError) as caught:
                made(*arguments, **keywords)
            assert "incompatible function arguments" not in str(caught.value), made


def test_a_type_error_of_the_users_own_comes_through(pair: Any) -> None:
    class Odd:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("my own")

    with pair.out.step() as step, pytest.raises(TypeError, match=r"^my own$"):
        step.put("x", Odd())
    with pytest.raises(TypeError, match=r"^my own$"):
        codecs.encode(Odd())  # type: ignore[arg-type]
