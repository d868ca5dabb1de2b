"""Finding the analysis class in a Python file without running it: mistakes show before anything starts."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from .model import AnalysisClass
from .problems import hint


def split_reference(reference: str) -> tuple[str, str | None]:
    """`FILE.py:Class` → file and class; the class is None where only a file is given."""
    file, colon, name = reference.rpartition(":")
    return (file, name) if colon and name.isidentifier() else (reference, None)


def find_analysis(reference: str, directory: Path) -> AnalysisClass:
    """The class that `FILE.py[:Class]` means; raises ValueError that says what the file has instead."""
    path, wanted = split_reference(reference)
    file = directory / path
    if not file.is_file():
        raise ValueError(f"no such file: {file}")
    tree = parse(file)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if wanted is not None:
        # An imported class is no ClassDef here: only names that the file cannot have are refused.
        if wanted not in classes and not _may_import(tree, wanted):
            raise ValueError(f"{file} has no class '{wanted}'; {hint(wanted, classes) or 'it has none at all'}")
        return AnalysisClass(file, wanted)
    analyses = _analyses(classes)
    if not analyses:
        raise ValueError(f"{file} has no class derived from staithe.Analysis")
    if len(analyses) > 1:
        listed = ", ".join(f"{path}:{name}" for name in analyses)
        raise ValueError(f"{file} has several analyses; choose one of {listed}")
    return AnalysisClass(file, analyses[0])


def parse(file: Path) -> ast.Module:
    """The syntax tree of a Python file; raises ValueError that says where it is none."""
    try:
        return ast.parse(file.read_bytes(), filename=str(file))
    except SyntaxError as error:
        raise ValueError(f"{file}, line {error.lineno}, is not valid Python: {error.msg}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as Python: {error}") from error


def unfit_arguments(analysis: AnalysisClass, names: Iterable[str]) -> str | None:
    """What is wrong with the arguments that an analysis is to be made with, as far as its file tells."""
    constructor = _constructor(analysis)
    if constructor is None:
        return None
    arguments = constructor.args
    positional = [*arguments.posonlyargs, *arguments.args][1:]
    taken = [argument.arg for argument in (*positional, *arguments.kwonlyargs)]
    for name in names:
        if name not in taken and arguments.kwarg is None:
            return f"{analysis.name} takes no '{name}'; {hint(name, taken) or 'it takes none at all'}"
    optional = {argument.arg for argument in positional[len(positional) - len(arguments.defaults) :]}
    optional |= {
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    missing = [name for name in taken if name not in optional and name not in names]
    return f"{analysis.name} needs {' and '.join(missing)}; give it under 'args'" if missing else None


def _constructor(analysis: AnalysisClass) -> ast.FunctionDef | None:
    for node in parse(analysis.file).body:
        # What decorates a class, such as dataclass, may give it another constructor.
        if isinstance(node, ast.ClassDef) and node.name == analysis.name and not node.decorator_list:
            return next((x for x in node.body if isinstance(x, ast.FunctionDef) and x.name == "__init__"), None)
    return None


def _analyses(classes: dict[str, ast.ClassDef]) -> list[str]:
    """The classes that derive from Analysis, less those that serve others as their base."""
    bases = {name: [_last_name(base) for base in node.bases] for name, node in classes.items()}

    def is_analysis(name: str, seen: frozenset[str] = frozenset()) -> bool:
        if name in seen:
            return False
        return any(base == "Analysis" or is_analysis(base, seen | {name}) for base in bases.get(name, ()))

    used = {base for of_class in bases.values() for base in of_class}
    return [name for name in classes if is_analysis(name) and name not in used]


def _last_name(base: ast.expr) -> str:
    if isinstance(base, ast.Attribute):
        return base.attr
    return base.id if isinstance(base, ast.Name) else ""


def _may_import(tree: ast.Module, name: str) -> bool:
    imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    return any(name == (alias.asname or alias.name) or alias.name == "*" for alias in imported)
