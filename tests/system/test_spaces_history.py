"""Clients call a server's spaces at random and are killed, or the server is: what all of them were told can be told as
one story of calls, one after the other (linearizability.py), and nobody has seen half a put, nor a lock that did not
exclude others.

The seed is that of the tests (tools/thoroughness.py); when threads and processes meet is the machine's.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fork_server import Child, ForkServer, watch
from history_roles import LOCKED, SPACE, VARIABLES
from linearizability import Operation, contradiction
from space_model import NO_VERSIONS, NONE_YET, locked_variable, variable
from space_servers import own_run_directory, restarted, servers, serving, serving_together, until_safe

import staithe
import thoroughness

CLIENTS = 6
CALLS = 150  # of a client that lives on
KILLS = 12
DEATHS = 4  # of servers


@pytest.fixture
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


class Cast:
    """The clients, of which there are always as many: for one that is killed another comes."""

    def __init__(self, fork_server: ForkServer, directory: Path, dice: random.Random) -> None:
        self._fork_server, self._directory, self._dice = fork_server, directory, dice
        self.all: list[Child] = []
        for _ in range(CLIENTS):
            self.add()

    def add(self) -> None:
        number = len(self.all)
        child = self._fork_server.start(
            "history_roles",
            "play",
            called=f"client {number}",
            environment={"STAITHE_RUN_DIR": str(self._directory)},
            number=number,
            seed=self._dice.randrange(1 << 30),
            calls=CALLS,
        )
        self.all.append(child)

    @property
    def alive(self) -> list[Child]:
        return [child for child in self.all if not child.gone]

    def run(self, seconds: float) -> None:
        """Hears what they tell: for so long, or until they are done."""
        until = time.monotonic() + seconds
        while self.alive and time.monotonic() < until:
            watch(self.alive, until)

    def meet(self, servers: int) -> None:
        """Hears them until they have called at so many servers in all, however slow or fast they are."""
        while len(self.alive) < CLIENTS:
            self.add()
        until = time.monotonic() + 60
        while len(self.servers()) < servers:
            assert time.monotonic() < until, "\n".join(child.story() for child in self.alive)
            watch(self.alive, until)

    def servers(self) -> set[str]:
        return {event.details[0] for child in self.all for event in child.all("calls")}

    def kill_one(self) -> None:
        if self.alive:
            self._dice.choice(self.alive).kill()
            self.add()

    def end(self) -> None:
        self.run(60)
        assert not self.alive, "\n".join(child.story() for child in self.alive)
        for child in self.all:
            assert not child.has("breaks"), child.story()
            assert not child.has("sees a change"), child.story()


def histories(children: list[Child]) -> dict[tuple[str, str], list[Operation]]:
    """What they told, by server and variable: between these nothing is shared."""
    found: dict[tuple[str, str], list[Operation]] = {}
    for child in children:
        called: list[Any] | None = None
        for event in [*child.events, None]:
            if called is not None and (event is None or event.what in ("calls", "is told")):
                server, name, began, call = called
                ended, answer = event.details if event is not None and event.what == "is told" else (0, None)
                told = None if answer is None else _tuples(answer)
                found.setdefault((server, name), []).append(Operation(_tuples(call), told, began, ended, child.name))
            called = list(event.details) if event is not None and event.what == "calls" else None
    return found


def _tuples(value: Any) -> Any:
    """JSON knows lists only."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def check(told: Mapping[tuple[str, str], list[Operation]]) -> None:
    for (server, name), operations in told.items():
        if name == LOCKED:
            found = contradiction(operations, locked_variable, NONE_YET)
        else:
            found = contradiction(operations, variable, NO_VERSIONS)
        assert found is None, f"'{name}' of {server}, {thoroughness.again('pytest')}: {found}"


def with_a_lie(told: Mapping[tuple[str, str], list[Operation]], dice: random.Random) -> dict[Any, list[Operation]]:
    """What was told of the locked variable by those who put; but two have followed the same one, as without a lock.
    Gets are left out: they change nothing, and in how many orders they can be told takes long to find out."""
    [(key, operations)] = [(key, operations) for key, operations in told.items() if key[1] == LOCKED]
    follows = [each for each in operations if each.call[0] == "follow"]
    liar, other = dice.sample([each for each in follows if each.answer], 2)
    answer = (*(liar.answer or ())[:2], (other.answer or ())[2])
    return {key: [replace(each, answer=answer) if each is liar else each for each in follows]}


def answers(children: list[Child]) -> set[str]:
    """The kinds of what they were told."""
    return {str(event.details[1][0]) for child in children for event in child.all("is told")}


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("case", range(thoroughness.examples(10)))
def test_clients_that_are_killed(fork_server: ForkServer, directory: Path, case: int, size: int) -> None:
    dice = random.Random(f"{thoroughness.SEED} clients {case} {size}")
    with serving_together(size) if size > 1 else serving():
        cast = Cast(fork_server, directory, dice)
        for _ in range(KILLS):
            cast.run(dice.uniform(0.01, 0.1))
            cast.kill_one()
        cast.end()
        told = histories(cast.all)
        check(told)
        assert answers(cast.all) == {"put", "complete", "got", "removed", "nothing", "listed", "followed"}
        with pytest.raises(AssertionError, match="none of these can come next"):
            check(with_a_lie(told, dice))
        # Of the dead nothing is left but what they had put.
        with staithe.space(SPACE, server="staithe") as space:
            for name in space.names():
                space.remove(name)
            assert space.names() == []
            for server in servers():
                assert (server["spaces"][SPACE]["blocks"], server["spaces"][SPACE]["bytes"]) == (0, 0)


@pytest.mark.parametrize("case", range(thoroughness.examples(5)))
def test_servers_that_are_killed(fork_server: ForkServer, directory: Path, case: int) -> None:
    dice = random.Random(f"{thoroughness.SEED} servers {case}")
    with serving() as server:
        cast = Cast(fork_server, directory, dice)
        cast.meet(servers=1)
        cast.run(dice.uniform(0, 0.2))
        server.kill()
    with serving() as server:
        cast.meet(servers=2)
        cast.run(dice.uniform(0, 0.2))
        cast.kill_one()
        server.kill()
    with serving():
        cast.meet(servers=3)
        cast.end()
        check(histories(cast.all))
        assert len(cast.servers()) == 3
        assert {name for _, name in histories(cast.all)} == {*VARIABLES, LOCKED}


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("case", range(thoroughness.examples(5)))
def test_servers_that_go_on_for_each_other(fork_server: ForkServer, directory: Path, case: int, size: int) -> None:
    """Whichever is killed, there is one story: nothing that was acknowledged is lost, nor seen and then gone."""
    dice = random.Random(f"{thoroughness.SEED} replicas {case} {size}")
    with serving_together(size, "--replicas", "2") as started, contextlib.ExitStack() as stack:
        until_safe(size)
        cast = Cast(fork_server, directory, dice)
        cast.meet(servers=1)
        for _ in range(DEATHS):
            cast.run(dice.uniform(0, 0.2))
            dead = dice.randrange(size)
            started[dead].kill()
            cast.run(dice.uniform(0, 0.2))
            started[dead] = restarted(dead, size)
            stack.callback(started[dead].kill)
            until_safe(size)
            cast.kill_one()
        cast.end()
        assert len(cast.servers()) == 1
        check(histories(cast.all))
