"""Analyses made of functions: declared once, and run by readers and inline, with their results in a stream."""

from __future__ import annotations

import contextlib
import gc
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import staithe
from staithe.contracts import Contract

Array = NDArray[Any]


@dataclass
class Results:
    """What a reader of the results has got, and how the stream ended."""

    attrs: dict[str, Any] = field(default_factory=dict)
    steps: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    ended: Exception | None = None

    @property
    def variables(self) -> list[dict[str, Any]]:
        return [variables for _, variables in self.steps]


def read(stream: str) -> Results:
    results = Results()
    with staithe.reader(stream, timeout=20) as reader:
        results.attrs = dict(reader.attrs)
        try:
            for step in reader:
                blocks = {name: [block.data.tolist() for block in variable.blocks] for name, variable in step.items()}
                results.steps.append((dict(step.attrs), {k: v[0] if len(v) == 1 else v for k, v in blocks.items()}))
        except staithe.Error as error:
            results.ended = error
    return results


@contextlib.contextmanager
def reading(stream: str) -> Iterator[Results]:
    """A reader beside the block; what it returns is complete after it."""
    results = Results()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(read, stream)
        yield results
        results.__dict__.update(future.result().__dict__)


def simulate(stream: str, *analyses: staithe.Analysis, steps: int = 3) -> None:
    with staithe.writer(stream, attrs={"dt": 0.5}, analyses=analyses, timeout=20) as out:
        for i in range(steps):
            with out.step() as step:
                step.attrs["time"] = i / 2
                step.put("x", np.arange(4.0) + i)
                step.put("n", i)


