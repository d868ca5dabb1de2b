"""`${NAME}` placeholders: declared with defaults under `parameters:`, set from the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import yaml

from .problems import Problem, WorkflowError, hint

_PLACEHOLDER = re.compile(r"\$(\$?)\{([^}]*)\}")


class UnknownParameterError(ValueError):
    """A placeholder that names no declared parameter."""


class Parameters:
    """The values of a workflow's parameters, as text, and how they go into its scalars."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    @property
    def names(self) -> Collection[str]:
        """The parameters' names."""
        return self._values.keys()

    def fill(self, scalar: object) -> object:
        """A scalar, or a list of them, with its placeholders replaced.

        A scalar that is one placeholder and nothing else takes the parameter's YAML value, so that
        `ranks: ${RANKS}` gives a number. `$${NAME}` stays as a literal `${NAME}`.
        """
        if isinstance(scalar, list):
            return [self.fill(entry) for entry in scalar]
        if not isinstance(scalar, str):
            return scalar
        whole = _PLACEHOLDER.fullmatch(scalar)
        if whole is not None and not whole[1]:
            text = self._value(whole[2])
            try:
                value: object = yaml.safe_load(text)
            except yaml.YAMLError:
                return text
            return value if isinstance(value, (bool, int, float)) else text
        return self.fill_text(scalar)

    def fill_text(self, text: str) -> str:
        """`text` with every placeholder replaced by its parameter's text."""
        return _PLACEHOLDER.sub(lambda found: found[0][1:] if found[1] else self._value(found[2]), text)

    def _value(self, name: str) -> str:
        if name not in self._values:
            known = hint(name, self._values) or "it declares none under 'parameters'"
            raise UnknownParameterError(f"'${{{name}}}' is no parameter of this workflow; {known}")
        return self._values[name]


def parse_settings(file: Path, declared: Iterable[str], settings: Iterable[str]) -> dict[str, str]:
    """The NAME=VALUE pairs of the command line; raises WorkflowError for one that sets nothing declared."""
    known = list(declared)
    values: dict[str, str] = {}
    problems = []
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            problems.append(Problem(("--set",), f"'{setting}' is not NAME=VALUE"))
        elif name not in known:
            allowed = hint(name, known) or "it declares none under 'parameters'"
            problems.append(Problem(("--set",), f"'{name}' is no parameter of this workflow; {allowed}"))
        values[name] = value
    if problems:
        raise WorkflowError(file, problems)
    return values
