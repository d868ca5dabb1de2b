"""Analyses made of functions: `staithe.analysis` says which variables of a step they are given, and what they give."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, Self, SupportsIndex, TypeVar, cast, get_args, overload

from ._core import Step, Writer
from .analyses import Analysis
from .analysis_calls import Call, Contracts, calls, check_results
from .arguments import explained
from .contracts import Contract
from .errors import InvalidArgument
from .group import Group
from .names import printable, some
from .stream_names import is_live
from .typing import Placement, Share

P = ParamSpec("P")
T = TypeVar("T")

# As for streams, since the one of the results is named after the analysis.
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class FunctionAnalysis(Analysis, Generic[P, T]):
    """A function that runs on complete steps, and whose results are a stream. Called, it is the function.

    It declares; what runs is `fresh` for each run, so that one declaration serves any number of them.
    """

    _out: Writer | None = None

    def __init__(
        self,
        name: str,
        function: Callable[P, T],
        inputs: Contracts,
        outputs: Contracts,
        stream: str,
        readers: int | None,
        share: Share | None,
    ) -> None:
        self._name = name
        self._function = function
        self._inputs = inputs
        self._outputs = outputs
        self._stream = stream
        self._readers = readers
        self._share = share
        self._arguments: Mapping[str, object] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: P.args, **keywords: P.kwargs) -> T:
        """Calls the function."""
        return self._function(*args, **keywords)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # As functions are: by the name under which it is found, where it stands for what it declares.
        name = str(getattr(self, "__qualname__", ""))
        found: object = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"<staithe.analysis '{self._name}': {some([*self._inputs])} to {some([*self._outputs])}>"

    def fresh(self, arguments: Mapping[str, object] | None = None, stream: str | None = None) -> Self:
        """The same for one run.

        Args:
            arguments: keyword arguments for the function in each call, or for the class when it is made.
            stream: the stream of the results, if not the declared one.

        Raises:
            InvalidArgument: the function does not take them beside its inputs.
        """
        run = object.__new__(type(self))
        run.__dict__.update(self.__dict__)
        run._arguments = {**self._arguments, **(arguments or {})}
        run._stream = stream or self._stream
        inputs = () if _class_of(self._function) else self._inputs
        if (signature := _signature(self._function)) is not None:
            try:
                signature.bind(*inputs, **run._arguments)
            except TypeError as error:
                takes = ", ".join(list(signature.parameters)[len(inputs) :]) or "none"
                raise InvalidArgument(
                    f"analysis '{self._name}' cannot be called: {error} (its arguments: {takes})"
                ) from error
        return run

    def start(self, group: Group, attrs: Mapping[str, Any]) -> None:
        """Opens the stream of the results, with the attributes of the stream that is read."""
        from .opening import writer  # it runs analyses, too

        made = functools.partial(cast("Callable[..., Any]", self._function), **self._arguments)
        self._call = made() if _class_of(self._function) else made
        if self._share is not None or group.rank == 0:
            together = None if self._share is None else group
            placement = _placement(self._stream)
            self._out = writer(self._stream, group=together, readers=self._readers, attrs=attrs, placement=placement)

    def step(self, step: Step) -> None:
        """Calls the function with the inputs, and writes what it returns as one step."""
        if self._out is None:
            return  # rank 0 has the whole arrays; or a step before this one failed
        try:
            made = ((call, self._results(call)) for call in calls(step, self._inputs, self._share))
            if self._share is not None:  # ranks that write together go through the same steps, whatever they have
                self._write(self._out, step, made)
            elif (only := next(made))[1] is not None:
                self._write(self._out, step, [only])
        except Exception as error:
            error.add_note(f"in analysis '{self._name}' of {step!r}")
            self.fail(error)  # results of later steps would stand where those of this one are missing
            raise

    def finish(self) -> None:
        """Closes the stream of the results."""
        out, self._out = self._out, None
        if out is not None:
            out.close()

    def fail(self, error: BaseException) -> None:
        """Ends the stream of the results as failed, unless the run has finished."""
        out, self._out = self._out, None
        if out is not None:
            out.__exit__(type(error), error, None)

    def __del__(self) -> None:
        # Inline, nobody says that the writer has failed: the results must not look complete then.
        if self._out is not None:
            self._out.fail(f"analysis '{self._name}' was not run to its end")

    def _results(self, call: Call) -> Mapping[str, Any] | None:
        results = self._by_name(self._call(*call.arrays))
        if results is not None:
            check_results(self._outputs, results, call)
        return results

    def _write(self, out: Writer, step: Step, made: Iterable[tuple[Call, Mapping[str, Any] | None]]) -> None:
        """What was made of a step, as one."""
        with out.step() as own:
            own.attrs.update({"step": step.index, **step.attrs})
            for call, results in made:
                for name, result in (results or {}).items():
                    unit = self._outputs[name].unit
                    own.put(name, result, offset=call.place.offset, shape=call.place.shape, unit=unit)

    def _by_name(self, returned: object) -> Mapping[str, Any] | None:
        if returned is None:
            return None
        outputs = some([*self._outputs])
        if isinstance(returned, Mapping):
            if set(returned) != set(self._outputs):
                names = some([str(name) for name in returned]) or "nothing"
                raise InvalidArgument(f"the mapping that was returned has {names}, but the outputs are {outputs}")
            return {name: returned[name] for name in self._outputs}
        if len(self._outputs) == 1:
            return dict.fromkeys(self._outputs, returned)
        if not isinstance(returned, tuple) or len(returned) != len(self._outputs):
            what = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else f"one {type(returned).__name__}"
            raise InvalidArgument(
                f"{what} was returned for the outputs {outputs}: return a tuple of {len(self._outputs)} in this order, "
                "a mapping by name, or None if there is nothing"
            )
        return dict(zip(self._outputs, returned, strict=True))


def for_one_run(analysis: object, argument: str) -> Analysis:
    """The analysis; of one that `analysis` has made, a run of its own.

    Raises:
        TypeError: it is none; the message begins with `argument`.
    """
    if isinstance(analysis, FunctionAnalysis):
        return analysis.fresh()
    if isinstance(analysis, Analysis):
        return analysis
    advice = ""
    if isinstance(analysis, str):
        advice = ": staithe.load_analysis gives what a file has"
    elif isinstance(analysis, type):
        advice = f": make one, by {analysis.__name__}()" if issubclass(analysis, Analysis) else ""
    elif callable(analysis):
        advice = ": staithe.analysis makes one of a function"
    raise TypeError(f"{argument} must be made of staithe.Analysis, not {kind_of(analysis)}{advice}")


def kind_of(value: object) -> str:
    """What it is, for messages about what is no analysis."""
    name = getattr(value, "__name__", None) if callable(value) else None
    return type(value).__name__ if name is None else f"the {'class' if isinstance(value, type) else 'function'} {name}"


@overload
def analysis(
    name: str | None = None,
    *,
    inputs: str | Sequence[str] | Mapping[str, str],
    outputs: str | Sequence[str] | Mapping[str, str],
    stream: str | None = None,
    readers: int | None = None,
    share: Share | None = None,
) -> Callable[[Callable[P, T]], FunctionAnalysis[P, T]]: ...
@overload
def analysis(
    name: str | None,
    function: Callable[P, T],
    *,
    inputs: str | Sequence[str] | Mapping[str, str],
    outputs: str | Sequence[str] | Mapping[str, str],
    stream: str | None = None,
    readers: int | None = None,
    share: Share | None = None,
) -> FunctionAnalysis[P, T]: ...
@explained
def analysis(
    name: str | None = None,
    function: Callable[..., Any] | None = None,
    *,
    inputs: str | Sequence[str] | Mapping[str, str],
    outputs: str | Sequence[str] | Mapping[str, str],
    stream: str | None = None,
    readers: int | None = None,
    share: Share | None = None,
) -> Any:
    """Make an analysis of a function that is given variables of each step as arrays, and returns others::

        @staithe.analysis(inputs=["positions"], outputs=["spread"])
        def spread(positions):
            return positions.std(axis=0)

    or ``spread = staithe.analysis("spread", function, inputs=["positions"], outputs=["spread"])``. It runs wherever a
    `staithe.Analysis` does, for it is one, and any number of times; called, it is the function. What the function
    returns is a step of the stream that is named after the analysis: an array, or whatever else can be put; of several
    outputs a tuple in their order, or a mapping by name; None: no step. A step has the attributes of the one that was
    read, and its number as "step", unless it has such an attribute; the stream has those of the stream. When the run
    fails, so does the stream.

    Args:
        name: what it is called; the function's name if None.
        function: what to call, with the arrays in the order of `inputs`. Of a class, an object is made for each run and
            called: it may remember what it was given. Left out: this decorates a function or a class.
        inputs: the variables that it is given; no others are read. They are whole and read-only, as
            ``step[name][...]`` is. A mapping says what each is to be, as far as that matters, as in
            ``{"T": "f4 (nx, ny) [K]", "v": "floating (n, 3)", "n": ""}``: a dtype of NumPy, or one of its abstract
            ones; a shape, of lengths, of names for lengths, which are the same wherever the name stands, and "..."; and
            a unit. It is checked before each call, and in a workflow before anything starts.
        outputs: the variables that it returns; likewise. Where a unit is said, they are put with it.
        stream: the stream that they are put to, or a path or URL as for `staithe.writer`; `name` if None.
        readers: how many reader groups this stream keeps all steps for until they have joined, as for `staithe.writer`.
        share: what the ranks that analyse together do. None: rank 0 calls the function, with whole arrays. "block",
            "count" or "round": each rank calls it with its share of each input, as of `Variable.read`, and what it
            returns is that rank's local array. "process": each rank calls it for each of its blocks, as the writer
            ranks handed them over, with what lies there of each input; what it returns lies there, too, in an array of
            the input's shape. All ranks then have all steps; one that returns None adds nothing.

    Returns:
        The analysis; without `function`, what makes one of the function that it decorates.

    Raises:
        InvalidArgument: a name is missing, is none, or is there twice; what a variable is to be cannot be; the function
            does not take so many inputs; there is no such share.
    """

    def declare(function: Callable[..., Any]) -> FunctionAnalysis[..., Any]:
        if not callable(function):
            raise TypeError(f"analysis(): function must be a function or a class, not {type(function).__name__}")
        called: str = getattr(function, "__name__", "") if name is None else name
        if not _NAME.fullmatch(called):
            raise InvalidArgument(
                f"'{printable(called)}' is no name for an analysis: give it one of letters, digits and ._-"
            )
        if share is not None and share not in get_args(Share):
            raise InvalidArgument(
                f"analysis '{called}': share={share!r} cannot be: use 'block', 'count', 'round' or 'process', "
                "or derive a class from staithe.Analysis, which reads what it likes"
            )
        read, returned = _variables(called, "inputs", inputs), _variables(called, "outputs", outputs)
        _check_call(called, function, tuple(read))
        return FunctionAnalysis(called, function, read, returned, stream or called, readers, share)

    return declare if function is None else declare(function)


def _variables(analysis: str, what: str, given: object) -> Contracts:
    """The variables, of which there is one at least, and what each is to be."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidArgument(f"analysis '{analysis}': {what} must be names of variables, not {name!r}")
    if not names:
        raise InvalidArgument(
            f"analysis '{analysis}': {what} names no variable; for code without {what} derive a class from "
            "staithe.Analysis"
        )
    for name in names:
        if names.count(name) > 1:
            raise InvalidArgument(f"analysis '{analysis}': {what} names '{printable(name)}' twice")
    named = cast("tuple[str, ...]", names)
    said = cast("Mapping[str, str]", given) if isinstance(given, Mapping) else dict.fromkeys(named, "")
    return {name: _contract(f"analysis '{analysis}': {what}: '{printable(name)}'", said[name]) for name in named}


