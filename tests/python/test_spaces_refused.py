"""What spaces refuse, whoever keeps them: each time with a message that says what is wrong, and nothing has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from space_servers import KEEPERS, OpenSpace, kept_by

import staithe
from staithe import Box


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@pytest.fixture
def space(open_space: OpenSpace) -> Iterator[staithe.Space]:
    """One with "whole", which is complete, and the half of "part"."""
    with open_space() as space:
        space.put("whole", np.arange(4.0))
        space.put("part", [1.0, 2.0], offset=0, shape=4, version=7)
        yield space
        assert space.names() == ["part", "whole"]
        assert [version.blocks for version in space.versions("part")] == [1]


NO_TEXT_OF_A_NAME = "a variable's name is a text of 1 to 4096 bytes: "
CALLS: dict[str, Callable[[staithe.Space, str], Any]] = {
    "put": lambda space, name: space.put(name, 1),
    "get": lambda space, name: space.get(name, timeout=0),
    "versions": lambda space, name: space.versions(name),
    "remove": lambda space, name: space.remove(name),
    "keep": lambda space, name: space.keep(name, 1),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("name", "shown"), [("", "''"), ("a\0b", r"'a\x00b'"), ("x" * 10_000, f"'{'x' * 40}'…"), ("é" * 2049, "'éé")]
)
def test_names_that_cannot_be(space: staithe.Space, call: str, name: str, shown: str) -> None:
    with pytest.raises(staithe.InvalidArgument) as raised:
        CALLS[call](space, name)
    assert str(raised.value).startswith(NO_TEXT_OF_A_NAME + shown)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("call", CALLS)
def test_names_with_halves_of_characters(space: staithe.Space, call: str) -> None:
    with pytest.raises(TypeError, match=r"must be text that UTF-8 can hold, not 'T\\udc80'"):
        CALLS[call](space, "T\udc80")


@pytest.mark.parametrize("version", [2**63, -(2**63) - 1])
def test_version_numbers_of_more_than_64_bits(space: staithe.Space, version: int) -> None:
    said = f"version must be a number that 64 bits can hold, not {version}"
    with pytest.raises(TypeError, match=said):
        space.put("x", 1, version=version)
    with pytest.raises(TypeError, match=said):
        space.get("whole", version=version)
    with pytest.raises(TypeError, match=said):
        space.remove("whole", version)


def test_versions_that_are_no_numbers(space: staithe.Space) -> None:
    bad: Any = 1.5
    with pytest.raises(TypeError, match=r"put\(\): version must be int or None, not float: 1.5"):
        space.put("x", 1, version=bad)
    with pytest.raises(TypeError, match=r"get\(\): version must be int or 'latest', not float: 1.5"):
        space.get("whole", version=bad)
    bad = "newest"
    with pytest.raises(staithe.InvalidArgument, match="version='newest' cannot be: give a number, or 'latest'"):
        space.get("whole", version=bad)


def test_no_number_follows_the_last(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", 1, version=2**63 - 1)
        with pytest.raises(staithe.InvalidArgument, match="'x' has version 9223372036854775807, after which"):
            space.put("x", 1)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([object()]), "variable 'x' cannot have dtype object: convert it to a numeric dtype first"),
        (np.array(["text"]), "variable 'x' cannot have dtype <U4: text goes into attributes"),
        (np.zeros(2, "i4,f4"), "put each field as a variable of its own"),
        (np.zeros(2, "M8[s]"), "cannot have dtype datetime64"),
        (np.zeros((1,) * 9), "variable 'x' has 9 dimensions: there can be 8"),
        (
            np.ma.array([1, 2], mask=[False, True]),
            r"'x': 1 of its 2 elements are masked, .*: put array.filled\(VALUE\), or",
        ),
        ([1.0, np.ma.masked], r"'x': 1 of its 2 elements are masked"),
    ],
)
def test_arrays_that_cannot_be_put(space: staithe.Space, array: Any, said: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=said):
        space.put("x", array)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"offset": 1}, "'x': an offset needs the shape of the whole variable beside it"),
        ({"offset": 1, "shape": 2}, r"the block \[1:3\] of 'x' does not lie in its shape \(2\)"),
        ({"offset": -1, "shape": 4}, r"the block \[-1:1\] of 'x' does not lie in its shape \(4\)"),
        ({"offset": 2**63 - 1, "shape": 4}, r"of 'x' does not lie in its shape \(4\)"),
        ({"offset": 0, "shape": -4}, r"the block \[0:2\] of 'x' does not lie in its shape \(-4\)"),
        ({"offset": (0, 0), "shape": (2, 2)}, r"a block of shape \(2\) at .*: the numbers of dimensions differ"),
        ({"offset": 0, "shape": (2, 2)}, "the numbers of dimensions differ"),
        ({"shape": 2**63}, "shape has a number that 64 bits cannot hold"),
    ],
)
def test_blocks_that_lie_nowhere(space: staithe.Space, place: dict[str, Any], said: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=said):
        space.put("x", [1, 2], **place)


def test_more_elements_than_can_be_counted(space: staithe.Space) -> None:
    with pytest.raises(staithe.InvalidArgument, match="has more elements than can be counted"):
        space.put("x", [[1]], offset=(0, 0), shape=(2**40, 2**40))


@pytest.mark.parametrize(
    ("block", "shape", "said"),
    [
        (np.zeros(2, "f4"), 4, r"version 7 of 'part' has f8 of shape \(4\), and this block is of f4 and shape \(4\)"),
        (np.zeros(2), 5, r"version 7 of 'part' has f8 of shape \(4\), and this block is of f8 and shape \(5\)"),
        (np.zeros((2, 1)), (4, 1), r"this block is of f8 and shape \(4, 1\): all blocks of a version belong to one"),
    ],
)
def test_blocks_of_another_array(space: staithe.Space, block: Any, shape: Any, said: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=said):
        space.put("part", block, shape=shape, version=7)


def test_blocks_in_another_unit(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("T", [290.0], offset=0, shape=3, version=0)
        space.put("T", [291.0], offset=1, shape=3, version=0, unit="K")
        with pytest.raises(staithe.InvalidArgument, match="version 0 of 'T' is in K, and this block in degC: convert"):
            space.put("T", [19.0], offset=2, shape=3, version=0, unit="degC")
        space.put("T", [292.0], offset=2, shape=3, version=0, unit="K")
        assert space.versions("T")[0].unit == "K"


@pytest.mark.parametrize("overlap", [None, True, False])
def test_what_is_complete_does_not_change(space: staithe.Space, overlap: bool | None) -> None:
    said = "version 0 of 'whole' is complete, and does not change any more: put another version"
    with pytest.raises(staithe.AlreadyExists, match=said):
        space.put("whole", np.zeros(4), version=0, overlap=overlap)
    space.put("whole", np.zeros(0), offset=4, shape=4, version=0, overlap=overlap)  # of a rank that has nothing
    np.testing.assert_array_equal(space.get("whole"), np.arange(4.0))


def test_blocks_may_not_overlap_where_that_is_said(space: staithe.Space) -> None:
    with pytest.raises(staithe.AlreadyExists, match=r"puts \[1:3\], of which .* has put \[0:2\] already"):
        space.put("part", [1.0, 2.0], offset=1, shape=4, version=7, overlap=False)


@pytest.mark.parametrize(
    ("box", "said"),
    [
        (Box([3], [2]), r"\[3:5\] does not lie in version 0 of 'whole', whose shape is \(4\)"),
        (Box([0, 0], [1, 1]), r"does not lie in version 0 of 'whole', whose shape is \(4\)"),
        (Box([], []), r"does not lie in version 0 of 'whole', whose shape is \(4\)"),
        ((0, 2), r"box=\(0, 2\) is no staithe.Box\(offset, count\)"),
    ],
)
def test_boxes_that_are_not_there(space: staithe.Space, box: Any, said: str) -> None:
    for version in (0, "latest"):
        with pytest.raises(staithe.InvalidArgument, match=said):
            space.get("whole", version=version, box=box)


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("part", "latest", "version 7 of 'part' is not complete: 50 % of its elements were put"),
        ("part", 7, "version 7 of 'part' is not complete: 50 % of its elements were put"),
        ("part", 8, "'part' has no version 8; it has 1, from 7 to 7"),
        ("Part", "latest", "has no variable 'Part'; it has 'part'"),
    ],
)
@pytest.mark.parametrize("timeout", [0, 0.02])
def test_who_waits_in_vain_is_told_what_there_is(
    space: staithe.Space, name: str, version: Any, said: str, timeout: float
) -> None:
    with pytest.raises(staithe.Timeout, match=f"waited {timeout:g} s: .*{said}"):
        space.get(name, version=version, timeout=timeout)


def test_a_space_has_a_timeout_of_its_own(open_space: OpenSpace) -> None:
    with open_space(timeout=0.5) as space, pytest.raises(staithe.Timeout, match=r"0\.5 s: .*nothing was put yet"):
        space.get("x")


def test_what_is_there_needs_no_time(space: staithe.Space) -> None:
    assert space.get("whole", timeout=0).tolist() == [0, 1, 2, 3]
    with pytest.raises(staithe.InvalidArgument, match=r"\[3:5\] does not lie in version 0"):
        space.get("whole", box=Box([3], [2]), timeout=0)


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_timeouts_that_cannot_be(space: staithe.Space, timeout: float) -> None:
    with pytest.raises(staithe.InvalidArgument, match=r"a timeout of .* s cannot be: give seconds from 0 up"):
        space.get("whole", timeout=timeout)


def test_what_nobody_has_is_not_found(space: staithe.Space) -> None:
    for call in ("versions", "remove"):
        with pytest.raises(staithe.NotFound, match="has no variable 'hole'; it has 'whole', 'part'"):
            CALLS[call](space, "hole")
    with pytest.raises(staithe.NotFound, match="'whole' has no version 3; it has 1, from 0 to 0"):
        space.remove("whole", 3)


@pytest.mark.parametrize("versions", [0, -1])
def test_less_than_one_version_cannot_be_kept(space: staithe.Space, versions: int) -> None:
    with pytest.raises(staithe.InvalidArgument, match=f"'whole' is to keep {versions} versions: .* keep 1 or more"):
        space.keep("whole", versions)


def test_holes_are_not_made_up(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", [1, 2], offset=1, shape=4, complete=True)
        with pytest.raises(staithe.NotFound, match=r"complete, but nobody has put 2 of the 4 elements of \[0:4\]"):
            space.get("x")
        assert space.get("x", box=Box([1], [2])).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["", "a/b", "..", ".x", "a\0", "x" * 129, "é"])
def test_spaces_cannot_be_called_anything(open_space: OpenSpace, name: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="is no space name: use 1 to 128 letters, digits"):
        open_space(name) if name else staithe.space("", server="")


@pytest.mark.parametrize("group", [(3, 3), (-1, 2), (0, 0), 3])
def test_groups_that_cannot_be(open_space: OpenSpace, group: Any) -> None:
    with pytest.raises(staithe.InvalidArgument, match="a group"):
        open_space(group=group)


def test_a_space_that_is_closed(open_space: OpenSpace) -> None:
    space = open_space()
    space.close()
    space.close()
    for call in CALLS.values():
        with pytest.raises(staithe.Closed, match=f"space '{space.name}' is closed: open it again"):
            call(space, "x")
    with pytest.raises(staithe.Closed):
        space.names()
    with pytest.raises(staithe.Closed):
        _ = space.kept_by


@pytest.mark.parametrize("wrong", [{"name": None}, {"name": 3}, {"server": 3}, {"timeout": "1"}])
def test_spaces_are_opened_by_names_and_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=rf"space\(\): {next(iter(wrong))} must be"):
        staithe.space(**{"name": "campaign"} | wrong)


@pytest.mark.parametrize(("slip", "meant"), [("verison", "version"), ("units", "unit"), ("shapes", "shape")])
def test_slips_do_not_become_attributes(space: staithe.Space, slip: str, meant: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=f"put\\(\\) has no argument {slip}: did you mean {meant}"):
        space.put("new", [1], **{slip: 1})
    with pytest.raises(staithe.InvalidArgument, match="'new' would be None"):
        space.put("new", None)
    with pytest.raises((TypeError, staithe.InvalidArgument)):
        space.get("whole", version=np.array([3, 4]))  # type: ignore[arg-type]


def test_ranks_name_the_version_that_they_put_together(open_space: OpenSpace) -> None:
    with open_space(group=(0, 2)) as space, pytest.raises(staithe.InvalidArgument, match=r"to name it \(version=\)"):
        space.put("x", [1], offset=0, shape=2)


@pytest.mark.parametrize("key", ["attrs", "dtype", "fill", "group", "placement", "timeout"])
def test_arguments_of_other_calls_are_no_attributes(key: str) -> None:
    with staithe.space("s", server="") as space:
        attributes: dict[str, Any] = {key: 1}
        with pytest.raises(staithe.InvalidArgument, match=rf"put\(\) has no argument {key}, and no attribute"):
            space.put("x", [1.0], **attributes)
        assert space.names() == []


def test_limits_hold_from_the_first_space_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_LIMITS", '{"memory": "1 MB"}')
    with (
        staithe.space("s", server="", timeout=0) as space,
        pytest.raises(staithe.LimitReached, match="of the 1 MB"),
    ):
        space.put("x", np.zeros(1_000_000))
    monkeypatch.setenv("STAITHE_LIMITS", "{bad")
    with pytest.raises(staithe.InvalidArgument, match="STAITHE_LIMITS is not a JSON map"):
        staithe.space("s", server="")
    monkeypatch.undo()
    staithe.limits()
