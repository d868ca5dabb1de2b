"""One mapping of a workflow file, read key by key; what is wrong is collected, not raised."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from copy import copy
from typing import TypeVar

from .document import Document
from .parameters import Parameters
from .problems import KeyPath, Problem, hint
from .values import command_words, parameter

# The same rule as for stream names in the core, where the name is part of a file name.
_NAME = re.compile(r"[A-Za-z0-9._-]+")

_T = TypeVar("_T")


class Section:
    """A mapping at `path` of the document.

    Every getter returns None for an absent key and for a wrong value; the latter is added to `problems`.
    `sound` turns false with the first problem of this mapping.
    """

    def __init__(
        self,
        document: Document,
        problems: list[Problem],
        path: KeyPath,
        values: object,
        keys: Collection[str] | None = None,
        parameters: Parameters | None = None,
    ) -> None:
        """`keys` are those that may stand here; None where the author chooses the names."""
        self.path = path
        self.sound = True
        self._document = document
        self._parameters = parameters or Parameters({})
        self._problems = problems
        self._values: dict[str, object] = {}
        if not isinstance(values, dict):
            allowed = f" with keys {', '.join(keys)}" if keys else ""
            self.complain((), f"is {found(values)}, but must be a mapping{allowed}")
            return
        for key, value in values.items():
            if not isinstance(key, str):
                self.complain((str(key),), f"the key is {found(key)}, but must be text; put it in quotes")
            elif keys is not None and key not in keys:
                self.complain((key,), f"is no key here; {hint(key, keys)}")
            elif keys is None and not _NAME.fullmatch(key):
                self.complain((key,), "is no name; use letters, digits, '.', '_' and '-'")
            else:
                self._values[key] = value

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def complain(self, path: KeyPath, message: str) -> None:
        """Adds a problem at a key of this section; the empty path is the section itself."""
        self.sound = False
        self._problems.append(self._document.problem((*self.path, *path), message))

    def with_parameters(self, parameters: Parameters) -> Section:
        """The same mapping, read with these values for its placeholders."""
        section = copy(self)
        section._parameters = parameters
        return section

    def section(self, key: str, keys: Collection[str] | None = None) -> Section:
        """The mapping under `key`; an empty one where the key is absent."""
        values = self._values.get(key, {})
        return Section(self._document, self._problems, (*self.path, key), values, keys, self._parameters)

    def is_mapping(self, key: str) -> bool:
        """Whether there is a mapping under the key."""
        return isinstance(self._values.get(key), dict)

    def value(self, key: str, accept: Callable[[object], _T | None], wanted: str) -> _T | None:
        """What `accept` makes of the value with its placeholders filled; `wanted` says what it accepts."""
        return self.raw(key, lambda value: accept(self._parameters.fill(value)), wanted)

    def text(self, key: str, wanted: str) -> str | None:
        """A scalar as text, with its placeholders filled."""

        def filled(value: object) -> str | None:
            text = parameter(value)
            return None if text is None else self._parameters.fill_text(text)

        return self.raw(key, filled, wanted)

    def words(self, key: str, wanted: str) -> tuple[str, ...] | None:
        """A command line: a text that is split after its placeholders are filled, or a list that is not split."""
        parameters = self._parameters
        return self.raw(key, lambda value: command_words(value, parameters.fill_text, parameters.names), wanted)

    def raw(self, key: str, accept: Callable[[object], _T | None], wanted: str) -> _T | None:
        """What `accept` makes of the value as it stands in the file. It may raise ValueError to say more."""
        if key not in self._values:
            return None
        value = self._values[key]
        try:
            accepted = accept(value)
        except ValueError as error:
            self.complain((key,), str(error))
            return None
        if accepted is None:
            self.complain((key,), f"is {found(value)}, but must be {wanted}")
        return accepted


def found(value: object) -> str:
    """A value of a workflow file in a message: short ones as they are, the others by their kind."""
    kinds = {dict: "a mapping", list: "a list", type(None): "empty"}
    return kinds.get(type(value), repr(value))
