"""`staithe config`."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

from ..installation import folder_of
from .faults import CommandError


def print_version() -> None:
    """Prints the version of the installed package."""
    print(_version())


def _version() -> str:
    try:
        return version("staithe")
    except PackageNotFoundError as error:
        raise CommandError("the package staithe is not installed; pip install it to have a version") from error


def print_config(
    *,
    cmake_dir: bool = False,
    pkgconfig_dir: bool = False,
    include_dir: bool = False,
    lib_dir: bool = False,
    fortran_dir: bool = False,
    fortran_sources: bool = False,
    cflags: bool = False,
    libs: bool = False,
    version: bool = False,
    as_json: bool = False,
) -> None:
    """Prints what was asked for, one a line; or all there is, as JSON."""
    if as_json:
        print(json.dumps(_everything(), indent=2))
        return
    folders = cmake_dir or pkgconfig_dir or include_dir or lib_dir or fortran_dir
    if not (folders or fortran_sources or cflags or libs or version):
        raise typer.BadParameter(
            "say what to print: --cmake-dir, --pkgconfig-dir, --include-dir, --lib-dir, --fortran-dir, "
            "--fortran-sources, --cflags, --libs, --version or --json"
        )
    if cmake_dir:
        print(_cmake_dir())
    if pkgconfig_dir:
        print(_pkgconfig_dir())
    if include_dir:
        print(_include_dir())
    if lib_dir:
        print(_lib_dir())
    if fortran_dir:
        print(_fortran_dir())
    if fortran_sources:
        print(*map(shlex.quote, _fortran_sources()))
    if cflags:
        print(*map(shlex.quote, _cflags()))
    if libs:
        print(*map(shlex.quote, _libs()))
    if version:
        print_version()


def _everything() -> dict[str, str | list[str]]:
    """Under the names of the options."""
    return {
        "version": _version(),
        "cmake_dir": str(_cmake_dir()),
        "pkgconfig_dir": str(_pkgconfig_dir()),
        "include_dir": str(_include_dir()),
        "lib_dir": str(_lib_dir()),
        "fortran_dir": str(_fortran_dir()),
        "fortran_sources": _fortran_sources(),
        "cflags": _cflags(),
        "libs": _libs(),
    }


def _cflags() -> list[str]:
    return [f"-I{_include_dir()}"]


def _libs() -> list[str]:
    return [f"-L{_lib_dir()}", f"-Wl,-rpath,{_lib_dir()}", "-lstaithe"]


def _fortran_sources() -> list[str]:
    return [str(_fortran_dir() / name) for name in (_fortran_dir() / "sources.txt").read_text().split()]


def _cmake_dir() -> Path:
    return folder_of("staithe*onfig.cmake", "lib*/cmake/staithe")


def _pkgconfig_dir() -> Path:
    return folder_of("staithe.pc", "lib*/pkgconfig")


def _include_dir() -> Path:
    return folder_of("staithe/staithe.hpp", "include")


def _fortran_dir() -> Path:
    return folder_of("staithe.f90", "share/staithe/fortran")


def _lib_dir() -> Path:
    return folder_of("libstaithe.so*", "lib*")
