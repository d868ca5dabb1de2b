"""Finding an analysis in a Python file without running it: mistakes show before anything starts."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from .declaration import assigned, declarations
from .model import AnalysisSource
from .problems import hint


def split_reference(reference: str) -> tuple[str, str | None]:
    """`FILE.py:NAME` → file and name; the name is None where only a file is given."""
    file, colon, name = reference.rpartition(":")
    return (file, name) if colon and name.isidentifier() else (reference, None)


def find_analysis(reference: str, directory: Path) -> AnalysisSource:
    """The analysis that `FILE.py[:NAME]` means; raises ValueError that says what the file has instead."""
    path, wanted = split_reference(reference)
    file = directory / path
    if not file.is_file():
        raise ValueError(f"no such file: {file}")
    tree = parse(file)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    declared = declarations(tree)
    if wanted is not None:
        if wanted in declared:
            return AnalysisSource(file, wanted, declared[wanted].declared)
        if wanted not in classes and not _may_have(tree, wanted):
            undeclared = any(isinstance(node, ast.FunctionDef) and node.name == wanted for node in tree.body)
            helps = "put @staithe.analysis(inputs=..., outputs=...) before its def" if undeclared else ""
            helps = helps or hint(wanted, [*declared, *classes]) or "it has none at all"
            raise ValueError(f"{file} has no analysis '{wanted}'; {helps}")
        return AnalysisSource(file, wanted)
    analyses = [*declared, *_analyses({name: node for name, node in classes.items() if name not in declared})]
    if not analyses:
        raise ValueError(
            f"{file} has no class derived from staithe.Analysis, and no call of staithe.analysis that its text shows; "
            "say which it is: FILE.py:NAME"
        )
    if len(analyses) > 1:
        listed = ", ".join(f"{path}:{name}" for name in analyses)
        raise ValueError(f"{file} has several analyses; choose one of {listed}")
    (name,) = analyses
    return AnalysisSource(file, name, declared[name].declared if name in declared else None)


def parse(file: Path) -> ast.Module:
    """The syntax tree of a Python file; raises ValueError that says where it is none."""
    try:
        return ast.parse(file.read_bytes(), filename=str(file))
    except SyntaxError as error:
        raise ValueError(f"{file}, line {error.lineno}, is not valid Python: {error.msg}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as Python: {error}") from error


def unfit_arguments(analysis: AnalysisSource, names: Iterable[str]) -> str | None:
    """What is wrong with the arguments that an analysis is made or called with, as far as its file tells."""
    arguments, inputs = _parameters(analysis)
    if arguments is None:
        return None
    positional = [*arguments.posonlyargs, *arguments.args][inputs:]
    taken = [argument.arg for argument in (*positional, *arguments.kwonlyargs)]
    for name in names:
        if name not in taken and arguments.kwarg is None:
            return f"{analysis.name} takes no '{name}'; {hint(name, taken) or 'it takes none at all'}"
    optional = {argument.arg for argument in positional[max(0, len(positional) - len(arguments.defaults)) :]}
    optional |= {
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    missing = [name for name in taken if name not in optional and name not in names]
    return f"{analysis.name} needs {' and '.join(missing)}; give it under 'args'" if missing else None


def _parameters(analysis: AnalysisSource) -> tuple[ast.arguments | None, int]:
    """Those of the function or constructor that gets the arguments, and how many are given before these; None if the
    file does not tell."""
    tree = parse(analysis.file)
    if (declaration := declarations(tree).get(analysis.name)) is not None:
        if isinstance(declaration.function, ast.FunctionDef):
            inputs = declaration.declared.inputs
            return (None, 0) if inputs is None else (declaration.function.args, len(inputs))
        made = declaration.function
    else:
        # What decorates a class, such as dataclass, may give it another constructor.
        classes = (node for node in tree.body if isinstance(node, ast.ClassDef) and not node.decorator_list)
        made = next((node for node in classes if node.name == analysis.name), None)
    members = made.body if made is not None else ()
    constructors = (node.args for node in members if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    return next(constructors, None), 1


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


def _may_have(tree: ast.Module, name: str) -> bool:
    """Whether a file may have it as an analysis that cannot be told from its text: imported, assigned or decorated."""
    imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    names = {alias.asname or alias.name for alias in imported} | {one for one, _ in assigned(tree)}
    names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list}
    return bool(names & {name, "*"})
