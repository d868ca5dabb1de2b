"""Reads include/staithe/staithe.h: what it defines and declares, for those who make other languages' interfaces of it.

No C compiler: the header is written in one way throughout, and whatever else is found in it is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "staithe" / "staithe.h"


@dataclass(frozen=True)
class Declarator:
    """A parameter or field: `const int64_t* count` is ("int64_t", 1, True, "count", ""), `const char* const* names`
    ("char", 2, True, "names", "")."""

    type: str
    pointers: int
    constant: bool
    name: str
    length: str = ""


@dataclass(frozen=True)
class Function:
    """A function, with what it returns as a Declarator without a name."""

    name: str
    result: Declarator
    parameters: tuple[Declarator, ...]


@dataclass(frozen=True)
class Header:
    """Everything that the header says, in its order."""

    numbers: dict[str, int]  # the constants
    aliases: dict[str, str]  # typedefs of numbers
    handles: tuple[str, ...]  # structures that are not defined
    structures: dict[str, tuple[Declarator, ...]]
    functions: tuple[Function, ...]


_PATTERNS = {
    "number": re.compile(r"#define (STAITHE_\w+) \(?(-?\d+)\)?"),
    "preprocessor": re.compile(r"#\w+.*"),
    "linkage": re.compile(r'extern "C" \{|\}'),
    "enum": re.compile(r"enum \{(.*?)\};", re.DOTALL),
    "alias": re.compile(r"typedef (\w+) (staithe_\w+);"),
    "handle": re.compile(r"typedef struct (staithe_\w+) \1;"),
    "structure": re.compile(r"typedef struct (staithe_\w+) \{(.*?)\} \1;", re.DOTALL),
    "function": re.compile(r"STAITHE_API ([\w ]+?\**) ?(staithe_\w+)\((.*?)\);", re.DOTALL),
}
_DECLARATOR = re.compile(r"(const )?(\w+)((?:\*(?: ?const\b)?)*) ?(\w+)?(?:\[(\w+)\])?")


def read_header(text: str | None = None) -> Header:
    """Parses the header, or a text like it."""
    rest = re.sub(r"//.*", "", HEADER.read_text() if text is None else text)
    numbers: dict[str, int] = {}
    aliases: dict[str, str] = {}
    handles: list[str] = []
    structures: dict[str, tuple[Declarator, ...]] = {}
    functions: list[Function] = []
    while rest := rest.lstrip():
        kind, match = _next_item(rest)
        rest = rest[match.end() :]
        match kind:
            case "number":
                numbers[match[1]] = int(match[2])
            case "enum":
                for name, value in (item.split("=") for item in match[1].split(",")):
                    numbers[name.strip()] = int(value)
            case "alias":
                aliases[match[2]] = match[1]
            case "handle":
                handles.append(match[1])
            case "structure":
                structures[match[1]] = tuple(map(_declarator, match[2].strip().rstrip(";").split(";")))
            case "function":
                parameters = () if match[3] == "void" else tuple(map(_declarator, match[3].split(",")))
                functions.append(Function(match[2], _declarator(match[1]), parameters))
    return Header(numbers, aliases, tuple(handles), structures, tuple(functions))


def _next_item(text: str) -> tuple[str, re.Match[str]]:
    for kind, pattern in _PATTERNS.items():
        if match := pattern.match(text):
            return kind, match
    raise ValueError(f"tools/c_header.py does not understand: {text.partition(chr(10))[0]}")


def _declarator(text: str) -> Declarator:
    match = _DECLARATOR.fullmatch(" ".join(text.split()))
    if match is None:
        raise ValueError(f"tools/c_header.py does not understand: {text.strip()}")
    constant, type_, pointers, name, length = match.groups(default="")
    return Declarator(type_, pointers.count("*"), bool(constant), name, length)
