"""What the values of a workflow file may be: each function returns the value, or None if it is no such."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

_BYTES = re.compile(r"\d+(\.\d+)?\s*([kmgt]i?b|b|bytes)?", re.IGNORECASE)
_OVERFLOW = re.compile(r"block|drop-oldest|drop-newest|keep-every-[1-9]\d*|latest|spill")
# Unquoted, these mean that the author counts on a shell.
_SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"})

TEXT = "text"
COUNT = "a whole number above 0"
SIZE = "a size: bytes, or such as 256 MiB or 1.5 GB"
OVERFLOW = "block, drop-oldest, drop-newest, keep-every-K (such as keep-every-10), latest or spill"
NAMES = "a program's name or a list of them, such as [msd, stats]"
COMMAND = "a command line, or a list of words"
PARAMETER = "a default: text, a number, true or false"


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value.strip() else None


def count(value: object) -> int | None:
    """A whole number above 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def size(value: object) -> str | None:
    """A number of bytes, or a text such as 256 MiB; as text, which the core parses."""
    if isinstance(value, str):
        return value.strip() if _BYTES.fullmatch(value.strip()) else None
    return None if count(value) is None else str(value)


def overflow(value: object) -> str | None:
    """The name of an overflow policy."""
    return value if isinstance(value, str) and _OVERFLOW.fullmatch(value) else None


def names(value: object) -> tuple[str, ...] | None:
    """A list of names; one name alone stands for a list of one."""
    entries = value if isinstance(value, list) else [value]
    texts = tuple(entry for entry in entries if isinstance(entry, str) and entry)
    return texts if len(texts) == len(entries) else None


def command_words(value: object, fill: Callable[[str], str]) -> tuple[str, ...] | None:
    """A command line, split as a shell would after `fill` has filled its placeholders; or a list of words.

    Raises ValueError if it cannot be split, or needs a shell.
    """
    if isinstance(value, list):
        scalar = all(isinstance(word, (str, int, float)) for word in value)
        return tuple(fill(str(word)) for word in value) if value and scalar else None
    if not isinstance(value, str) or not value.strip():
        return None
    filled = fill(value)
    try:
        words = shlex.split(filled)
    except ValueError as error:
        raise ValueError(f"cannot be split into words ({error}); check its quotes: {filled}") from error
    for word in words:
        if word in _SHELL_WORDS:
            raise ValueError(f"has '{word}', but commands run without a shell; write sh -c '...'")
    return tuple(words)


def parameter(value: object) -> str | None:
    """A scalar, as the text that stands for it in a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
