"""A YAML file as plain values, with the line of every key.

PyYAML silently lets the last of two equal keys win; here a repeated program or stream is a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from .problems import KeyPath, Problem, WorkflowError


@dataclass(frozen=True)
class Document:
    """The values of a YAML file, and on which line each key path stands."""

    file: Path
    values: object
    lines: Mapping[KeyPath, int]

    def problem(self, path: KeyPath, message: str) -> Problem:
        """A problem at a key; on the line of the nearest key above it where the key itself is missing."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return Problem(path, message, self.lines[path[:length]])
        return Problem(path, message)


def read_document(file: Path) -> Document:
    """Reads one YAML document; raises WorkflowError if the file or its YAML cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot be read ({error.strerror}); give the path of a workflow file"
        raise WorkflowError(file, [Problem((), message)]) from error
    except UnicodeDecodeError as error:
        raise WorkflowError(file, [Problem((), "is not UTF-8 text; a workflow file is YAML")]) from error
    try:
        return _parse(file, text)
    except WorkflowError:
        raise
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none, a number too long
        raise WorkflowError(file, [_syntax_problem(error)]) from error
    except RecursionError as error:
        raise WorkflowError(file, [Problem((), "is nested too deeply; a workflow file nests three deep")]) from error


def _parse(file: Path, text: str) -> Document:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines: dict[KeyPath, int] = {}
        repeated: list[Problem] = []
        if node is not None:
            _note_lines(node, (), lines, repeated)
        if repeated:
            raise WorkflowError(file, repeated)
        return Document(file, None if node is None else loader.construct_document(node), lines)
    finally:
        loader.dispose()


def _note_lines(node: yaml.Node, path: KeyPath, lines: dict[KeyPath, int], repeated: list[Problem]) -> None:
    # Keys nest three deep in a valid workflow: stopping at eight also ends the walk of an alias to itself.
    if not isinstance(node, yaml.MappingNode) or len(path) > 8:
        return
    for key, value in node.value:
        here = (*path, str(key.value))
        line = key.start_mark.line + 1
        if here in lines and key.value != "<<":
            message = f"is given twice, first on line {lines[here]}; keep one of them"
            repeated.append(Problem(here, message, line))
            continue
        lines.setdefault(here, line)
        _note_lines(value, here, lines, repeated)


def _syntax_problem(error: yaml.YAMLError | ValueError) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        what = " ".join(part for part in (error.context, error.problem) if part)
        column = error.problem_mark.column + 1
        return Problem((), f"is not valid YAML here, column {column}: {what}", error.problem_mark.line + 1)
    return Problem((), f"is not valid YAML: {error}")
