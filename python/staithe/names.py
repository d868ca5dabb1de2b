"""Names as they are shown to people: whoever chose a name must not get to write on the reader's terminal."""

from __future__ import annotations

from collections.abc import Sequence


def printable(text: str) -> str:
    """The text, with control characters, line ends and the like escaped."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def some(names: Sequence[str], most: int = 10) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(printable, names[:most])) + more


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
