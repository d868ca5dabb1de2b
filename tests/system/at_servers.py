"""Streams at placement `servers` as tests write and read them: what a step has is known from its number."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import numpy as np

import staithe

SHAPE = (12, 7)


def values(step: int, seed: int = 0) -> Any:
    """What a writer is to have written."""
    return np.random.default_rng([seed, step]).random(SHAPE)


def write(stream: str, steps: int, seed: int = 0, **options: Any) -> None:
    """Writes a stream to its end."""
    with staithe.writer(stream, placement="servers", timeout=20, **options) as out:
        for _ in range(steps):
            with out.step() as step:
                step.put("x", values(step.index, seed))


def read(stream: str, seed: int = 0, **options: Any) -> list[int]:
    """The numbers of the steps that a reader gets, each of which is whole."""
    numbers = []
    with staithe.reader(stream, timeout=20, **options) as steps:
        for step in steps:
            assert np.array_equal(step["x"][...], values(step.index, seed))
            numbers.append(step.index)
    return numbers


def program(text: str, *arguments: Any) -> subprocess.Popen[str]:
    """A process that runs the text; `values` is there."""
    head = f"""
        import os, signal, sys
        import numpy as np
        import staithe
        SHAPE = {SHAPE}
        def values(step, seed=0):
            return np.random.default_rng([seed, step]).random(SHAPE)
    """
    source = textwrap.dedent(head) + textwrap.dedent(text)
    words = [sys.executable, "-c", source, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(writer: subprocess.Popen[str]) -> None:
    """Waits for its good end."""
    _, errors = writer.communicate(timeout=20)
    assert writer.returncode == 0, errors


def shell(*words: str) -> str:
    """What a command of Staithe prints."""
    command = [sys.executable, "-m", "staithe.cli", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout
