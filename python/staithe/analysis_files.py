"""Analyses by the file that defines them: `FILE.py:Class`."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from .analysis import Analysis
from .errors import InvalidArgument, NotFound


def load_analysis(reference: str) -> type[Analysis]:
    """The class that `FILE.py:Class` means; the class may be left out where the file defines only one.

    Runs the file as a module of its own; modules beside it can be imported.

    Raises:
        NotFound: there is no such file, or no such class in it.
        InvalidArgument: the class does not derive from `staithe.Analysis`, or the file defines several and none is
            named.
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
        raise NotFound(f"{path} has no class {name}")
    if not (isinstance(found, type) and issubclass(found, Analysis)):
        raise InvalidArgument(f"{name} of {path} does not derive from staithe.Analysis")
    return found


def make_analysis(reference: str, arguments: Mapping[str, object]) -> Analysis:
    """An analysis of the class that `FILE.py:Class` means, made with these arguments.

    Raises:
        NotFound: as `load_analysis` does.
        InvalidArgument: likewise, or its constructor does not take the arguments.
    """
    found = load_analysis(reference)
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        takes = ", ".join(inspect.signature(found).parameters) or "none"
        raise InvalidArgument(f"{found.__name__} cannot be made: {error} (its arguments: {takes})") from error
    return found(**arguments)


def analyses_from_environment(stream: str) -> list[Analysis]:
    """What STAITHE_ANALYSES names for the stream: `stream=FILE.py:Class`, several with commas between.

    `staithe run` writes it as JSON: a list of maps with `stream`, `analysis` and its `args`.
    """
    text = os.environ.get("STAITHE_ANALYSES", "").strip()
    if text.startswith("["):
        return [
            make_analysis(entry["analysis"], entry["args"]) for entry in json.loads(text) if entry["stream"] == stream
        ]
    analyses = []
    for entry in text.split(","):
        wanted, equals, reference = entry.strip().partition("=")
        if entry.strip() and not equals:
            raise InvalidArgument(f"STAITHE_ANALYSES: {entry!r} is not of the form stream=FILE.py:Class")
        if wanted == stream:
            analyses.append(make_analysis(reference, {}))
    return analyses


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


def _only_analysis(module: ModuleType, path: Path) -> type[Analysis]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Analysis) and value.__module__ == module.__name__
    ]
    # Classes that others derive from are there for them.
    final = [cls for cls in own if not any(cls in other.__mro__[1:] for other in own)]
    if not final:
        raise NotFound(f"{path} has no class derived from staithe.Analysis")
    if len(final) > 1:
        names = ", ".join(f"{path.name}:{cls.__name__}" for cls in final)
        raise InvalidArgument(f"{path} has several analyses, choose one of {names}")
    return final[0]
