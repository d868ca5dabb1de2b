"""What the values of a workflow file may be: each function returns the value, or None if it is no such."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Collection

import yaml

_BYTES = re.compile(r"\d+(\.\d+)?\s*([kmgt]i?b|b|bytes)?", re.IGNORECASE)
_SECONDS = re.compile(r"(\d+(?:\.\d*)?)\s*([a-z]*)", re.IGNORECASE)
_UNITS_OF_TIME = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
_OVERFLOW = re.compile(r"block|drop-oldest|drop-newest|keep-every-[1-9]\d*|latest|compress|spill")
_ERROR = re.compile(r"exact|\d*\.?\d+([eE][-+]?\d+)?\s*(abs|rel|pw_rel)")
# Unquoted, these mean that the author counts on a shell.
_SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"})
# So does what a shell would replace, where it stands in the file; values that are filled in are what they are.
_EXPANDED = re.compile(r"\$\w+|\$\(|`|(?<!\S)~\S*|\S*\*\S*")
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)

TEXT = "text"
COUNT = "a whole number above 0"
SIZE = "a size: bytes, or such as 256 MiB or 1.5 GB"
OVERFLOW = "block, drop-oldest, drop-newest, keep-every-K (such as keep-every-10), latest, compress or spill"
ERRORS = "by how much values may be off, such as 1e-3 rel, or a table of variables, such as {T: 0.01 abs, mask: exact}"
VARIABLES = "a list of names, or what each variable is, such as {T: 'f4 (nx, ny) [K]', n: ''}"
NAMES = "a program's name or a list of them, such as [msd, stats]"
HOSTS = "a host or a list of them, such as [node1, node2]"
COMMAND = "a command line, or a list of words"
SECONDS = "a time above 0: seconds, or such as 30 s, 5 min, 2 h; or inf, for as long as it takes"
WORDS = "a line of words, or a list of them"
SCALAR = "text, a number, true or false"
PARAMETER = f"a default: {SCALAR}"
ARGUMENT = f"{SCALAR}, or a list of them"


def text(value: object) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value.strip() else None


def count(value: object) -> int | None:
    """A whole number above 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def errors(value: object) -> dict[str, str] | None:
    """One for all variables, or one for each name; as texts, which the core parses."""
    given = value if isinstance(value, dict) else {"*": value}
    texts = {name: error.strip() for name, error in given.items() if isinstance(name, str) and isinstance(error, str)}
    are_errors = all(_ERROR.fullmatch(error) for error in texts.values())
    return texts if are_errors and len(texts) == len(given) else None


def variables(value: object) -> dict[str, str] | None:
    """Names of variables, alone or each with what it is: texts, which are looked at where they are compared."""
    given = value if isinstance(value, dict) else dict.fromkeys(names(value) or (), "")
    said = {name: text or "" for name, text in given.items() if isinstance(name, str) and isinstance(text, str | None)}
    return said if said and len(said) == len(given) else None


def hosts(value: object) -> tuple[str, ...] | None:
    """A name of a host, or a list of them."""
    several = value if isinstance(value, list) else [value]
    names = tuple(name for name in several if isinstance(name, str) and _HOST.fullmatch(name))
    return names if names and len(names) == len(several) else None


def size(value: object) -> str | None:
    """A number of bytes, or a text such as 256 MiB; as text, which the core parses."""
    if isinstance(value, str):
        return value.strip() if _BYTES.fullmatch(value.strip()) else None
    return None if count(value) is None else str(value)


def seconds(value: object) -> float | None:
    """A time in seconds: a number, or a text such as 5 min; inf for as long as it takes."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        time = float(value)
    elif isinstance(value, str) and value.strip().lower() == "inf":
        time = math.inf
    elif isinstance(value, str) and (found := _SECONDS.fullmatch(value.strip())) and found[2].lower() in _UNITS_OF_TIME:
        time = float(found[1]) * _UNITS_OF_TIME[found[2].lower()]
    else:
        return None
    return time if time > 0.0 else None


def overflow(value: object) -> str | None:
    """The name of an overflow policy."""
    return value if isinstance(value, str) and _OVERFLOW.fullmatch(value) else None


def names(value: object) -> tuple[str, ...] | None:
    """A list of names; one name alone stands for a list of one."""
    entries = value if isinstance(value, list) else [value]
    texts = tuple(entry for entry in entries if isinstance(entry, str) and entry)
    return texts if len(texts) == len(entries) else None


def command_words(value: object, fill: Callable[[str], str], parameters: Collection[str]) -> tuple[str, ...] | None:
    """A command line, split as a shell would after `fill` has filled its placeholders; or a list of words.

    Raises ValueError if it cannot be split, needs a shell, or has `$NAME` for the placeholder of a parameter.
    """
    if isinstance(value, list):
        for word in value:
            _refuse_bare(word, parameters)
        scalar = all(isinstance(word, (str, int, float)) for word in value)
        return tuple(fill(str(word)) for word in value) if value and scalar else None
    if not isinstance(value, str) or not value.strip():
        return None
    if found := _EXPANDED.search(_QUOTED.sub("…", value)):
        _refuse_bare(found[0], parameters)
        raise ValueError(
            f"has {found[0]}, but commands run without a shell; "
            "put it in quotes if it stands for itself, else write sh -c '...'"
        )
    filled = fill(value)
    try:
        words = shlex.split(filled)
    except ValueError as error:
        raise ValueError(f"cannot be split into words ({error}); check its quotes: {filled}") from error
    for word in words:
        if word in _SHELL_WORDS:
            raise ValueError(f"has '{word}', but commands run without a shell; write sh -c '...'")
    return tuple(words)


def _refuse_bare(word: object, parameters: Collection[str]) -> None:
    if isinstance(word, str) and word[:1] == "$" and word[1:] in parameters:
        raise ValueError(f"has {word}; did you mean ${{{word[1:]}}}?")


def argument(value: object) -> object:
    """What an analysis may be made with: a scalar, or a list of them."""
    entries = value if isinstance(value, list) else [value]
    return value if all(isinstance(entry, (str, int, float)) for entry in entries) else None


def argument_text(value: object) -> str:
    """An argument as text, for a command line."""
    return yaml.safe_dump(value, default_flow_style=True, width=math.inf).removesuffix("...\n").removesuffix("\n")


def argument_of_text(text: str) -> object:
    """What `argument_text` made a text of; any other text, too, is an argument."""
    try:
        found = argument(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError):
        return text
    return text if found is None else found


def parameter(value: object) -> str | None:
    """A scalar, as the text that stands for it in a command line or in the environment."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
