"""What the clients of a recorded history do (test_spaces_history.py): calls at random, of which they tell before and
after. Their pipe to the test keeps what they told when they are killed.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections import deque
from typing import Any

import numpy as np
from fork_server import Stage
from numpy.typing import NDArray

import staithe

SPACE = "history"
VARIABLES = ("x", "y", "z")
LOCKED = "locked"  # what all put to under a lock
ELEMENTS = 5000  # of a half: enough that a copy can be met in its midst
VERSIONS = 4
HELD = 4  # arrays that a client keeps, to look at again


def play(stage: Stage, number: int, seed: int, calls: int) -> None:
    """Opens the space and makes so many calls; when its server is lost, opens it anew at the one that follows."""
    dice = random.Random(seed)
    client = Client(stage, number, dice)
    space = opened()
    while calls > 0:
        calls -= 1
        try:
            client.call(space)
        except (staithe.PeerLost, staithe.Closed):  # the latter: a lock was lost with its server
            space = opened()
    client.look_again(len(client.held))


def opened() -> staithe.Space:
    """The space, as soon as there is a server to keep it."""
    until = time.monotonic() + 20
    while True:
        try:
            return staithe.space(SPACE, server="staithe", timeout=10)
        except (staithe.NotFound, staithe.PeerLost):
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


class Client:
    """Whose values nobody else puts: so everyone can see from whom they are."""

    def __init__(self, stage: Stage, number: int, dice: random.Random) -> None:
        self.held: deque[tuple[NDArray[np.int64], tuple[Any, ...]]] = deque(maxlen=HELD)
        self._stage, self._dice = stage, dice
        self._next = number * 1_000_000

    def call(self, space: staithe.Space) -> None:
        """One, of any kind."""
        name, call = self._drawn()
        kind = call[0]
        self._stage.tell("calls", space.kept_by, name, time.monotonic_ns(), call)
        answer = getattr(self, f"_{kind}")(space, name, *call[1:])
        self._stage.tell("is told", time.monotonic_ns(), answer)
        if self.held and self._dice.random() < 0.2:
            self.look_again(1)

    def _drawn(self) -> tuple[str, tuple[Any, ...]]:
        name = self._dice.choice((*VARIABLES, LOCKED))
        if name == LOCKED:
            kind = self._dice.choice(("follow", "get"))
        else:
            kind = self._dice.choices(("put", "get", "remove", "list"), (8, 6, 1, 2))[0]
        version = None if name == LOCKED else self._dice.choice((None, *range(VERSIONS)))
        self._next += 1
        call: dict[str, tuple[Any, ...]] = {
            "list": (kind,),
            "follow": (kind, self._next),
            "put": (kind, version, self._dice.choice(((0,), (1,), (0, 1))), self._next),
        }
        return name, call.get(kind, (kind, version))

    def look_again(self, count: int) -> None:
        """What was got does not change, whatever has become of its version."""
        for array, values in self._dice.sample(list(self.held), count):
            if (now := values_of(array)) != values:
                self._stage.tell("sees a change", values, now)

    def _put(self, space: staithe.Space, name: str, version: int | None, halves: tuple[int, ...], value: int) -> Any:
        block = np.full((len(halves), ELEMENTS), value)
        try:
            return "put", space.put(name, block, offset=(halves[0], 0), shape=(2, ELEMENTS), version=version)
        except staithe.AlreadyExists:
            return ("complete",)

    def _get(self, space: staithe.Space, name: str, version: int | None) -> Any:
        # Some wait a little, and find what comes meanwhile.
        timeout = self._dice.choice((0, 0.005))
        try:
            array = space.get(name, version="latest" if version is None else version, timeout=timeout)
        except staithe.Timeout:
            return ("nothing",)
        self.held.append((array, values_of(array)))
        return "got", *values_of(array)

    def _remove(self, space: staithe.Space, name: str, version: int | None) -> Any:
        try:
            space.remove(name, version)
        except staithe.NotFound:
            return ("nothing",)
        return ("removed",)

    def _list(self, space: staithe.Space, name: str) -> Any:
        with contextlib.suppress(staithe.NotFound):
            return "listed", *((version.number, version.complete) for version in space.versions(name))
        return ("nothing",)

    def _follow(self, space: staithe.Space, name: str, value: int) -> Any:
        before = None
        with space.lock(name, timeout=30):
            with contextlib.suppress(staithe.Timeout):
                before = values_of(space.get(name, timeout=0))[0]
            return "followed", space.put(name, np.full((2, ELEMENTS), value)), before


def values_of(array: NDArray[np.int64]) -> tuple[Any, ...]:
    """Of both halves; of one that is not all of one put, a text that says so."""
    values = [np.unique(half) for half in array]
    return tuple(int(value[0]) if len(value) == 1 else f"parts of {value.tolist()}" for value in values)
