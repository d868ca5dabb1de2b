"""Wrong calls, explained: which argument is unknown, missing, swapped with another, or of another type.

The extension asks `explain` where none of a function's C++ signatures fits; Python functions are `explained`.
"""

from __future__ import annotations
import __future__

import builtins
import collections.abc
import difflib
import functools
import inspect
import numbers
import os
import re
import reprlib
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy
import numpy.typing  # what signatures name

from .names import printable

P = ParamSpec("P")
T = TypeVar("T")

_KINDS: dict[Any, type | tuple[type, ...]] = {
    str: str,
    bool: (bool, numpy.bool_),
    int: numbers.Integral,
    float: numbers.Real,
    os.PathLike[str]: os.PathLike,
    None: types.NoneType,
    types.NoneType: types.NoneType,
}
"""What goes for the types that are looked at; of all others nothing is said."""


def explained(function: Callable[P, T]) -> Callable[P, T]:
    """The function; a TypeError that comes of a wrong call says what is wrong with it."""

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> T:
        try:
            return function(*args, **keywords)
        except TypeError:
            reason = _reason(inspect.signature(function), function.__globals__, args, keywords)
            if reason is None:
                raise
            message = f"{function.__name__}(): {reason}"
        raise TypeError(message)

    return call


def explain(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """What is wrong with a call of a function of the extension."""
    import staithe

    *_, name = function.__qualname__.rsplit(".", 1)
    owner = type(args[0]).__name__ if args else ""
    shown = {"__init__": f"{owner}()", "__getitem__": f"{owner}[...]", "__setitem__": f"{owner}[...] = ..."}.get(
        name, f"{name}()"
    )
    known = {**vars(staithe._core), **vars(builtins), "staithe": staithe, "numpy": numpy, "typing": typing}
    known |= {"collections": collections, "types": types}
    text = function.__nb_signature__[-1][0].splitlines()[-1]
    text = re.sub(r"\\\d+", "None", text)  # nanobind keeps default values beside the text
    exec(compile(f"{text}: ...", "<signature>", "exec", __future__.annotations.compiler_flag), known)
    signature = inspect.signature(known[name])
    reason = _reason(signature, known, args, keywords)
    if reason is None:
        given = ", ".join(type(value).__name__ for value in (*args, *keywords.values()))
        reason = f"it takes {_listed(signature.parameters) or 'no arguments'}, and not those of types {given}"
    return f"{shown}: {reason}"


def _reason(
    signature: inspect.Signature, names: Mapping[str, Any], args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> str | None:
    parameters = signature.parameters
    unknown = [keyword for keyword in keywords if keyword not in parameters]
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        close = difflib.get_close_matches(unknown[0], parameters, 1)
        advice = f"did you mean {close[0]}?" if close else f"there are {_listed(parameters)}"
        return f"there is no argument {printable(unknown[0])}; {advice}"
    try:
        given = signature.bind(*args, **keywords).arguments
    except TypeError as error:
        return f"{error}; the arguments are {_listed(parameters)}"
    by_position = [name for name in list(parameters)[: len(args)] if name in given]
    types_of = {name: _evaluated(parameters[name].annotation, names) for name in parameters}
    for name, value in given.items():
        if isinstance(value, int) and _accepts(types_of[name], value) and not -(2**63) <= value < 2**63:
            return f"{name} must be a number that 64 bits can hold, not {value}"
        if isinstance(value, str) and not _is_text(value):
            return f"{name} must be text that UTF-8 can hold, not {value!a}"
        if name == "self" or _accepts(types_of[name], value) is not False:
            continue
        for other in by_position if name in by_position else ():
            if _accepts(types_of[name], given[other]) and _accepts(types_of[other], value) is not False:
                return f"{name} and {other} are swapped: {_listed(parameters)} is the order"
        wanted = " or ".join(dict.fromkeys(_named(types_of[name])))
        may_be_left_out = name in by_position and parameters[name].default is not inspect.Parameter.empty
        hint = _hint(value, parameters, types_of) if may_be_left_out else ""
        return f"{name} must be {wanted}, not {type(value).__name__}: {reprlib.repr(value)}{hint}"
    return None


def _is_text(value: str) -> bool:
    """Whether it has no halves of characters, as names of files have that are no UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _hint(value: Any, parameters: Mapping[str, inspect.Parameter], types_of: Mapping[str, Any]) -> str:
    """Who gives a number in the place of what may be left out means one of the arguments that take one, by name."""
    takers = [
        f"{name}="
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and value is not None and _accepts(types_of[name], value)
    ]
    return f"; such a one goes by name, to {' or '.join(takers)}" if takers else ""


def _evaluated(annotation: Any, names: Mapping[str, Any]) -> Any:
    try:
        return eval(annotation, dict(names)) if isinstance(annotation, str) else annotation
    except (NameError, AttributeError, TypeError):
        return Any


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    return typing.get_args(annotation) if is_union else (annotation,)


def _accepts(annotation: Any, value: Any) -> bool | None:
    """Whether the type takes the value; None if it is not one of those that are looked at."""
    verdicts: set[bool | None] = set()
    for alternative in _alternatives(annotation):
        if typing.get_origin(alternative) is typing.Literal:
            verdicts.add(isinstance(value, tuple(map(type, typing.get_args(alternative)))))
        else:
            kinds = _KINDS.get(alternative) if isinstance(alternative, collections.abc.Hashable) else None
            verdicts.add(None if kinds is None else isinstance(value, kinds))
    return True if True in verdicts else None if None in verdicts else False


def _named(annotation: Any) -> Iterator[str]:
    open_to = _alternatives(annotation)  # where any str will do, none is named
    for alternative in _alternatives(annotation):
        if typing.get_origin(alternative) is typing.Literal:
            yield from (repr(value) for value in typing.get_args(alternative) if type(value) not in open_to)
        else:
            yield "None" if alternative is types.NoneType else getattr(alternative, "__name__", str(alternative))


def _listed(parameters: Mapping[str, inspect.Parameter]) -> str:
    return ", ".join(
        f"{name}=" if parameter.kind is parameter.KEYWORD_ONLY else name
        for name, parameter in parameters.items()
        if name != "self"
    )
