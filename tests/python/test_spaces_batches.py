"""Many small blocks of a space put at once, whoever keeps it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space_servers import KEEPERS, OpenSpace, kept_by, own_run_directory, serving

import staithe

_names = (f"x{number}" for number in itertools.count())


@pytest.fixture(scope="module", params=KEEPERS)
def space(request: pytest.FixtureRequest) -> Iterator[staithe.Space]:
    opened: OpenSpace
    with kept_by(request.param) as opened, opened(timeout=20) as space:
        yield space


@given(
    data=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 10)), max_size=40),
    dtype=st.sampled_from(["i1", "f8", "c16"]),
)
def test_blocks_lie_as_if_each_was_put_alone(
    space: staithe.Space, data: list[tuple[int, int, int]], dtype: str
) -> None:
    name = next(_names)
    expected = {version: np.zeros(20, dtype) for version in range(4)}
    with space.batch() as batch:
        for version in expected:
            batch.put(name, expected[version][:19], offset=0, shape=20, version=version, step=version)
        for value, (version, offset, count) in enumerate(data):
            block = np.full(count, value % 100, dtype)
            batch.put(name, block, offset=offset, shape=20, version=version)
            expected[version][offset : offset + count] = block
        for version in expected:
            batch.put(name, expected[version][19:], offset=19, shape=20, version=version)
    for version, values in expected.items():
        np.testing.assert_array_equal(space.get(name, version=version), values)
    assert [version.attrs["step"] for version in space.versions(name)] == [0, 1, 2, 3]


@given(data=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.booleans()), max_size=40))
def test_what_is_got_is_what_the_puts_before_it_left(space: staithe.Space, data: list[tuple[int, int, bool]]) -> None:
    names = [next(_names) for _ in range(4)]
    values: dict[str, int] = {}
    got: list[tuple[staithe.BatchGet, int]] = []
    with space.batch() as batch:
        for value, which, puts in [(0, which, True) for which in range(4)] + data:
            if puts:
                values[names[which]] = value
                batch.put(names[which], np.full((2, 3), value))
            else:
                got.append((batch.get(names[which], box=staithe.Box((1, 0), (1, 2))), values[names[which]]))
    for each, value in got:
        np.testing.assert_array_equal(each.result(), np.full((1, 2), value))


def test_large_and_small_ones_are_got_together(space: staithe.Space) -> None:
    name = next(_names)
    sizes = [0, 1, 100, 2000, 20_000, 200_000]
    with space.batch() as batch:
        for version, size in enumerate(sizes):
            batch.put(name, np.arange(size), version=version)
        everything = [batch.get(name, version=version) for version in range(len(sizes))] * 2
        newest = batch.get(name)
    for size, each in zip(sizes * 2, everything, strict=True):
        np.testing.assert_array_equal(each.result(), np.arange(size))
    assert len(newest.result()) == sizes[-1]
    assert not everything[2].result().flags.writeable


def test_many_more_than_go_at_once_are_got(space: staithe.Space) -> None:
    name = next(_names)
    with space.batch() as batch:
        for version in range(2500):
            batch.put(name, np.full(3, version), version=version)
    with space.batch() as batch:
        got = [batch.get(name, version=version) for version in range(2500)]
        assert len(batch) == 2500 - 2 * 1024
    assert [int(each.result()[0]) for each in got] == list(range(2500))


def test_who_asks_for_the_result_has_the_batch_sent(space: staithe.Space) -> None:
    name = next(_names)
    batch = space.batch()
    batch.put(name, np.ones(2))
    assert batch.get(name).result().sum() == 2
    assert len(batch) == 0
    left = batch.get(name)
    with pytest.warns(RuntimeWarning, match="1 blocks of a batch are lost"):
        del batch
    with pytest.raises(staithe.Closed, match="gone without being sent"):
        left.result()


def test_what_cannot_be_got_is_told_by_its_result(space: staithe.Space) -> None:
    name = next(_names)
    space.put(name, np.zeros(4), version=1)
    with space.batch() as batch:
        beyond = batch.get(name, box=staithe.Box(3, 2))
        there = batch.get(name)
    with pytest.raises(staithe.InvalidArgument):
        beyond.result()
    assert there.result().shape == (4,)
    with pytest.raises(staithe.Closed):
        batch.get(name)


def test_what_is_not_there_among_very_many_is_told_by_its_own_result(space: staithe.Space) -> None:
    name = next(_names)
    space.put(name, np.zeros(4))
    with space.batch() as batch:
        got = [batch.get(name, box=staithe.Box(3, 2 if number % 300 == 7 else 1)) for number in range(1000)]
    for number, each in enumerate(got):
        if number % 300 == 7:
            with pytest.raises(staithe.InvalidArgument):
                each.result()
        else:
            assert each.result().shape == (1,)


def test_arrays_may_change_as_soon_as_they_are_put(space: staithe.Space) -> None:
    name = next(_names)
    values = np.zeros((3, 4), order="F")
    with space.batch() as batch:
        for number in range(5):
            values[:] = number
            batch.put(name, values, version=number)
    assert [space.get(name, version=number)[2, 3] for number in range(5)] == [0, 1, 2, 3, 4]


def test_more_than_is_sent_at_once_and_large_blocks_between_them(space: staithe.Space) -> None:
    name = next(_names)
    with space.batch() as batch:
        for number in range(2500):
            batch.put(name, np.full(100_000 if number == 1700 else 3, number))
        assert len(batch) < 1025
    assert [version.number for version in space.versions(name)] == list(range(2500))
    for number in (0, 1699, 1700, 1701, 2499):
        assert (space.get(name, version=number) == number).all()


def test_what_is_refused_is_named_and_the_others_are_put(space: staithe.Space) -> None:
    name = next(_names)
    space.put(name, np.ones(3), version=1)
    batch = space.batch()
    for version in range(3):
        batch.put(name, np.full(3, float(version)), version=version)
    with pytest.raises(
        staithe.AlreadyExists, match=rf"^1 of 3 .*others were put\): '{name}' version 1: .* is complete"
    ):
        batch.send()
    (failure,) = batch.failures
    assert failure[:3] == (1, name, 1)
    assert "is complete" in failure[3]
    assert [space.get(name, version=version)[0] for version in range(3)] == [0, 1, 2]


def test_dtypes_that_differ_are_refused_one_by_one(space: staithe.Space) -> None:
    name = next(_names)
    batch = space.batch()
    for dtype in ("i4", "f8", "i4", "i8"):
        batch.put(name, np.ones(2, dtype), shape=8, offset=0, version=0)
    with pytest.raises(staithe.InvalidArgument, match="2 of 4"):
        batch.send()


def test_an_exception_leaves_what_was_not_sent(space: staithe.Space) -> None:
    name = next(_names)
    with contextlib.suppress(ZeroDivisionError), space.batch() as batch:
        batch.put(name, np.ones(3))
        raise ZeroDivisionError
    assert space.names(name) == []


def test_what_nobody_would_send_is_told(space: staithe.Space) -> None:
    with space.batch() as batch:
        pass
    with pytest.raises(staithe.Closed, match="'x' is put in a batch whose `with` block is over"):
        batch.put("x", [1])
    left = space.batch()
    left.put(next(_names), [1])
    with pytest.warns(RuntimeWarning, match="1 blocks of a batch are lost"):
        del left


def test_slips_are_told_at_once(space: staithe.Space) -> None:
    with space.batch() as batch:
        with pytest.raises(staithe.InvalidArgument, match="did you mean version"):
            batch.put("y", np.ones(3), versoin=3)
        with pytest.raises(staithe.InvalidArgument, match="does not lie in its shape"):
            batch.put("y", np.ones(3), offset=2, shape=4)
        with pytest.raises(staithe.InvalidArgument, match="put an array"):
            batch.put("y", None)  # type: ignore[arg-type]
        assert len(batch) == 0


def test_blocks_are_put_under_the_locks_that_are_held_when_they_are_given(space: staithe.Space) -> None:
    name = next(_names)
    with space.lock(name, "write"), space.batch() as batch:
        batch.put(name, np.zeros(3))
    batch = space.batch()
    with space.lock(name, "write"):
        batch.put(name, np.ones(3), version=1)
    batch.put(name, np.ones(3), version=2)  # without a lock
    with pytest.raises(staithe.Closed, match=rf"1 of 2 .*'{name}' version 1: .*lock"):
        batch.send()
    assert [version.number for version in space.versions(name)] == [0, 2]


def test_a_closed_space_takes_none() -> None:
    with kept_by("a server") as opened:
        space = opened()
        batch = space.batch()
        batch.put("x", np.ones(3))
        space.close()
        with pytest.raises(staithe.Closed):
            batch.send()
        with pytest.raises(staithe.Closed):
            batch.put("x", np.ones(3))


def test_a_server_that_is_killed_is_lost() -> None:
    with own_run_directory(), serving() as server, staithe.space("campaign") as space:
        batch = space.batch()
        batch.put("x", np.ones(3))
        batch.send()
        batch.put("x", np.ones(3))
        server.kill()
        with pytest.raises(staithe.PeerLost, match=r"1 of 1 .*'x': .* is gone"):
            batch.send()


def test_all_that_is_got_of_a_server_that_is_gone_is_lost() -> None:
    with own_run_directory(), serving() as server, staithe.space("campaign") as space:
        space.put("x", np.ones(3))
        batch = space.batch()
        got = [batch.get("x") for _ in range(1000)]
        server.kill()
        batch.send()
        for each in got:
            with pytest.raises(staithe.PeerLost, match="is gone"):
                each.result()


def test_what_is_there_is_got_however_long_others_are_waited_for() -> None:
    with own_run_directory(), serving(), staithe.space("campaign", timeout=0.5) as space:
        space.put("x", np.ones(3))
        with space.batch() as batch:
            missing = batch.get("x", version=7)
            got = [batch.get("x") for _ in range(1000)]
        assert all(each.result().sum() == 3 for each in got)
        with pytest.raises(staithe.Timeout):
            missing.result()


def test_where_memory_is_full_blocks_wait_for_their_rooms_as_others_do() -> None:
    with own_run_directory(), serving("--memory", "1MiB"), staithe.space("campaign", timeout=20) as space:
        space.keep("x", 2)
        with space.batch() as batch:
            for number in range(200):
                batch.put("x", np.full(7000, number))
        assert [space.get("x", version=number)[-1] for number in (198, 199)] == [198, 199]
