"""Conditions on variables and attributes of spaces, with NumPy as the oracle."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from space_servers import KEEPERS, kept_by

import staithe

NUMBERS = st.sampled_from([-1, 0, 0.5, 1, 2, 3, 250, 1e30])
RELATIONS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@pytest.fixture
def space() -> Iterator[staithe.Space]:
    with staithe.space("campaign", server="") as opened:
        yield opened


def marked(hits: staithe.Hits, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """How many of the boxes each element is in."""
    counts = np.zeros(shape, int)
    for hit in hits:
        counts[tuple(slice(at, at + count) for at, count in zip(hit.box.offset, hit.box.count, strict=True))] += 1
    return counts


@given(data=st.data())
def test_boxes_hold_what_numpy_says(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=3)))
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    dtype = data.draw(st.sampled_from(["f4", "f8", "i1", "i8", "u8", "?"]))
    a = generator.integers(0, 4, shape).astype(dtype)
    b = generator.random(shape)
    b[generator.random(shape) < 0.2] = np.nan
    (left, right), number, other = data.draw(st.tuples(RELATIONS, RELATIONS)), data.draw(NUMBERS), data.draw(NUMBERS)
    expected = {
        f"a {left} {number}": eval(f"a {left} {number}"),
        f"a {left} {number} and not b {right} {other}": eval(f"(a {left} {number}) & ~(b {right} {other})"),
        f"isnan(b) or 0 < b <= 0.5 and a {left} {number}": np.isnan(b)
        | (b > 0) & (b <= 0.5) & eval(f"a {left} {number}"),
    }
    with staithe.space("campaign", server="") as space:
        rows = data.draw(st.integers(0, shape[0]))
        for part in (slice(0, rows), slice(rows, None)):  # blocks of the two variables differ
            space.put("a", a[part], offset=(part.start, *[0] * (a.ndim - 1)), shape=shape, version=3)
        space.put("b", b, version=3)
        for condition, matches in expected.items():
            for _ in range(2):  # the second time by what was noted
                hits = space.query(condition)
                assert hits.size == matches.sum()
                np.testing.assert_array_equal(marked(hits, shape), matches.astype(int), err_msg=condition)
                each = [hit["a"].ravel() for hit in hits]
                np.testing.assert_array_equal(hits["a"], np.concatenate([np.empty(0, dtype), *each]))
                assert hits["a"].dtype == dtype
                for hit in hits:
                    where = tuple(slice(at, at + n) for at, n in zip(hit.box.offset, hit.box.count, strict=True))
                    np.testing.assert_array_equal(hit["a"], a[where])


@pytest.mark.parametrize("keeper", KEEPERS)
def test_a_few_of_many_blocks(keeper: str) -> None:
    """What is known of a version from the first query on says which of its blocks the next one asks for."""
    field = np.random.default_rng(3).permutation(np.arange(9000.0)).reshape(90, 100)
    with kept_by(keeper) as open_space, open_space() as space:
        with space.batch() as batch:
            for row in range(0, 90, 2):
                for column in range(0, 100, 2):
                    part = field[row : row + 2, column : column + 2]
                    batch.put("T", part, offset=(row, column), shape=field.shape, version=1)
        for least in (0, 8990, 3, 7000, 4500, 9000):  # all, few, most of its 2,250 blocks, none
            hits = space.query(f"T >= {least}")
            np.testing.assert_array_equal(marked(hits, field.shape), field >= least)
            np.testing.assert_array_equal(np.sort(hits.values), np.sort(field[field >= least]))
        space.put("rho", field.T.copy().T, version=1)
        hits = space.query("T > 8980 and rho < 8990")
        np.testing.assert_array_equal(np.sort(hits["rho"]), np.arange(8981, 8990))
        space.remove("T")
        space.put("T", -field, version=1)
        assert space.query("T > 8980").size == 0


def test_values_are_those_of_all_boxes(space: staithe.Space) -> None:
    t = np.arange(24.0).reshape(4, 6)
    space.put("T", t)
    space.put("rho", t / 24)
    hits = space.query("10 < T < 14 or T > 20")
    np.testing.assert_array_equal(np.sort(hits.values), [11, 12, 13, 21, 22, 23])
    np.testing.assert_array_equal(hits["rho"], hits["T"] / 24)
    assert not hits.values.flags.writeable
    assert [hits[number].box for number in (0, -1)] == [hits.boxes[0], hits.boxes[-1]]
    with pytest.raises(IndexError):
        hits[len(hits)]
    few = space.query("10 < T < 14 or T > 20", most=1)
    np.testing.assert_array_equal(few.values, next(iter(few)).values.ravel())
    assert space.query("T > 100").values.shape == (0,)
    space.put("T", t + 100, version=1)
    with pytest.raises(staithe.NotFound, match="version 0 of 'U' is not there"):
        hits["U"]
    space.remove("T", 0)
    with pytest.raises(staithe.NotFound, match="version 0 of 'T' is not there"):
        hits["T"]
    space.put("T", t, version=0)
    with pytest.raises(staithe.NotFound, match="another one put in its place"):
        hits["T"]


def test_attributes_decide_for_all_elements(space: staithe.Space) -> None:
    space.put("T", np.arange(6.0), run="a12", dt=0.5)
    assert space.query("T >= 4 and run == 'a12'").size == 2
    assert space.query("T >= 4 and run == 'b'").size == 0
    assert space.query("dt < 1 or T > 100").boxes == (staithe.Box(0, 6),)


def test_latest_is_the_newest_that_all_have_complete(space: staithe.Space) -> None:
    for version in (1, 2, 3):
        space.put("T", np.full(4, version), version=version)
    for version in (1, 2):
        space.put("p", np.full(4, version), version=version)
    space.put("p", np.ones(2), offset=0, shape=4, version=3)
    assert space.query("T > 0 and p > 0").version == 2
    assert space.query("T > 0").version == 3
    with pytest.raises(staithe.NotFound, match="version 3 of 'p' is not there, or not complete"):
        space.query("T > 0 and p > 0", version=3)


def test_what_was_noted_of_a_version_is_of_it_alone(space: staithe.Space) -> None:
    space.put("T", np.zeros(4), version=7)
    assert space.query("T > 0").size == 0
    space.remove("T", 7)
    space.put("T", np.ones(4), version=7)
    assert space.query("T > 0").size == 4


def test_large_parts_are_looked_at_in_slabs(space: staithe.Space) -> None:
    field = np.zeros((3, 700, 600), "f4")
    field[1, 650:, 7] = field[2, 0, 0] = 1
    space.put("T", field)
    hits = space.query("T > 0")
    assert hits.size == 51
    np.testing.assert_array_equal(marked(hits, field.shape), field)
    np.testing.assert_array_equal(marked(space.query("T < 1"), field.shape), 1 - field)


def test_most_bounds_the_boxes_and_not_the_count(space: staithe.Space) -> None:
    space.put("T", np.arange(100) % 2)
    hits = space.query("T == 1", most=3)
    assert (len(hits), hits.size) == (3, 50)
    assert [hit.box.offset for hit in hits] == [(1,), (3,), (5,)]
    assert [hit.values.tolist() for hit in hits] == [[1]] * 3
    assert (len(space.query("T == 1", most=0)), space.query("T == 1", most=0).size) == (0, 50)
    with pytest.raises(staithe.InvalidArgument, match="a query cannot give -1 boxes"):
        space.query("T == 1", most=-1)


def test_what_a_condition_cannot_mean_is_said(space: staithe.Space) -> None:
    space.put("T", np.zeros(3))
    space.put("p", np.zeros(4))
    for condition, words in {
        "T >> 3": "expected a number or a text after '>', but found '>' at column 4",
        "T > 'x'": "compares the variable 'T' of f8 with the text 'x'",
        "T > 0 and p > 0": "'T' has the shape .3. and 'p' has .4.: a condition is on variables of one shape",
    }.items():
        with pytest.raises(staithe.InvalidArgument, match=words):
            space.query(condition)
    with pytest.raises(staithe.NotFound, match=r"names no variable of the space: .* it has 'T', 'p'"):
        space.query("rho > 0")
    with pytest.raises(staithe.NotFound, match="'run'"):
        space.query("T > 0 and run == 'a12'")


def test_what_nobody_has_put_does_not_match_even_if_attributes_decide(space: staithe.Space) -> None:
    space.put("T", np.ones(2), offset=1, shape=6, complete=True, run="a")
    for condition in ("T > 0", "T > 0 or run == 'a'"):
        hits = space.query(condition)
        assert (hits.size, hits.boxes) == (2, (staithe.Box(1, 2),))
        assert next(iter(hits)).values.tolist() == [1, 1]
    assert len(space.query("T > 0 or run == 'a'", most=0)) == 0


def test_hits_of_a_version_that_is_gone_say_so_at_once(space: staithe.Space) -> None:
    space.put("T", np.ones(3), version=5)
    hit = next(iter(space.query("T > 0")))
    with pytest.raises(staithe.NotFound, match="version 5 of 'Tt' is not there"):
        hit["Tt"]
    space.remove("T", 5)
    with pytest.raises(staithe.NotFound, match="version 5 of 'T' is not there"):
        _ = hit.values


def test_hits_of_a_version_that_was_put_again_are_not_the_new_ones(space: staithe.Space) -> None:
    space.put("T", [1.0, 2.0])
    (hit,) = space.query("T > 1")
    (listed,) = space.versions("T")
    space.remove("T")
    space.put("T", [8.0, 9.0])
    with pytest.raises(staithe.NotFound, match="version 0 of 'T' was removed, and another one put in its place"):
        _ = hit.values
    (again,) = space.versions("T")
    assert again.number == listed.number
    assert again.completion > listed.completion > 0


def test_the_newest_may_go_while_it_is_asked(space: staithe.Space) -> None:
    space.keep("T", 1)
    space.put("T", np.ones(3))
    done = threading.Event()

    def produce() -> None:
        while not done.is_set():
            space.put("T", np.ones(3))

    producer = threading.Thread(target=produce)
    producer.start()
    try:
        for _ in range(50):
            assert space.query("T > 0").size == 3
    finally:
        done.set()
        producer.join()


def test_holes_match_nothing_whatever_comes_first(space: staithe.Space) -> None:
    space.put("T", np.full(4, 400.0), offset=2, shape=8, complete=True, version=1)
    space.put("rho", np.ones(3), offset=0, shape=8, version=1)
    space.put("rho", np.zeros(5), offset=3, shape=8, version=1)
    for condition in ("T > 300 and rho < 0.5", "rho < 0.5 and T > 300"):
        assert space.query(condition).boxes == (staithe.Box(3, 3),)
