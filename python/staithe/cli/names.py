"""Which streams a command is about, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..workflow import stats
from ..workflow.problems import hint
from .faults import CommandError


def is_pattern(name: str) -> bool:
    """Whether it may mean several streams: a stream's name has none of these characters."""
    return any(character in name for character in "*?[")


def chosen(descriptions: Iterable[stats.Description], patterns: Sequence[str]) -> list[stats.Description]:
    """The streams that one of the patterns fits, as in a shell; all of them if there are no patterns."""
    return [
        one for one in descriptions if not patterns or any(fnmatchcase(one["name"], pattern) for pattern in patterns)
    ]


def none_of(
    patterns: Sequence[str], live: Iterable[dict[str, Any] | stats.Description], address: str | None = None
) -> CommandError:
    """What to say where no live stream has that name."""
    names = [str(stream["name"]) for stream in live]
    known = hint(patterns[0], names) if names else f"there are none in {stats.where(address)}"
    wanted = " or ".join(f"'{pattern}'" for pattern in patterns)
    return CommandError(f"no live stream {wanted}; {known}")
