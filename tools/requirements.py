#!/usr/bin/env python3
"""Prints what a profile of scripts/setup installs with pip, as pyproject.toml names it, one requirement a line."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# The build's own requirements are always among them: the package is built in the same environment.
EXTRAS_OF_PROFILE = {
    "run": ["mpi", "demo"],
    "test": ["mpi", "demo", "test"],
    "wheel": ["mpi", "demo", "test", "wheel"],
    "docs": ["docs"],
    "dev": ["mpi", "demo", "wheel", "dev"],
}


def requirements(project: dict[str, Any], profile: str) -> list[str]:
    """The build's requirements, the package's and those of the profile's extras, each once."""
    found = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in EXTRAS_OF_PROFILE[profile]:
        found += _of_extra(project["project"], extra)
    return list(dict.fromkeys(found))


def _of_extra(metadata: dict[str, Any], extra: str) -> list[str]:
    found: list[str] = []
    for requirement in metadata["optional-dependencies"][extra]:
        own = re.fullmatch(rf"{metadata['name']}\[([\w-]+)\]", requirement)
        found += _of_extra(metadata, own[1]) if own else [requirement]
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in EXTRAS_OF_PROFILE:
        sys.exit(f"usage: {Path(__file__).name} {'|'.join(EXTRAS_OF_PROFILE)}")
    print(*requirements(tomllib.loads((ROOT / "pyproject.toml").read_text()), sys.argv[1]), sep="\n")
