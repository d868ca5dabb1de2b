"""What is wrong with a workflow file, said so that its author can mend it at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidArgument

KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """One finding: where it is, what was found and what is allowed."""

    path: KeyPath
    message: str
    line: int | None = None

    def text(self, file: Path) -> str:
        """The finding as one line: file, line, key path, message."""
        place = str(file) if self.line is None else f"{file}:{self.line}"
        return ": ".join(part for part in (place, ".".join(self.path), self.message) if part)


class WorkflowError(InvalidArgument):
    """A workflow that cannot be launched; the text has one line for each problem."""

    def __init__(self, file: Path, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.text(file) for problem in self.problems))


def hint(name: str, known: Iterable[str]) -> str:
    """What to write instead of `name`: the closest of the known words, then all of them."""
    words = list(known)
    if not words:
        return ""
    allowed = f"allowed: {', '.join(words)}"
    close = difflib.get_close_matches(name.lower(), words, n=1)
    return f"did you mean '{close[0]}'? ({allowed})" if close else allowed
