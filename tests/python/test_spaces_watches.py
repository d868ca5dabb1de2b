"""Versions of a space as they are completed, whoever keeps it."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space_servers import KEEPERS, OpenSpace, kept_by, own_run_directory, serving

import staithe

_names = (f"x{number}" for number in itertools.count())


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def space(open_space: OpenSpace) -> Iterator[staithe.Space]:
    with open_space(timeout=20) as space:
        yield space


@given(numbers=st.lists(st.integers(-50, 50), unique=True, min_size=1), taken=st.data())
def test_each_version_comes_once_in_the_order_of_completion(
    space: staithe.Space, numbers: list[int], taken: st.DataObject
) -> None:
    name = next(_names)
    for number in numbers:  # no version is complete: each lacks its second half
        space.put(name, np.zeros(2), offset=0, shape=4, version=number)
    watch = space.watch(name, start="next", timeout=20)
    late = taken.draw(st.permutations(numbers))
    for number in late:
        space.put(name, np.ones(2), offset=2, shape=4, version=number)
    assert list(itertools.islice(watch, len(late))) == late
    assert list(itertools.islice(space.watch(name, start="oldest", timeout=20), len(late))) == late


def test_next_is_what_comes_after_the_call(space: staithe.Space) -> None:
    name = next(_names)
    space.put(name, 1.0)
    watch = space.watch(name, timeout=0.05)
    with pytest.raises(staithe.Timeout, match="no further version of"):
        next(watch)
    space.put(name, 2.0)
    assert next(watch) == 1  # who was in vain may ask again


def test_what_came_stays_until_the_next_one_is_asked_for(space: staithe.Space) -> None:
    name = next(_names)
    space.keep(name, 1)
    space.put(name, np.zeros(3))
    watch = space.watch(name, start="oldest", timeout=20)
    assert next(watch) == 0
    for value in range(1, 5):
        space.put(name, np.full(3, value))
    assert space.get(name, version=0).tolist() == [0, 0, 0]
    assert next(watch) == 4  # those between are gone
    space.put(name, np.full(3, 5))
    assert [version.number for version in space.versions(name)] == [4, 5]


def test_it_waits_for_who_puts_later_and_ends_when_the_space_is_closed(open_space: OpenSpace) -> None:
    space = open_space("closing", timeout=20)
    other = open_space("closing", timeout=20)
    seen: list[int] = []
    came = threading.Semaphore(0)

    def look() -> None:
        for version in space.watch("x", start="oldest"):
            seen.append(version)
            came.release()

    thread = threading.Thread(target=look)
    thread.start()
    for version in (7, 3):
        other.put("x", np.zeros(2), version=version)
        assert came.acquire(timeout=20)
    space.close()
    thread.join(20)
    assert not thread.is_alive()
    assert seen == [7, 3]
    other.close()


def test_tasks_wait_while_others_run(space: staithe.Space) -> None:
    name = next(_names)

    async def follow() -> list[int]:
        seen = []
        async for version in space.watch(name, start="oldest", timeout=20):
            seen.append(version)
            if version == 4:
                break
        return seen

    async def put() -> None:
        for version in range(5):
            await space.aio.put(name, np.zeros(3), version=version)

    async def main() -> list[int]:
        seen, _ = await asyncio.gather(follow(), put())
        return seen

    assert asyncio.run(main()) == list(range(5))


def test_what_comes_to_a_cancelled_task_comes_to_who_asks_next(space: staithe.Space) -> None:
    name = next(_names)
    watch = space.watch(name, timeout=20)

    async def wait_in_vain() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(watch), 0.05)

    async def take(count: int) -> list[int]:
        return [await anext(watch) for _ in range(count)]

    asyncio.run(wait_in_vain())
    for value in range(4):
        space.put(name, value)
    assert asyncio.run(take(2)) == [0, 1]  # in another loop
    assert next(watch) == 2
    assert asyncio.run(take(1)) == [3]
    asyncio.run(wait_in_vain())
    space.put(name, 4)
    assert next(watch) == 4


def test_tasks_are_told_what_others_are_told(open_space: OpenSpace) -> None:
    name = next(_names)
    space = open_space(timeout=20)

    async def main() -> None:
        with pytest.raises(staithe.Timeout, match="nothing was put yet"):
            await anext(space.watch(name, timeout=0.05))
        watch = space.watch(name)
        first = asyncio.ensure_future(anext(watch))
        await asyncio.sleep(0)
        with pytest.raises(staithe.InvalidArgument, match="another task waits for it"):
            await anext(watch)
        space.close()
        with pytest.raises(StopAsyncIteration):
            await first
        assert [version async for version in watch] == []

    asyncio.run(main())


def test_a_program_may_end_while_a_watch_waits(run_python: Callable[..., str]) -> None:
    program = """
import asyncio, staithe
watch = staithe.space("own", server="").watch("x")
async def main():
    try:
        await asyncio.wait_for(anext(watch), 0.05)
    except TimeoutError:
        print("in vain")
asyncio.run(main())
"""
    assert run_python(program) == "in vain\n"


def test_what_is_no_start_is_refused(space: staithe.Space) -> None:
    with pytest.raises(staithe.InvalidArgument, match="'next' or 'oldest'"):
        space.watch("x", start="latest")  # type: ignore[arg-type]


def test_a_server_that_is_killed_is_lost() -> None:
    with own_run_directory(), serving() as server, staithe.space("campaign") as space:
        watch = space.watch("x")
        killer = threading.Thread(target=server.kill)
        killer.start()
        with pytest.raises(staithe.PeerLost, match="is gone"):
            next(watch)
        killer.join()
