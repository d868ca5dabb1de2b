"""What the tools know about C and C++ sources: which files there are and what each includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("include", "src", "plugins", "python/bindings", "tests", "examples", "benchmarks")
SUFFIXES = (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class Include:
    """One `#include` line."""

    line: int
    target: str
    quoted: bool


def sources(root: Path) -> Iterator[Path]:
    """All C and C++ files of the project, in a fixed order."""
    for folder in FOLDERS:
        found = (path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
        yield from sorted(path for path in found if "build" not in path.relative_to(root).parts)


def includes(text: str) -> list[Include]:
    """The includes of a file, in their order."""
    return [
        Include(text.count("\n", 0, match.start(2)) + 1, match[2], match[1] == '"') for match in _INCLUDE.finditer(text)
    ]


def resolve(root: Path, including: Path, include: Include) -> Path | None:
    """The project's own file that an include means, or None for a file of someone else."""
    beside = [including.parent] if include.quoted else []
    for folder in (*beside, root / "include", root / "src", root / "tests"):
        if (folder / include.target).is_file():
            return (folder / include.target).resolve()
    return None