def by_a_reader(analysis: staithe.Analysis, stream: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(simulate, stream)
        staithe.analyse(analysis, stream, timeout=20)
        future.result()


def inline(analysis: staithe.Analysis, stream: str) -> None:
    simulate(stream, analysis)


Place = Callable[[staithe.Analysis, str], None]
everywhere = pytest.mark.parametrize("place", [by_a_reader, inline])


def spread(x: Array) -> Any:
    """How far they are apart."""
    return x.max() - x.min()


def names(stream: str) -> str:
    return f"{stream}.results"


def declared(stream: str, function: Callable[..., Any], inputs: Any = "x", outputs: Any = "y", **more: Any) -> Any:
    return staithe.analysis("tried", function, inputs=inputs, outputs=outputs, stream=names(stream), **more)


@everywhere
def test_what_the_function_returns_is_a_stream(stream: str, place: Place) -> None:
    @staithe.analysis(names(stream), inputs=["x", "n"], outputs=["mean"])
    def moments(x: Array, n: Array) -> Any:
        assert x.shape == (4,) and n.shape == () and not x.flags.writeable
        return x.mean() + n

    with reading(names(stream)) as results:
        place(moments, stream)
    assert results.attrs == {"dt": 0.5}
    assert results.steps == [({"step": i, "time": i / 2}, {"mean": 1.5 + 2 * i}) for i in range(3)]
    assert results.ended is None


def test_it_is_still_the_function(stream: str) -> None:
    analysis = declared(stream, spread)
    assert isinstance(analysis, staithe.Analysis)
    assert analysis(np.array([3, 1, 7])) == 6
    assert (analysis.__name__, analysis.__doc__) == ("spread", spread.__doc__)
    assert repr(analysis) == "<staithe.analysis 'tried': x to y>"


@everywhere
@pytest.mark.parametrize("returned", [("low", "high"), {"high": "high", "low": "low"}])
def test_several_outputs(stream: str, place: Place, returned: Any) -> None:
    def extremes(x: Array) -> Any:
        values = {"low": x.min(), "high": x[-2:]}
        by_name = {name: values[name] for name in returned}
        return by_name if isinstance(returned, dict) else tuple(by_name.values())

    with reading(names(stream)) as results:
        place(declared(stream, extremes, outputs=("low", "high")), stream)
    assert results.variables == [{"low": i, "high": [2 + i, 3 + i]} for i in range(3)]
    assert list(results.variables[0]) == ["low", "high"]


@everywhere
def test_none_is_no_step(stream: str, place: Place) -> None:
    with reading(names(stream)) as results:
        place(declared(stream, lambda x: None if x[0] == 1 else x[0]), stream)
    assert results.steps == [({"step": i, "time": i / 2}, {"y": i}) for i in (0, 2)]


@everywhere
def test_a_class_is_made_for_each_run(stream: str, place: Place) -> None:
    @staithe.analysis(inputs="x", outputs="moved", stream=names(stream))
    class Moved:
        first: Array | None = None

        def __call__(self, x: Array) -> Any:
            if self.first is None:
                self.first = x.copy()
            return x - self.first

    for _ in range(2):
        with reading(names(stream)) as results:
            place(Moved, stream)
        assert results.variables == [{"moved": [i] * 4} for i in range(3)]
    assert Moved()(np.ones(2)).tolist() == [0, 0]


def test_one_declaration_runs_twice_at_a_time(stream: str) -> None:
    """Each on a stream of its own, with its own results: here two writers in two threads, in turn."""
    counts = []

    @staithe.analysis(inputs="x", outputs="calls", stream=names(stream))
    class Count:
        calls = 0

        def __call__(self, x: Array) -> Any:
            self.calls += 1
            counts.append(self.calls)
            return self.calls

    with staithe.writer(stream, analyses=[Count]) as out:
        with pytest.raises(staithe.AlreadyExists, match="results"):
            staithe.writer(f"{stream}.other", analyses=[Count])
        with reading(names(stream)) as results:
            for _ in range(2):
                with out.step() as step:
                    step.put("x", 1.0)
            out.close()
    assert results.variables == [{"calls": 1}, {"calls": 2}]
    assert counts == [1, 2]


@everywhere
def test_a_chain(stream: str, place: Place) -> None:
    """Attributes go along, so that each step is known by the number that it had at first."""
    first = declared(stream, lambda x: None if x[0] == 0 else x * 10)
    second = staithe.analysis("second", np.sum, inputs="y", outputs="sum", stream=f"{stream}.sums")
    with reading(f"{stream}.sums") as results, ThreadPoolExecutor(1) as pool:
        future = pool.submit(staithe.analyse, second, names(stream), timeout=20)
        place(first, stream)
        future.result()
    assert results.steps == [({"step": i, "time": i / 2}, {"sum": 60 + 40 * i}) for i in (1, 2)]


def test_results_go_to_a_file(stream: str, tmp_path: Path) -> None:
    simulate(stream, staithe.analysis("spread", spread, inputs="x", outputs="y", stream=str(tmp_path / "spread.zarr")))
    assert read(str(tmp_path / "spread.zarr")).variables == [{"y": 3}] * 3


def test_results_that_nobody_needs(stream: str) -> None:
    simulate(stream, declared(stream, spread, readers=0), steps=20)


def on_ranks(stream: str, analysis: staithe.Analysis, size: int = 2) -> None:
    def run(rank: int) -> None:
        with staithe.writer(stream, group=(rank, size), analyses=[analysis], timeout=20) as out:
            for i in range(2):
                with out.step() as step:
                    step.put("x", np.arange(3.0) + 3 * rank + i, offset=3 * rank, shape=3 * size)
                    if rank == 0:
                        step.put("n", i, offset=(), shape=())

    with ThreadPoolExecutor(size) as pool:
        list(pool.map(run, range(size)))


def test_rank_0_calls_it_with_whole_arrays(stream: str) -> None:
    threads = set()

    def total(x: Array) -> Any:
        threads.add(threading.get_ident())
        return x.sum(), x.size

    with reading(names(stream)) as results:
        on_ranks(stream, declared(stream, total, outputs=["sum", "size"]))
    assert results.variables == [{"sum": 15, "size": 6}, {"sum": 21, "size": 6}]
    assert len(threads) == 1


@pytest.mark.parametrize(
    ("share", "expected"),
    [("block", [[0, 1, 2], [3, 4, 5]]), ("count", [[0, 1, 2], [3, 4, 5]]), ("round", [[0, 2, 4], [1, 3, 5]])],
)
def test_each_rank_calls_it_with_its_share(stream: str, share: str, expected: list[list[float]]) -> None:
    with reading(names(stream)) as results:
        on_ranks(stream, declared(stream, lambda x, n: x - n, ["x", "n"], share=share))
    assert results.steps == [({"step": i}, {"y": expected}) for i in range(2)]


def test_a_rank_that_has_nothing_to_add_goes_through_the_step(stream: str) -> None:
    with reading(names(stream)) as results:
        on_ranks(stream, declared(stream, lambda x: x.sum() if x[0] == 4 else None, share="count"))
    assert results.steps == [({"step": 0}, {}), ({"step": 1}, {"y": 15})]


def test_the_share_of_a_single_process_is_all(stream: str) -> None:
    with reading(names(stream)) as results:
        simulate(stream, declared(stream, lambda x: x.sum(), share="block"))
    assert results.variables == [{"y": 6 + 4 * i} for i in range(3)]


@everywhere
def test_what_the_function_raises_comes_through(stream: str, place: Place) -> None:
    def broken(x: Array) -> Any:
        return 1 // (1 - int(x[0]))

    with reading(names(stream)) as results:
        with pytest.raises(ZeroDivisionError) as raised:
            place(declared(stream, broken), stream)
        assert raised.value.__notes__ == [f"in analysis 'tried' of <staithe.Step 1 of '{stream}': x, n>"]
        del raised
        gc.collect()  # inline, the stream of the results ends with the last reference to the run
    assert results.variables == [{"y": 1}]
    assert isinstance(results.ended, staithe.WriterFailed)
    assert "ZeroDivisionError: integer division or modulo by zero" in str(results.ended)


def test_results_end_as_failed_with_the_simulation(stream: str) -> None:
    def fail() -> None:
        with staithe.writer(stream, analyses=[declared(stream, spread)]) as out:
            with out.step() as step:
                step.put("x", [1, 2])
            raise ArithmeticError("unstable")

    with reading(names(stream)) as results:
        with pytest.raises(ArithmeticError, match="unstable"):
            fail()
        gc.collect()
    assert results.variables == [{"y": 1}]
    assert isinstance(results.ended, staithe.WriterFailed)
    assert "analysis 'tried' was not run to its end" in str(results.ended)


def test_results_end_as_failed_with_the_stream_that_is_read(stream: str) -> None:
    def fail() -> None:
        with staithe.writer(stream) as out:
            with out.step() as step:
                step.put("x", [1, 2])
            out.fail("unstable")

    with reading(names(stream)) as results, ThreadPoolExecutor(1) as pool:
        future = pool.submit(fail)
        with pytest.raises(staithe.WriterFailed, match="unstable"):
            staithe.analyse(declared(stream, spread), stream, timeout=20)
        future.result()
    assert results.variables == [{"y": 1}]
    assert isinstance(results.ended, staithe.WriterFailed)


@pytest.mark.parametrize(
    ("function", "inputs", "outputs", "error", "message"),
    [
        (spread, "v", "y", staithe.NotFound, "step 0 has no variable 'v'; it has 'x', 'n'"),
        (
            lambda x: (1, 2, 3),
            "x",
            ["a", "b"],
            staithe.InvalidArgument,
            "a tuple of 3 .* for the outputs a, b: return a",
        ),
        (
            lambda x: x,
            "x",
            ["a", "b"],
            staithe.InvalidArgument,
            "one ndarray was returned .* a tuple of 2 in this order",
        ),
        (lambda x: {"a": 1, "c": 2}, "x", ["a", "b"], staithe.InvalidArgument, "has a, c, but the outputs are a, b"),
        (lambda x: {}, "x", "y", staithe.InvalidArgument, "has nothing, but the outputs are y"),
        (lambda x: object(), "x", "y", staithe.InvalidArgument, "'y'"),
    ],
)
def test_what_is_wrong_in_a_step(
    stream: str, function: Any, inputs: str, outputs: Any, error: type[Exception], message: str
) -> None:
    analysis = declared(stream, function, inputs, outputs, readers=0)
    with pytest.raises(error, match=message) as raised:
        simulate(stream, analysis)
    assert raised.value.__notes__ == [f"in analysis 'tried' of <staithe.Step 0 of '{stream}': x, n>"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": []}, "'spread': inputs names no variable; for code without inputs derive a class"),
        ({"outputs": ()}, "'spread': outputs names no variable"),
        ({"inputs": ["x", "x"]}, "inputs names 'x' twice"),
        ({"outputs": ["y", "z", "y"]}, "outputs names 'y' twice"),
        ({"inputs": [3]}, "inputs must be names of variables, not 3"),
        ({"outputs": None}, "outputs must be names of variables, not None"),
        ({"inputs": ["x", "y"]}, "'spread' has the inputs x, y, but takes x"),
        ({"name": "a b"}, "'a b' is no name for an analysis"),
        ({"function": lambda x: x}, "'<lambda>' is no name for an analysis: give it one"),
        ({"function": staithe.Group}, "objects of class Group cannot be called: give it a __call__ that takes x"),
        ({"share": "whole"}, "share='whole' cannot be: use 'block', 'count', 'round' or 'process'"),
        ({"inputs": {"x": "f8 (n"}}, "inputs: 'x': 'f8 \\(n' does not say what a variable is"),
        ({"outputs": {"y": None}}, "outputs: 'y' is to be a text, such as 'f8 \\(n, 3\\) \\[nm\\]', or '', not None"),
        ({"inputs": {}}, "inputs names no variable"),
    ],
)
def test_what_cannot_be_declared(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message):
        staithe.analysis(**{"function": spread, "inputs": "x", "outputs": "y"} | arguments)


