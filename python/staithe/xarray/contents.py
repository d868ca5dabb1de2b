"""What of a space makes a Dataset: which variables, in which version of each, and where their blocks lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..box import Box
from ..errors import InvalidArgument, NotFound, Timeout
from ..labelled.decoding import Labels
from ..names import some
from ..space_results import Version
from ..spaces import Space
from .lazy import Source, StackedSource, VersionSource

DIMENSION = "version"
"""Along which several versions lie."""

Versions: TypeAlias = int | Sequence[int] | Literal["latest", "all"]


@dataclass(frozen=True)
class Content:
    """A variable: what it is called, what is known of it, and its elements."""

    labels: Labels
    source: Source
    dims: tuple[str, ...]
    boxes: Sequence[Box]  # its blocks; of several versions those of the last one
    versions: tuple[int, ...] = ()
    completions: tuple[int, ...] = ()  # what tells these from others that had their numbers


def names_in(names: Collection[str], group: str) -> dict[str, str]:
    """Those in a group, by what they are called there."""
    before = f"{group}/" if group else ""
    called = {name.removeprefix(before): name for name in names if name.startswith(before)}
    return {inner: name for inner, name in called.items() if inner and "/" not in inner}


def groups_of(names: Collection[str]) -> list[str]:
    """The groups that these are in."""
    return [group for group in sorted({name.rpartition("/")[0] for name in names}) if names_in(names, group)]


def contents_of(
    space: Space, group: str, versions: Versions, dropped: Collection[str], timeout: float | None
) -> list[Content]:
    """All variables in a group of a space, but those that are dropped.

    Raises:
        NotFound: there are none, or none of that version.
        Timeout: a version that was named is not complete.
        InvalidArgument: several versions make no array, since they differ.
    """
    names = space.names()
    inner = {called: name for called, name in names_in(names, group).items() if called not in dropped}
    found = list(_chosen(space, inner, versions, timeout))
    named = set() if isinstance(versions, str) else {versions} if isinstance(versions, int) else set(versions)
    if any(named <= set(each.versions) for each in found):  # what labels versions may be of others
        return found
    where = f"space '{space.name}', which is kept by {space.kept_by}"
    if group:
        where = f"group '{group}' of {where}"
    what = "variable" if versions == "latest" or not inner else f"variable of version {versions}"
    others = [each for each in groups_of(names) if each and each != group]
    raise NotFound(f"no {what} is complete in {where}" + (f"; there are the groups {some(others)}" if others else ""))


def _chosen(space: Space, inner: Mapping[str, str], versions: Versions, timeout: float | None) -> Iterator[Content]:
    if isinstance(versions, str) and versions not in ("latest", "all"):
        raise InvalidArgument(f"version={versions!r} cannot be: give a number, several of them, 'latest' or 'all'")
    histories = {called: history for called, name in inner.items() if (history := _history(space, name))}
    numbers: list[int] = []
    if versions == "all":
        numbers = _common(histories)
    elif versions != "latest":
        numbers = [versions] if isinstance(versions, int) else list(versions)
    for called, history in histories.items():
        variable = _Variable(space, called, inner[called])
        labels = Labels(called, history[-1])
        if versions == "latest":
            yield from variable.newest()
        elif not {version.number for version in history}.issuperset(numbers):
            if labels.is_coordinate:  # which need not be put with each version, if it does not change
                yield from variable.newest(max(numbers))
        elif isinstance(versions, int):
            yield variable.version(versions, timeout)
        elif numbers:
            one = labels.dims == (called,)
            yield variable.unchanging(numbers, timeout) if one else variable.stacked(numbers, timeout)


def _history(space: Space, name: str) -> list[Version]:
    with suppress(NotFound):  # it was removed meanwhile
        return space.versions(name)
    return []


def _common(histories: Mapping[str, Sequence[Version]]) -> list[int]:
    """The versions that all variables have complete, but those which label others."""
    complete = [
        {version.number for version in history if version.complete}
        for called, history in histories.items()
        if not Labels(called, history[-1]).is_coordinate
    ]
    return sorted(set.intersection(*complete)) if complete else []


@dataclass(frozen=True)
class _Variable:
    space: Space
    called: str  # in its group
    name: str

    def newest(self, most: int | None = None) -> Iterator[Content]:
        """The newest complete version up to that number, if there is one."""
        while numbers := [
            version.number
            for version in _history(self.space, self.name)
            if version.complete and (most is None or version.number <= most)
        ]:
            with suppress(Timeout, NotFound):  # it went meanwhile: there is a newer one then
                yield self.version(numbers[-1], timeout=0)
                return

    def version(self, number: int, timeout: float | None) -> Content:
        """One version, once it is complete."""
        boxes = self.space.blocks(self.name, version=number, timeout=timeout)
        for version in self.space.versions(self.name):
            if version.number == number:
                labels = Labels(self.called, version)
                source = VersionSource(self.space, self.name, number, version.completion, version.shape, version.dtype)
                return Content(labels, source, labels.dims, boxes, (number,), (version.completion,))
        raise NotFound(f"version {number} of '{self.name}' was removed")

    def stacked(self, numbers: Sequence[int], timeout: float | None) -> Content:
        """Several versions, along a dimension of their own."""
        parts = [self.version(number, timeout) for number in numbers]
        last = parts[-1]
        for part in parts:
            if (part.source.shape, part.source.dtype) != (last.source.shape, last.source.dtype):
                raise InvalidArgument(
                    f"versions of '{self.name}' differ: {part.versions[0]} is {part.source.dtype} of shape "
                    f"{part.source.shape}, {last.versions[0]} {last.source.dtype} of shape {last.source.shape}: open "
                    "one at a time, or name versions that are alike (version=)"
                )
        source = StackedSource([part.source for part in parts])
        completions = tuple(part.completions[0] for part in parts)
        return Content(last.labels, source, (DIMENSION, *last.dims), last.boxes, tuple(numbers), completions)

    def unchanging(self, numbers: Sequence[int], timeout: float | None) -> Content:
        """What labels a dimension, and so must be the same in all versions."""
        first, *others = (self.version(number, timeout) for number in numbers)
        whole = Box([0] * len(first.source.shape), first.source.shape)
        expected = first.source.read(whole)
        for other in others:
            if other.source.shape != whole.count or other.source.read(whole).tobytes() != expected.tobytes():
                raise InvalidArgument(
                    f"the coordinate '{self.name}' of version {other.versions[0]} is not that of {first.versions[0]}: "
                    "open one version at a time"
                )
        return first
