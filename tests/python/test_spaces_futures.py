"""Calls of spaces that nobody waits for, whoever keeps them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from typing import Any

import numpy as np
import pytest
from space_servers import KEEPERS, OpenSpace, kept_by, own_run_directory, serving

import staithe

_names = (f"x{number}" for number in itertools.count())


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@pytest.fixture
def space(open_space: OpenSpace) -> Iterator[staithe.Space]:
    with open_space(timeout=20) as space:
        yield space


def test_puts_are_done_in_the_order_of_the_calls(space: staithe.Space) -> None:
    futures = [space.put_async("x", np.full(5, value), kind=value) for value in range(300)]
    assert [future.result(20) for future in futures] == list(range(300))
    assert [space.get("x", version=value)[0] for value in (0, 150, 299)] == [0, 150, 299]


def test_gets_that_wait_are_in_nobodys_way(space: staithe.Space) -> None:
    early = [space.get_async("x", version=version) for version in range(100)]
    space.put("there", 3.0)
    assert space.get_async("there").result(20) == 3
    assert not any(future.done() for future in early)
    for version in reversed(range(100)):
        space.put("x", np.full(2, version), version=version)
    assert [future.result(20)[0] for future in early] == list(range(100))


def test_errors_come_with_the_future(space: staithe.Space) -> None:
    with pytest.raises(staithe.Timeout, match="nothing was put yet"):
        space.get_async("x", timeout=0.01).result(20)
    space.put("x", np.ones(3), version=1)
    with pytest.raises(staithe.AlreadyExists, match="is complete"):
        space.put_async("x", np.ones(3), version=1).result(20)
    with pytest.raises(staithe.InvalidArgument, match="does not lie"):
        space.get_async("x", box=staithe.Box((5,), (9,))).result(20)
    with pytest.raises(staithe.InvalidArgument, match="did you mean version"):
        space.put_async("x", np.ones(3), versoin=1)


def test_closing_ends_what_waits(open_space: OpenSpace) -> None:
    space = open_space(timeout=20)
    future = space.get_async("x", timeout=1e6)
    space.close()
    with pytest.raises(staithe.Closed, match="was closed"):
        future.result(20)
    with pytest.raises(staithe.Closed):
        space.get_async("x")


def test_too_many_are_refused_and_those_that_are_cancelled_make_room(space: staithe.Space) -> None:
    futures: list[Future[Any]] = [space.get_async("x", version=version, timeout=1e6) for version in range(256)]
    with pytest.raises(staithe.LimitReached, match="wait for some of them"):
        space.get_async("x")
    assert all(future.cancel() for future in futures)
    with pytest.raises(CancelledError):
        futures[0].result(20)
    assert not wait(futures, 20).not_done
    space.put("x", 7.0, version=0)
    while True:  # the threads come back one by one
        try:
            assert space.get_async("x", version=0).result(20) == 7
            return
        except staithe.LimitReached:
            continue


def test_puts_are_under_the_locks_of_their_callers(space: staithe.Space) -> None:
    with space.lock("x", "write"):
        assert space.put_async("x", np.ones(3)).result(20) == 0


def test_tasks_wait_for_each_other_in_one_thread(space: staithe.Space) -> None:
    name = next(_names)

    async def work() -> float:
        waiting = asyncio.create_task(space.aio.get(name, version=4))
        given_up = asyncio.create_task(space.aio.get(name, version=99))
        await asyncio.sleep(0)
        assert await space.aio.put(name, np.full(3, 2.0), version=4, unit="K") == 4
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        values = await waiting
        return float(values.sum())

    assert asyncio.run(work()) == 6


def test_a_server_that_is_killed_is_lost() -> None:
    with own_run_directory(), serving() as server, staithe.space("campaign") as space:
        future = space.get_async("x", timeout=1e6)
        server.kill()
        with pytest.raises(staithe.PeerLost, match="is gone"):
            future.result(20)
