"""Analyses: code that runs on complete steps, wherever it is placed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ._core import Step
from .group import Group


class Analysis(ABC):
    """Code that runs on complete steps: as a program of its own, or in the simulation's thread.

    Derive from it, and override `step`; the others as needed. The calls come from one thread, in order: `start`,
    `step` for every step, `finish`.

    The same class runs as a reader program by ``staithe analyse FILE.py STREAM`` or `staithe.analyse`, and inline when
    it is given to `staithe.writer` or named by a workflow. For a function of variables, see `staithe.analysis`.
    """

    def start(self, group: Group, attrs: Mapping[str, Any]) -> None:  # noqa: B027, may be left out
        """Called once, before the first step.

        Args:
            group: this rank, and how many ranks analyse together.
            attrs: the attributes of the stream.
        """

    @abstractmethod
    def step(self, step: Step) -> None:
        """Called with every step. The step is released when this returns; arrays of it stay valid and pin it."""

    def finish(self) -> None:  # noqa: B027
        """Called once, after the last step."""
