"""Spaces under hard conditions: numbers that are large, and puts that never end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from space_servers import KEEPERS, kept_by, own_run_directory, serving

import staithe


@pytest.fixture
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


@pytest.mark.parametrize("keeper", KEEPERS)
def test_shapes_and_versions_beyond_32_bits(keeper: str) -> None:
    with kept_by(keeper) as opened, opened() as space:
        assert space.put("x", [1, 2, 3], offset=2**33, shape=2**40, version=2**62, complete=True) == 2**62
        assert space.get("x", version=2**62, box=staithe.Box([2**33 + 1], [2])).tolist() == [2, 3]
        assert space.put("x", [[5]], offset=(2**33, 2), shape=(2**34, 3), version=-(2**62), complete=True) == -(2**62)
        assert space.get("x", version=-(2**62), box=staithe.Box([2**33, 2], [1, 1])).tolist() == [[5]]
        assert [version.number for version in space.versions("x")] == [-(2**62), 2**62]
        with pytest.raises(staithe.NotFound, match="nobody has put"):
            space.get("x", version=2**62, box=staithe.Box([0], [1]))


def test_who_never_completes_is_in_nobodys_way(directory: Path, start_python: Callable[..., Any]) -> None:
    text = """
import signal, staithe
space = staithe.space("hard", server="staithe")
space.put("x", [1, 2], offset=0, shape=4, version=0)
print("put", flush=True)
signal.pause()
"""
    with serving(), staithe.space("hard", server="staithe") as space:
        program = start_python(text)
        assert program.stdout.readline() == "put\n"
        with pytest.raises(staithe.Timeout, match="50 % of its elements were put"):
            space.get("x", version=0, timeout=0.1)
        space.put("x", np.arange(4))
        assert space.get("x").tolist() == [0, 1, 2, 3]
        program.kill()
        program.wait(30)
        space.remove("x", 0)
        assert [version.number for version in space.versions("x")] == [1]