def test_calls_that_are_wrong_in_themselves() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'inputs'"):
        staithe.analysis(spread)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="function must be a function or a class, not int"):
        staithe.analysis("three", 3, inputs="x", outputs="y")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="did you mean inputs"):
        staithe.analysis("a", spread, input="x", outputs="y")  # type: ignore[call-overload]


def test_arguments_that_are_missing_when_it_runs(stream: str) -> None:
    def above(x: Array, level: float) -> Any:
        return (x > level).sum()

    with pytest.raises(staithe.InvalidArgument, match=r"missing a required argument: 'level' \(its arguments: level\)"):
        staithe.analyse(declared(stream, above), stream)
    with reading(names(stream)) as results:
        simulate(stream, declared(stream, partial(above, level=2)))
    assert results.variables == [{"y": y} for y in (1, 2, 3)]


FILE = """
import numpy
import staithe
from elsewhere import imported

@staithe.analysis(inputs=["x"], outputs=["y"])
def above(x, level=1.0):
    return (x > level).sum()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere.py").write_text(
        FILE.replace("from elsewhere import imported", "").replace("above", "imported")
    )
    path = tmp_path / "above.py"
    path.write_text(FILE)
    return path


def test_the_only_one_of_a_file(file: Path) -> None:
    loaded = staithe.load_analysis(str(file))
    assert isinstance(loaded, staithe.Analysis) and callable(loaded)
    assert loaded(np.arange(4)) == 2
    assert repr(staithe.load_analysis(f"{file}:imported")) == "<staithe.analysis 'imported': x to y>"


def test_several_of_a_file(file: Path) -> None:
    file.write_text(f"{FILE}\nmean = staithe.analysis('mean', numpy.mean, inputs='x', outputs='y')\nsame = mean\n")
    with pytest.raises(staithe.InvalidArgument, match=r"choose one of above\.py:above, above\.py:(mean|same)$"):
        staithe.load_analysis(str(file))
    assert repr(staithe.load_analysis(f"{file}:mean")) == "<staithe.analysis 'mean': x to y>"


def test_inline_by_the_environment(stream: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_ANALYSES", f"{stream}={file}:above")
    monkeypatch.setenv("STAITHE_PLACEMENT", "inline")
    with reading("above") as results:
        simulate(stream)
    assert results.variables == [{"y": y} for y in (2, 3, 4)]


def test_an_inline_chain_by_the_environment(stream: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(f"{FILE}\ntwice = staithe.analysis('twice', lambda y: 2 * y, inputs='y', outputs='y')\n")
    monkeypatch.setenv("STAITHE_ANALYSES", f"{stream}={file}:above,above={file}:twice")
    monkeypatch.setenv("STAITHE_PLACEMENT", "inline")
    with reading("twice") as results:
        simulate(stream)
    assert results.variables == [{"y": y} for y in (4, 6, 8)]


def test_the_placement_of_what_is_read_is_not_that_of_the_results(
    stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(3):
        np.save(tmp_path / f"x_{i}.npy", np.arange(4.0) + i)
    monkeypatch.setenv("STAITHE_PLACEMENT", "npy")
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(staithe.analyse, declared(stream, np.sum), str(tmp_path))
        with staithe.reader(names(stream), placement="producer") as reader:
            assert [(step.attrs["step"], step["y"].sum()) for step in reader] == [(0, 6), (1, 10), (2, 14)]
        future.result()


def test_after_a_step_that_failed_there_are_no_results(stream: str) -> None:
    """The simulation goes on, and keeps the exception; other analyses of that step have run."""

    def inverse(n: Array) -> Any:
        return 1 // (1 - int(n))  # fails at step 1

    seen: list[int] = []

    class Counts(staithe.Analysis):
        def step(self, step: staithe.Step) -> None:
            seen.append(step.index)

    kept: list[Exception] = []
    bad = staithe.analysis("bad", inverse, inputs="n", outputs="y", stream=names(stream))
    with reading(names(stream)) as results, staithe.writer(stream, analyses=[bad, Counts()], timeout=20) as out:
        for i in range(4):
            try:
                with out.step() as step:
                    step.put("n", i)
            except ZeroDivisionError as error:
                kept.append(error)
    assert seen == [0, 1, 2, 3]
    assert len(kept) == 1
    assert results.variables == [{"y": 1}]
    assert isinstance(results.ended, staithe.WriterFailed)


def test_when_the_simulation_fails_the_results_do_at_once(stream: str) -> None:
    """Though the writer, and the exception, live on."""
    kept: list[Exception] = []
    counted = declared(stream, spread)
    with reading(names(stream)) as results:
        out = staithe.writer(stream, analyses=[counted], timeout=20)
        try:
            with out:
                with out.step() as step:
                    step.put("x", np.arange(3.0))
                raise RuntimeError("diverged")
        except RuntimeError as error:
            kept.append(error)
    assert results.variables == [{"y": 2.0}]
    assert isinstance(results.ended, staithe.WriterFailed)


def test_a_class_with_some_of_its_arguments(stream: str) -> None:
    class Mean:
        def __init__(self, over: int, *, scale: float) -> None:
            self.over, self.scale, self.last = over, scale, []

        def __call__(self, x: Array) -> float:
            self.last = [*self.last, float(x[0])][-self.over :]
            return self.scale * sum(self.last) / len(self.last)

    mean = declared(stream, partial(Mean, 2, scale=10.0))
    for _ in range(2):
        with reading(names(stream)) as results:
            inline(mean, stream)
        assert results.variables == [{"y": 0.0}, {"y": 5.0}, {"y": 15.0}]


def test_coroutines_and_generators_are_no_analyses() -> None:
    async def later(x: Array) -> Array:
        return x

    def several(x: Array) -> Iterator[Array]:
        yield x

    for function in (later, several):
        with pytest.raises(staithe.InvalidArgument, match="make it a plain function"):
            staithe.analysis("a", function, inputs="x", outputs="y")


def test_settings_of_streams_that_name_the_results_change_no_placement(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "STAITHE_STREAMS",
        f'{{"{names(stream)}": {{"queue_steps": 2}}, "b": {{"error": {{"{names(stream)}": "exact"}}}}}}',
    )
    monkeypatch.setenv("STAITHE_PLACEMENT", "inline")
    with reading(names(stream)) as results:
        inline(declared(stream, spread), stream)
    assert len(results.variables) == 3


@staithe.analysis(inputs=["x"], outputs=["y"])
def declared_here(x: Array) -> Array:
    return 2 * x


@staithe.analysis(inputs=["x"], outputs=["y"])
class DeclaredHere:
    def __call__(self, x: Array) -> Array:
        return 2 * x


@pytest.mark.parametrize(
    "declared", [declared_here, DeclaredHere, staithe.analysis("y", np.max, inputs=["x"], outputs=["y"])]
)
def test_declarations_are_pickled_as_functions_are(declared: Any) -> None:
    again = pickle.loads(pickle.dumps(declared))
    assert repr(again) == repr(declared)
    assert declared.fresh() is not declared
    assert declared.fresh({}, "elsewhere")._stream == "elsewhere" != declared._stream


@everywhere
def test_what_variables_are_to_be_is_checked_before_each_call(stream: str, place: Place) -> None:
    def moved(x: Array, n: Array) -> Any:
        return x + n

    inputs = {"x": "floating (n,)", "n": "integer ()"}
    with reading(names(stream)) as results:
        place(declared(stream, moved, inputs, {"y": "f8 (n,) [nm]"}), stream)
    assert [variables["y"] for variables in results.variables] == [
        [2 * i, 1 + 2 * i, 2 + 2 * i, 3 + 2 * i] for i in range(3)
    ]


@everywhere
@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ({"x": "f4"}, "y", "input 'x' is to be f4, but its dtype is float64"),
        ({"x": "(n, 3)"}, "y", r"input 'x' is to be \(n, 3\), but its shape is \(4,\)"),
        ({"x": "(..., 3)"}, "y", r"but its shape is \(4,\)"),
        ({"x": "[K]"}, "y", r"input 'x' is to be \[K\], but it has no unit"),
        ({"x": "(n,)"}, {"y": "(n, n)"}, r"output 'y' is to be \(n, n\), but its shape is \(4,\)"),
        ({"x": "(n,)"}, {"y": "i8 (n,)"}, r"output 'y' is to be i8 \(n,\), but its dtype is float64"),
    ],
)
def test_what_is_something_else_is_named(stream: str, place: Place, inputs: Any, outputs: Any, message: str) -> None:
    def same(x: Array) -> Any:
        return x * 1.0

    with reading(names(stream)) as results, pytest.raises(staithe.InvalidArgument, match=message) as raised:
        place(declared(stream, same, inputs, outputs, readers=1), stream)
    assert any("in analysis 'tried' of" in note for note in raised.value.__notes__)
    assert results.steps == [] and results.ended is not None


def test_units_that_are_none_are_others() -> None:
    pytest.importorskip("pint")
    assert Contract.parse("[K]").difference("f8", (), "kelvin", {}) is None
    assert Contract.parse("[K**]").difference("f8", (), "K", {}) == "its unit is 'K'"
    assert Contract.parse("[K]").difference("f8", (), "1/", {}) == "its unit is '1/'"


def test_lengths_of_one_name_are_the_same(stream: str) -> None:
    contracts = [Contract.parse(text) for text in ("(n, 3)", "(n,)", "(..., n)")]
    lengths: dict[str, int] = {}
    assert contracts[0].difference("f8", (5, 3), "", lengths) is None
    assert contracts[1].difference("f8", (5,), "", lengths) is None
    assert contracts[1].difference("f8", (4,), "", lengths) == "its shape is (4,), and n is 5"
    assert contracts[2].difference("f8", (7, 7, 5), "", lengths) is None
    assert [str(contract) for contract in contracts] == ["(n, 3)", "(n,)", "(..., n)"]
    assert str(Contract.parse("")) == "anything" and str(Contract.parse(" >f4(3,)[m s-1]")) == ">f4 (3,) [m s-1]"


def test_contracts_of_any_text_are_one_or_are_refused() -> None:
    for text in ("(n, )", "f8 (3, ) [m]", "int32", "bool ()", "(...)", "( n , 3 )"):
        assert Contract.parse(text) != Contract()
    for text in (
        "i4,,f8",
        "f4,f4",
        "a",
        "O",
        "U3",
        "M8[s]",
        "(n, ..., ...)",
        "(n-1)",
        "(1.5,)",
        "f8 [m] (3,)",
        "f8 f8",
        "[m",
        "(",
    ):
        with pytest.raises(staithe.InvalidArgument):
            Contract.parse(text)


@settings(max_examples=300)
@given(st.text(alphabet="fiu48,<>=|( )[]n.…3m \x00é'\"", max_size=24))
def test_contracts_are_texts_that_mean_the_same_again(text: str) -> None:
    try:
        contract = Contract.parse(text)
    except staithe.InvalidArgument:
        return
    assert contract == Contract() or Contract.parse(str(contract)) == contract


class Foreign:
    """An array of a library that has dtypes of its own."""

    dtype = "foreign.float64"
    shape = (4,)

    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self.values, dtype)


def test_what_other_libraries_make_is_what_is_put(stream: str) -> None:
    with reading(names(stream)) as results:
        inline(declared(stream, lambda x: Foreign(x), {"x": "(n,)"}, {"y": "f8 (n,)"}), stream)
    assert results.variables[0] == {"y": [0, 1, 2, 3]}


# Two ranks put blocks of rows; what is made of each lies where it does.
def write_rows(stream: str, rank: int, analysis: staithe.Analysis | None) -> None:
    analyses = [] if analysis is None else [analysis]
    with staithe.writer(stream, group=(rank, 2), analyses=analyses, timeout=20) as out:
        for i in range(2):
            with out.step() as step:
                for first in (4 * rank, 4 * rank + 1):
                    rows = slice(first, first + (1 if first % 2 == 0 else 3))
                    step.put("x", ROWS[rows] + i, offset=(rows.start, 0), shape=ROWS.shape)
                    step.put("v", ROWS[rows] * 2.0, offset=(rows.start, 0), shape=ROWS.shape)
                step.put("own", np.arange(3.0 + rank))
                if rank == 0:
                    step.put("n", i, shape=())


ROWS = np.arange(24.0).reshape(8, 3)


@pytest.mark.parametrize("where", ["inline", "one rank", "two ranks"])
def test_a_function_of_each_block(stream: str, where: str) -> None:
    called = []

    def weigh(x: Array, v: Array, n: Array) -> Any:
        called.append(x.shape)
        return (x + v).astype("f4") * (1 if n == 0 else -1), x[::-1] > 5

    tried = declared(stream, weigh, ["x", "v", "n"], {"w": "f4 (m, 3) [kg]", "late": "bool"}, share="process")
    with ThreadPoolExecutor(5) as pool:
        written = [pool.submit(write_rows, stream, rank, tried if where == "inline" else None) for rank in range(2)]
        ranks = {"inline": 0, "one rank": 1, "two ranks": 2}[where]
        analysed = [
            pool.submit(staithe.analyse, tried, stream, group=(rank, ranks), timeout=20) for rank in range(ranks)
        ]
        with staithe.reader(names(stream), timeout=20) as steps:
            for step in steps:
                weights = (ROWS + step.index + ROWS * 2) * (1 if step.index == 0 else -1)
                np.testing.assert_array_equal(step["w"][...], weights.astype("f4"))
                assert (step["w"].unit, step["w"].dtype, len(step["late"].blocks)) == ("kg", "f4", 4)
                late = [ROWS[start:stop][::-1] + step.index > 5 for start, stop in ((0, 1), (1, 4), (4, 5), (5, 8))]
                np.testing.assert_array_equal(step["late"][...], np.concatenate(late))
        for future in [*written, *analysed]:
            future.result()
    assert sorted(called) == sorted([(1, 3), (3, 3)] * 4)


def test_a_function_of_each_local_array(stream: str) -> None:
    def doubled(own: Array) -> Any:
        return own[1:] * 2

    tried = declared(stream, doubled, "own", "y", share="process")
    with ThreadPoolExecutor(2) as pool:
        written = [pool.submit(write_rows, stream, rank, tried) for rank in range(2)]
        with staithe.reader(names(stream), timeout=20) as steps:
            read = [[block.data.tolist() for block in step["y"].blocks] for step in steps]
        for future in written:
            future.result()
    assert read == [[[2, 4], [2, 4, 6]]] * 2


@pytest.mark.parametrize(
    ("inputs", "function", "message"),
    [
        ("x", lambda x: x[1:], r"output 'y' has the shape \(\d, 3\), and the block of which it was made \(\d, 3\)"),
        (["x", "own"], lambda x, own: x, "has no block at|has the local arrays"),
        ("own", lambda own: own, "this rank has the local arrays of 2 writer ranks of 'own', and each rank writes one"),
    ],
)
def test_blocks_that_do_not_go_together(stream: str, inputs: Any, function: Any, message: str) -> None:
    tried = declared(stream, function, inputs, "y", share="process", readers=0)
    with ThreadPoolExecutor(2) as pool:
        written = [pool.submit(write_rows, stream, rank, None) for rank in range(2)]
        with pytest.raises(staithe.InvalidArgument, match=message):
            staithe.analyse(tried, stream, timeout=20)
        for future in written:
            future.result()
