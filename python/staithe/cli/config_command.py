"""`staithe config`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

from .faults import CommandError


def print_version() -> None:
    """Prints the version of the installed package."""
    try:
        print(version("staithe"))
    except PackageNotFoundError as error:
        raise CommandError("the package staithe is not installed; pip install it to have a version") from error


def print_config(*, cmake_dir: bool, include_dir: bool, lib_dir: bool, version: bool) -> None:
    """Prints what was asked for, one a line."""
    if not (cmake_dir or include_dir or lib_dir or version):
        raise typer.BadParameter("say what to print: --cmake-dir, --include-dir, --lib-dir or --version")
    if cmake_dir:
        print(_folder_of("staithe*onfig.cmake", "lib*/cmake/staithe"))
    if include_dir:
        print(_folder_of("staithe/staithe.hpp", "include"))
    if lib_dir:
        print(_folder_of("libstaithe.so*", "lib*"))
    if version:
        print_version()


def _folder_of(file: str, folder: str) -> Path:
    import staithe

    # An editable installation spreads the package over several folders.
    for root in staithe.__path__:
        for found in sorted(Path(root).glob(folder)):
            if any(found.glob(file)):
                return found
    raise CommandError(f"this installation of staithe has no {folder}/{file}; install it with: pip install .")
