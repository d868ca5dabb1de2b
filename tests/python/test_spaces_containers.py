"""Containers of spaces: what names have before a slash, and attributes of their own."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space_servers import KEEPERS, OpenSpace, kept_by

import staithe

NAMES = st.lists(st.sampled_from(["a", "b", "ü", "run7"]), min_size=1, max_size=4).map("/".join)
VALUES = st.none() | st.integers(-5, 5) | st.text(max_size=3) | st.lists(st.integers(0, 3), max_size=2)
ATTRIBUTES = st.dictionaries(st.sampled_from(["owner", "path", "self", "T0"]), VALUES, max_size=3)


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


def parents(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:length]) for length in range(1, len(parts))}


@given(
    variables=st.sets(NAMES, max_size=4),
    changes=st.lists(st.tuples(NAMES | st.just(""), ATTRIBUTES), max_size=6),
    pattern=st.sampled_from(["*", "a*", "?", "*/b", "run7/*", "ü"]),
    removed=NAMES | st.just(""),
)
def test_containers_are_those_of_a_model(
    open_space: OpenSpace,
    variables: set[str],
    changes: list[tuple[str, dict[str, staithe.typing.Attribute]]],
    pattern: str,
    removed: str,
) -> None:
    expected: dict[str, dict[str, staithe.typing.Attribute]] = {}
    with open_space() as space:
        for name in variables:
            space.put(name, np.zeros(1))
        for path, attributes in changes:
            space.set_attributes(path, **attributes)
            both = expected.get(path, {}) | attributes
            expected[path] = {key: value for key, value in both.items() if value is not None}
        for path in {*variables, *expected, "", "another"}:
            assert space.attributes(path) == expected.get(path, {})
        given_some = {path for path in expected if expected[path]}
        containers = {parent for path in variables | given_some for parent in parents(path)}
        containers |= given_some - variables - {""}
        assert space.containers(pattern) == sorted(name for name in containers if fnmatch.fnmatchcase(name, pattern))
        assert space.names() == sorted(variables)
        inside = {name for name in variables if name.startswith(f"{removed}/") or not removed}
        assert space.remove_container(removed) == len(inside)
        assert space.names() == sorted(variables - inside)
        for path in {*variables, *expected}:
            goes = path == removed or path.startswith(f"{removed}/") or not removed
            assert space.attributes(path) == ({} if goes else expected.get(path, {}))


def test_what_somebody_holds_of_a_container_stays(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("run7/T", np.arange(3))
        held = space.get("run7/T")
        assert space.remove_container("run7") == 1
        np.testing.assert_array_equal(held, [0, 1, 2])
        with pytest.raises(staithe.NotFound, match="run7/T"):
            space.versions("run7/T")
        assert space.put("run7/T", np.zeros(3)) == 0


def test_memory_of_what_is_removed_goes_back() -> None:
    with staithe.space("gives-back", server="") as space:
        before = staithe.usage().memory
        for name in ("run7/T", "run7/p", "x"):
            space.put(name, np.ones(1 << 20))
        assert staithe.usage().memory >= before + (24 << 20)
        space.remove("x")
        assert staithe.usage().memory < before + (18 << 20)
        space.remove_container("run7")
        assert staithe.usage().memory < before + (2 << 20)


def test_attributes_stay_as_long_as_the_space(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("run7/T", np.zeros(3), unit="K")
        space.set_attributes("run7", owner="kb")
        space.set_attributes("run7/T", long_name="temperature")
        space.remove("run7/T")
        assert space.attributes("run7/T") == {"long_name": "temperature"}
        assert space.containers() == ["run7", "run7/T"]


@pytest.mark.parametrize("path", ["a\0b", "x" * 4097], ids=["NUL", "long"])
def test_a_path_that_cannot_be_is_refused(open_space: OpenSpace, path: str) -> None:
    with open_space() as space:
        with pytest.raises(staithe.InvalidArgument, match="a container's name is a text of 0 to 4096 bytes"):
            space.set_attributes(path, owner="kb")
        with pytest.raises(staithe.InvalidArgument, match="a container's name"):
            space.attributes(path)
        with pytest.raises(staithe.InvalidArgument, match="a container's name"):
            space.remove_container(path)


def test_a_value_that_no_attribute_can_have_is_refused(open_space: OpenSpace) -> None:
    with open_space() as space:
        with pytest.raises(staithe.InvalidArgument, match="owner"):
            space.set_attributes("run7", owner=object())  # type: ignore[arg-type]
        assert space.attributes("run7") == {}
