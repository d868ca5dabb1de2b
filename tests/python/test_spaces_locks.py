"""Locks and views of spaces, whoever keeps them."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space_servers import KEEPERS, OpenSpace, kept_by

import staithe
from staithe import Box


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@pytest.fixture
def space(open_space: OpenSpace) -> Iterator[staithe.Space]:
    with open_space(timeout=20) as space:
        yield space


@pytest.fixture
def other() -> Iterator[ThreadPoolExecutor]:
    """Another thread."""
    with ThreadPoolExecutor(1) as thread:
        yield thread


def is_free(space: staithe.Space, name: str, mode: staithe.space_locks.Mode, box: Box | None = None) -> bool:
    try:
        with space.lock(name, mode, box=box, timeout=0.02):
            return True
    except staithe.Timeout:
        return False


# Locks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", ["read", "write"])
@pytest.mark.parametrize("wanted", ["read", "write"])
@pytest.mark.parametrize(
    ("box", "meets"), [(None, True), (Box([2], [3]), True), (Box([5], [3]), False), (Box([2], [0]), False)]
)
def test_locks_exclude_each_other_where_they_meet(
    space: staithe.Space,
    other: ThreadPoolExecutor,
    held: staithe.space_locks.Mode,
    wanted: staithe.space_locks.Mode,
    box: Box | None,
    meets: bool,
) -> None:
    with space.lock("T", held, box=Box([0], [5])):
        excluded = meets and "write" in (held, wanted)
        assert other.submit(is_free, space, "T", wanted, box).result() is not excluded
        assert other.submit(is_free, space, "rho", wanted, box).result()
        assert is_free(space, "T", wanted, box), "its own locks are in nobody's way"
    assert other.submit(is_free, space, "T", wanted, box).result()


def test_who_waits_in_vain_is_told_for_whom(space: staithe.Space, other: ThreadPoolExecutor) -> None:
    said = (
        rf"waited 0\.05 s for a lock on '{space.name}/T' \[0:2\] to read: \S+ \(pid {os.getpid()} on \S+\)"
        rf"(, thread \d+)? has held '{space.name}/T' to write for \d\.\d s"
    )
    with space.lock("T"), pytest.raises(staithe.Timeout, match=said):
        other.submit(space.lock, "T", "read", box=Box([0], [2]), timeout=0.05).result()


def test_readers_do_not_overtake_a_writer(space: staithe.Space) -> None:
    order: list[str] = []

    def take(mode: staithe.space_locks.Mode) -> None:
        with space.lock("T", mode):
            order.append(mode)

    with ThreadPoolExecutor(2) as threads:
        with space.lock("T", "read"):
            writer = threads.submit(take, "write")
            while is_free_for_another(space):
                pass
            reader = threads.submit(take, "read")
        writer.result()
        reader.result()
    assert order == ["write", "read"]


def is_free_for_another(space: staithe.Space) -> bool:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(is_free, space, "T", "read").result()


HALVES = ("T", Box([0], [4])), ("T", Box([4], [4]))
ALL = tuple((name, None) for name in "abcdefgh")  # where several servers keep the space, not all at one of them


@pytest.mark.parametrize("wanted", [HALVES, ALL], ids=["of one variable", "of several"])
def test_who_waits_in_a_circle_is_told(space: staithe.Space, wanted: tuple[tuple[str, Box | None], ...]) -> None:
    all_hold = threading.Barrier(len(wanted))

    def take(i: int) -> str:
        name, box = wanted[i]
        other, other_box = wanted[(i + 1) % len(wanted)]
        with space.lock(name, box=box):
            all_hold.wait()
            try:
                with space.lock(other, box=other_box):
                    return "has both"
            except staithe.Deadlock as error:
                return str(error)

    with ThreadPoolExecutor(len(wanted)) as threads:
        ends = list(threads.map(take, range(len(wanted))))
    [told] = [end for end in ends if end != "has both"]
    who = rf"\S+ \(pid {os.getpid()} on \S+\)(, thread \d+)?"
    name = rf"'{space.name}/[a-hT]'( \[[04]:[48]\])? to write"
    wait = f"{who} wants {name} behind {who}, who holds {name}"
    waits = "; ".join([wait] * len(wanted))
    assert re.match(rf"these would wait for each other in a circle: {waits}\. None of them could go on", told)


def test_what_is_put_has_to_lie_in_the_lock(space: staithe.Space) -> None:
    with space.lock("T", box=Box([0], [5])):
        space.put("T", np.ones(5), offset=0, shape=10, version=0)
        with pytest.raises(staithe.InvalidArgument, match=r"has locked 'T' \[0:5\] to write, and puts \[4:10\], which"):
            space.put("T", np.ones(6), offset=4, shape=10, version=0)
        space.put("T", np.ones(5), offset=5, shape=10, version=0)
        space.put("rho", np.ones(6))
    space.put("T", np.ones(10))


def test_a_lock_is_released_once(space: staithe.Space, other: ThreadPoolExecutor) -> None:
    lock = space.lock("T")
    lock.release()
    assert repr(lock) == "<staithe.Lock on 'T' to write, released>"
    with pytest.raises(staithe.Closed, match="the lock on 'T' to write was released before: take a new one"):
        lock.release()
    with pytest.raises(staithe.Closed, match="was used before: take a new one"), lock:
        pass
    with space.lock("T") as lock:
        lock.release()
        assert other.submit(is_free, space, "T", "write").result()
    lock = space.lock("T")
    other.submit(lock.release).result()  # any thread may
    assert other.submit(is_free, space, "T", "write").result()
    lock = space.lock("T")
    del lock
    assert other.submit(is_free, space, "T", "write").result()


def test_an_exception_releases_it(space: staithe.Space, other: ThreadPoolExecutor) -> None:
    with pytest.raises(ZeroDivisionError), space.lock("T"):
        raise ZeroDivisionError
    assert other.submit(is_free, space, "T", "write").result()


def test_locks_that_cannot_be(space: staithe.Space) -> None:
    calls: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: space.lock("T", "w"), r"mode='w' cannot be: give 'read' or 'write'"),  # type: ignore[arg-type]
        (lambda: space.lock("T", box=3), r"box=3 is no staithe.Box"),  # type: ignore[arg-type]
        (lambda: space.lock("T", box=Box([2**62], [2**62])), r"offsets and counts must not .* end beyond 2\^63"),
        (lambda: space.lock("T", lease=0.1), r"a lock on 'T' is leased for 0.5 s at least, and a year at most, not f"),
        (lambda: space.lock("T", lease=float("nan")), r"not for nan s"),
        (lambda: space.lock(""), r"a variable's name is a text of 1 to 4096 bytes"),
    )
    for call, said in calls:
        with pytest.raises(staithe.InvalidArgument, match=said):
            call()
    assert is_free_for_another(space)


def test_a_forked_child_has_no_lock_of_its_parents(space: staithe.Space, other: ThreadPoolExecutor) -> None:
    receiving, sending = os.pipe()
    with space.lock("T") as lock, space.view("x", "write", shape=4, dtype="i4") as x:
        if (child := os.fork()) == 0:
            try:
                x[:] = 7  # the memory is shared, the loan is not
                lock.release()
            except staithe.PeerLost as error:
                os.write(sending, str(error).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        said = os.read(receiving, 1000).decode()
        assert said.startswith("the lock on 'T' to write stays with the process that took it, and this one was forked")
        assert not other.submit(is_free, space, "T", "read").result()
    assert space.get("x").tolist() == [7] * 4


# Views ---------------------------------------------------------------------------------------------------------


def test_a_view_to_read_is_what_get_gives(space: staithe.Space) -> None:
    space.put("T", np.arange(12.0).reshape(3, 4))
    with space.view("T", box=Box([1, 1], [2, 2])) as t:
        assert t.tolist() == [[5, 6], [9, 10]]
        assert not t.flags.writeable
        space.remove("T")
        assert t.tolist() == [[5, 6], [9, 10]]
    with pytest.raises(staithe.InvalidArgument, match="did you mean mode='write'"):
        space.view("T", unit="K")


def test_what_is_written_becomes_a_version(space: staithe.Space, other: ThreadPoolExecutor) -> None:
    space.put("T", np.arange(12.0).reshape(3, 4), unit="K")
    before = space.get("T")
    view = space.view("T", "write", run="a12")
    with view as t:
        assert (t.tolist(), t.dtype, t.flags.writeable) == (before.tolist(), np.dtype("f8"), True)
        assert not other.submit(is_free, space, "T", "read", Box([2, 2], [1, 1])).result()
        t += 1
    assert view.version == 1
    assert space.get("T").tolist() == (before + 1).tolist()
    assert before[0, 0] == 0, "a complete version never changes"
    assert (space.versions("T")[1].unit, space.versions("T")[1].attrs) == ("K", {"run": "a12"})
    with pytest.raises(ValueError, match="read-only"):
        t[0] = 5
    with pytest.raises(staithe.Closed, match="this view was used before: take a new one"), view:
        pass
    assert is_free_for_another(space)


def test_a_view_is_put_under_its_own_lock(space: staithe.Space) -> None:
    with space.lock("T"):
        view = space.view("T", "write", shape=4, dtype="f8")
        values = view.__enter__()
    values[...] = 3.0  # that lock has ended, the view's has not
    view.__exit__(None, None, None)
    assert np.array_equal(space.get("T"), np.full(4, 3.0))


def test_an_exception_puts_nothing(space: staithe.Space) -> None:
    with pytest.raises(ZeroDivisionError), space.view("T", "write", shape=(2, 0, 3), dtype="i2"):
        raise ZeroDivisionError
    assert space.names() == []
    assert is_free_for_another(space)


def test_a_view_of_what_nobody_has_put(space: staithe.Space) -> None:
    space.put("T", [1.0], offset=0, shape=4)
    said = "no version of 'T' is complete: say which shape and dtype the new one has"
    for options in ({}, {"shape": 4}, {"dtype": "f8"}):
        with pytest.raises(staithe.InvalidArgument, match=said), space.view("T", "write", **options):
            pass
    view = space.view("T", "write", version=0, box=Box([1], [3]), shape=4, dtype="f8")
    with view as t:
        assert t.tolist() == [0, 0, 0]
        t[:] = [2, 3, 4]
    assert (view.version, space.get("T").tolist()) == (0, [1, 2, 3, 4])
    with (
        pytest.raises(staithe.AlreadyExists, match="version 0 of 'T' is complete"),
        space.view("T", "write", version=0),
    ):
        pass
    assert is_free_for_another(space)


@given(data=st.data())
def test_a_view_has_what_the_newest_version_has(open_space: OpenSpace, data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))

    def draw_box() -> Box:
        ends = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in shape]
        return Box([begin for begin, _ in ends], [end - begin for begin, end in ends])

    expected = np.zeros(shape, "i4")
    with open_space() as space:
        boxes = [draw_box() for _ in range(data.draw(st.integers(1, 4)))]
        for number, box in enumerate(boxes):
            expected[*box.slices] = number + 1
            block = np.full(box.count, number + 1, "i4")
            space.put("x", block, offset=box.offset, shape=shape, version=3, complete=number == len(boxes) - 1)
            if space.versions("x")[0].complete:
                break
        box = draw_box()
        with space.view("x", "write", box=box) as x:
            np.testing.assert_array_equal(x, expected[*box.slices])


def test_views_of_several_add_up(space: staithe.Space) -> None:
    space.put("n", 0)

    def count() -> None:
        for _ in range(25):
            with space.view("n", "write") as n:
                n += 1

    with ThreadPoolExecutor(4) as threads:
        for thread in [threads.submit(count) for _ in range(4)]:
            thread.result()
    assert space.get("n") == 100
