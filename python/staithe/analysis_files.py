"""Analyses by the file that defines them: `FILE.py:NAME`."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, TypeGuard

from .analyses import Analysis
from .errors import InvalidArgument, NotFound
from .function_analysis import FunctionAnalysis

Loaded: TypeAlias = type[Analysis] | FunctionAnalysis[..., Any]
"""What a file has: a class, or an analysis that `staithe.analysis` has made."""


def load_analysis(reference: str) -> Loaded:
    """The class or analysis that `FILE.py:NAME` means; the name may be left out where the file has only one.

    Runs the file as a module of its own; modules beside it can be imported.

    Returns:
        A class that derives from `staithe.Analysis`, or an analysis that `staithe.analysis` has made.

    Raises:
        NotFound: there is no such file, or no such name in it.
        InvalidArgument: the name is of something else, or the file has several analyses and none is named.
    """
    file, colon, name = reference.rpartition(":")
    if not (colon and name.isidentifier()):
        file, name = reference, ""
    path = Path(file).resolve()
    module = _run(path)
    if not name:
        return _only_analysis(module, path)
    found = getattr(module, name, None)
    if found is None:
        raise NotFound(f"{path} has no analysis {name}")
    if not _is_analysis(found):
        raise InvalidArgument(
            f"{name} of {path} does not derive from staithe.Analysis, and staithe.analysis did not make it"
        )
    return found


def make_analysis(reference: str, arguments: Mapping[str, object], writes: str | None = None) -> Analysis:
    """An analysis for one run: what `FILE.py:NAME` means, with these arguments.

    Args:
        reference: as for `load_analysis`.
        arguments: what the class is made with, or the function is called with beside its inputs.
        writes: the stream of the results of a function, if not the one that it declares.

    Raises:
        NotFound: as `load_analysis` does.
        InvalidArgument: likewise, or the class or function does not take the arguments, or a class is told what it
            `writes`.
    """
    found = load_analysis(reference)
    if isinstance(found, FunctionAnalysis):
        return found.fresh(arguments, writes)
    if writes is not None:
        raise InvalidArgument(f"{found.__name__} is a class, which opens what it writes itself: not '{writes}'")
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        takes = ", ".join(inspect.signature(found).parameters) or "none"
        raise InvalidArgument(f"{found.__name__} cannot be made: {error} (its arguments: {takes})") from error
    return found(**arguments)


def analyses_from_environment(stream: str) -> list[Analysis]:
    """What STAITHE_ANALYSES names for the stream: `stream=FILE.py:NAME`, several with commas between.

    `staithe run` writes it as JSON: a list of maps with `stream`, `analysis`, its `args` and perhaps what it `writes`.
    """
    return [make_analysis(*entry) for entry in named_by_environment(stream)]


def named_by_environment(stream: str) -> list[tuple[str, Mapping[str, object], str | None]]:
    """The same, without making them: what `make_analysis` takes."""
    text = os.environ.get("STAITHE_ANALYSES", "").strip()
    if text.startswith("["):
        return [
            (entry["analysis"], entry["args"], entry.get("writes"))
            for entry in json.loads(text)
            if entry["stream"] == stream
        ]
    named: list[tuple[str, Mapping[str, object], str | None]] = []
    for entry in text.split(","):
        wanted, equals, reference = entry.strip().partition("=")
        if entry.strip() and not equals:
            raise InvalidArgument(f"STAITHE_ANALYSES: {entry!r} is not of the form stream=FILE.py:NAME")
        if wanted == stream:
            named.append((reference, {}, None))
    return named


def _run(path: Path) -> ModuleType:
    if not path.is_file():
        raise NotFound(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"staithe_analysis_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InvalidArgument(f"{path} is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses and pickle look for it
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _only_analysis(module: ModuleType, path: Path) -> Loaded:
    own = {
        name: value
        for name, value in vars(module).items()
        if _is_analysis(value) and not _is_imported(value, module.__name__)
    }
    # Classes that others derive from are there for them.
    bases = {base for value in own.values() if isinstance(value, type) for base in value.__mro__[1:]}
    final = {value: name for name, value in own.items() if value not in bases}
    if not final:
        raise NotFound(f"{path} has no class derived from staithe.Analysis, and no call of staithe.analysis")
    if len(final) > 1:
        names = ", ".join(f"{path.name}:{name}" for name in final.values())
        raise InvalidArgument(f"{path} has several analyses, choose one of {names}")
    return next(iter(final))


def _is_analysis(value: object) -> TypeGuard[Loaded]:
    return isinstance(value, FunctionAnalysis) or (isinstance(value, type) and issubclass(value, Analysis))


def _is_imported(value: Loaded, module: str) -> bool:
    """Whether it is another module's: one that has it, too. A function of NumPy may have become an analysis here."""
    home = sys.modules.get(value.__module__)
    return home is not None and value.__module__ != module and any(other is value for other in vars(home).values())
