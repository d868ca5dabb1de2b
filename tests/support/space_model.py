"""What a variable of a space does, call by call: the model of tests/system/test_spaces_history.py.

Its state is its versions: a number and the values of both halves each, None for a half that was not put. Calls and
their answers are tuples of texts and numbers:

    ("put", version or None, halves, value)   ("put", version) | ("complete",)
    ("get", version or None)                  ("got", value, value) | ("nothing",)
    ("remove", version or None)               ("removed",) | ("nothing",)
    ("list",)                                 ("listed", (version, is complete), …) | ("nothing",)

Of a variable that all put to under a lock, a version after the newest one that they have got there, the state is that
one: its number and value. Nothing comes between the get and the put.

    ("follow", value)                         ("followed", version, value or None)
    ("get", None)                             ("got", value, value) | ("nothing",)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from linearizability import Operation

Halves = tuple[int | None, int | None]
Versions = tuple[tuple[int, Halves], ...]  # by their numbers

NO_VERSIONS: Versions = ()


def variable(state: Versions, operation: Operation) -> Iterable[Versions]:
    """The state afterwards, if the call may be answered so; of a call without an answer, whatever it may have done."""
    kind, *details = operation.call
    answer, after = _CALLS[str(kind)](dict(state), *details)
    if operation.answer is None or operation.answer == answer:
        yield tuple(sorted(after.items()))


Carried = tuple[tuple[Any, ...], Mapping[int, Halves]]


def _put(versions: dict[int, Halves], number: int | None, halves: tuple[int, ...], value: int) -> Carried:
    number = number if number is not None else max(versions, default=-1) + 1
    before = versions.get(number, (None, None))
    if None not in before:
        return ("complete",), versions
    first, second = (value if half in halves else before[half] for half in (0, 1))
    return ("put", number), versions | {number: (first, second)}


def _get(versions: dict[int, Halves], number: int | None) -> Carried:
    complete = {each: halves for each, halves in versions.items() if None not in halves}
    number = number if number is not None else max(complete, default=None)
    return ("nothing",) if number not in complete else ("got", *complete[number]), versions


def _remove(versions: dict[int, Halves], number: int | None) -> Carried:
    left = {} if number is None else {each: halves for each, halves in versions.items() if each != number}
    return ("removed",) if len(left) < len(versions) else ("nothing",), left


def _list(versions: dict[int, Halves]) -> Carried:
    listed = sorted((number, None not in halves) for number, halves in versions.items())
    return ("listed", *listed) if listed else ("nothing",), versions


_CALLS: Mapping[str, Callable[..., Carried]] = {"put": _put, "get": _get, "remove": _remove, "list": _list}

Newest = tuple[int, int | None]
NONE_YET: Newest = (-1, None)


def locked_variable(state: Newest, operation: Operation) -> Iterable[Newest]:
    """The same of one that all put to under a lock."""
    newest, value = state
    if operation.call[0] == "get":
        answer: tuple[Any, ...] = ("nothing",) if value is None else ("got", value, value)
        after = state
    else:
        answer, after = ("followed", newest + 1, value), (newest + 1, cast("int", operation.call[1]))
    if operation.answer is None or operation.answer == answer:
        yield after
