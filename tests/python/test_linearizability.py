"""The checker of histories (tests/support/linearizability.py) finds what is wrong, and nothing where nothing is."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linearizability import Operation, contradiction
from space_model import NO_VERSIONS, NONE_YET, Versions, locked_variable, variable


def said(began: int, ended: int, call: tuple[Any, ...], *answer: Any) -> Operation:
    return Operation(call, answer or None, began, ended)


PUT_0, PUT_1, WHOLE = ("put", 0, (0,), 10), ("put", 0, (1,), 11), ("put", 0, (0, 1), 12)
GET, LATEST, LIST = ("get", 0), ("get", None), ("list",)

RIGHT = {
    "nobody calls": [],
    "one after the other": [
        said(0, 1, PUT_0, "put", 0),
        said(2, 3, GET, "nothing"),
        said(4, 5, PUT_1, "put", 0),
        said(6, 7, GET, "got", 10, 11),
        said(8, 9, WHOLE, "complete"),
        said(10, 11, LIST, "listed", (0, True)),
        said(12, 13, ("remove", None), "removed"),
        said(14, 15, LATEST, "nothing"),
    ],
    "at once, in either order": [
        said(0, 9, WHOLE, "put", 0),
        said(1, 2, GET, "nothing"),
        said(3, 4, GET, "got", 12, 12),
    ],
    "the dead may have put": [said(0, 0, WHOLE), said(5, 6, GET, "nothing"), said(7, 8, GET, "got", 12, 12)],
    "or not": [said(0, 0, WHOLE), said(5, 6, GET, "nothing")],
    "numbers follow the newest": [
        said(0, 1, ("put", 5, (0,), 1), "put", 5),
        said(2, 3, ("put", None, (0, 1), 2), "put", 6),
        said(4, 5, LATEST, "got", 2, 2),
    ],
}

WRONG = {
    "half a put is seen": [said(0, 9, WHOLE, "put", 0), said(1, 2, GET, "got", 12, "parts of [0, 12]")],
    "what is not complete is seen": [said(0, 1, PUT_0, "put", 0), said(2, 3, GET, "got", 10, None)],
    "what was put is not there": [said(0, 1, WHOLE, "put", 0), said(2, 3, GET, "nothing")],
    "what nobody put is there": [said(0, 1, GET, "got", 1, 1)],
    "what was seen is gone": [
        said(0, 9, WHOLE, "put", 0),
        said(1, 2, GET, "got", 12, 12),
        said(3, 4, GET, "nothing"),
    ],
    "what is complete changes": [
        said(0, 1, WHOLE, "put", 0),
        said(2, 3, PUT_0, "put", 0),
        said(4, 5, GET, "got", 10, 12),
    ],
    "it is seen before it is asked for": [said(0, 1, GET, "got", 12, 12), said(2, 3, WHOLE, "put", 0)],
    "two are told that they were first": [said(0, 1, WHOLE, "put", 0), said(0, 1, ("put", 0, (0, 1), 13), "put", 0)],
    "one number is given twice": [
        said(0, 1, ("put", None, (0, 1), 1), "put", 0),
        said(0, 1, ("put", None, (0, 1), 2), "put", 0),
    ],
    "two see it in different orders": [
        said(0, 99, ("put", 1, (0, 1), 1), "put", 1),
        said(0, 99, ("put", 2, (0, 1), 2), "put", 2),
        said(1, 2, ("get", 1), "got", 1, 1),
        said(3, 4, ("get", 2), "nothing"),
        said(1, 2, ("get", 2), "got", 2, 2),
        said(3, 4, ("get", 1), "nothing"),
    ],
    "the dead put twice": [
        said(0, 0, WHOLE),
        said(1, 2, GET, "got", 12, 12),
        said(3, 4, ("remove", 0), "removed"),
        said(5, 6, GET, "got", 12, 12),
    ],
    "what was removed is listed": [
        said(0, 1, WHOLE, "put", 0),
        said(2, 3, ("remove", 0), "removed"),
        said(4, 5, LIST, "listed", (0, True)),
    ],
    "the last one did not win": [
        said(0, 1, PUT_0, "put", 0),
        said(2, 3, WHOLE, "put", 0),
        said(4, 5, GET, "got", 10, 12),
    ],
}


@pytest.mark.parametrize("name", RIGHT)
def test_stories_that_can_be(name: str) -> None:
    for operations in (RIGHT[name], RIGHT[name][::-1]):
        assert contradiction(operations, variable, NO_VERSIONS) is None


@pytest.mark.parametrize("name", WRONG)
def test_stories_that_cannot_be(name: str) -> None:
    for operations in (WRONG[name], WRONG[name][::-1]):
        found = contradiction(operations, variable, NO_VERSIONS)
        assert found is not None
        assert "none of these can come next" in found


def test_of_two_under_a_lock_one_follows_the_other() -> None:
    first = said(1, 8, ("follow", 2), "followed", 0, None)
    unheard = said(2, 2, ("follow", 3))
    told = [first, said(0, 9, ("follow", 1), "followed", 1, 2), unheard, said(10, 11, LATEST, "got", 3, 3)]
    assert contradiction(told, locked_variable, NONE_YET) is None
    for second in (("followed", 1, None), ("followed", 0, 2), ("followed", 2, 2)):
        assert contradiction([first, said(0, 9, ("follow", 1), *second)], locked_variable, NONE_YET) is not None
    assert contradiction([first, unheard, said(10, 11, LATEST, "got", 4, 4)], locked_variable, NONE_YET) is not None


def by_all_orders(operations: list[Operation]) -> bool:
    """Whether one of all orders, of all choices of those that were not answered, is a story."""
    unanswered = [each for each in operations if each.answer is None]
    for count in range(len(unanswered) + 1):
        for dropped in itertools.combinations(unanswered, count):
            told = [each for each in operations if not any(each is other for other in dropped)]
            if any(is_story(order) for order in itertools.permutations(told)):
                return True
    return False


def is_story(order: tuple[Operation, ...]) -> bool:
    state: Versions = NO_VERSIONS
    for index, operation in enumerate(order):
        if any(later.answer is not None and later.ended < operation.began for later in order[index + 1 :]):
            return False
        states = list(variable(state, operation))
        if not states:
            return False
        state = states[0]
    return True


CALLS = (PUT_0, PUT_1, WHOLE, GET, LATEST, LIST, ("remove", 0), ("put", None, (0,), 14))


def history(dice: random.Random, length: int, *, wrong: bool) -> list[Operation]:
    """Calls that were carried out in some order; of `wrong` ones an answer or a time is another's."""
    state: Versions = NO_VERSIONS
    operations = []
    for moment in range(0, 10 * length, 10):
        call = dice.choice(CALLS)
        began, ended = moment - dice.randrange(30), moment + 1 + dice.randrange(30)
        if dice.random() < 0.2:
            operations.append(Operation(call, None, began, 0))
            if dice.random() < 0.5:
                [state] = variable(state, operations[-1])
            continue
        known: list[tuple[Any, ...]] = [("complete",), ("nothing",), ("removed",), ("put", 0), ("put", 1)]
        known += [("got", first, second) for first in (10, 12, 14) for second in (11, 12)]
        known += [("listed", (0, done)) for done in (True, False)]
        known += [("listed", (0, first), (1, False)) for first in (True, False)]
        for answer in known:
            operation = Operation(call, answer, began, ended)
            if states := list(variable(state, operation)):
                [state] = states
                operations.append(operation)
                break
    if wrong and len(operations) > 1:
        one, other = dice.sample(range(len(operations)), 2)
        right = operations[one]
        operations[one] = Operation(right.call, operations[other].answer, right.began, right.began + 1)
    return operations


@given(st.randoms(use_true_random=False), st.integers(1, 6), st.booleans())
def test_it_says_what_all_orders_say(dice: random.Random, length: int, wrong: bool) -> None:
    operations = history(dice, length, wrong=wrong)
    is_right = contradiction(operations, variable, NO_VERSIONS) is None
    assert is_right == by_all_orders(operations)
    assert is_right or wrong