def _contract(whose: str, said: object) -> Contract:
    if not isinstance(said, str):
        raise InvalidArgument(f"{whose} is to be a text, such as 'f8 (n, 3) [nm]', or '', not {said!r}")
    try:
        return Contract.parse(said)
    except InvalidArgument as error:
        raise InvalidArgument(f"{whose}: {error}") from error


def _check_call(analysis: str, function: Callable[..., Any], inputs: tuple[str, ...]) -> None:
    """That the function, or an object of the class, can be called with so many arrays, as far as one can tell."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise InvalidArgument(
            f"analysis '{analysis}': {getattr(function, '__name__', 'the function')} returns no values but a coroutine "
            "or a generator: make it a plain function"
        )
    if (made := _class_of(function)) is not None:
        if not any("__call__" in vars(base) for base in made.__mro__):
            raise InvalidArgument(
                f"analysis '{analysis}': objects of class {made.__name__} cannot be called: give it a __call__ "
                f"that takes {some(inputs)}"
            )
        function = functools.partial(made.__call__, None)
    if (signature := _signature(function)) is None:
        return
    try:
        signature.bind_partial(*inputs)
    except TypeError as error:
        takes = some(list(signature.parameters)) or "no arguments"
        raise InvalidArgument(f"analysis '{analysis}' has the inputs {some(inputs)}, but takes {takes}") from error


def _class_of(function: Callable[..., Any]) -> type | None:
    """Of what is made for each run and called then, which may be a class with some of its arguments."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if isinstance(function, type) else None


def _placement(stream: str) -> Placement | None:
    """Of the results, where STAITHE_PLACEMENT tells how the stream that is read is placed, and cannot mean theirs."""
    from .analysis_files import named_by_environment  # it makes analyses of functions, too

    chosen = os.environ.get("STAITHE_PLACEMENT")
    is_for_reading = chosen in ("npy", "file") or (chosen == "inline" and not named_by_environment(stream))
    is_settled = not is_live(stream) or "placement" in _settings_of(stream)
    return "producer" if is_for_reading and not is_settled else None


def _settings_of(stream: str) -> Mapping[str, Any]:
    """What STAITHE_STREAMS says of it. What is no such map is told where streams are opened."""
    try:
        settings = json.loads(os.environ.get("STAITHE_STREAMS") or "{}").get(stream, {})
    except (ValueError, AttributeError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except ValueError:  # some functions in C do not tell
        return None
