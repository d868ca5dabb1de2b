"""Functions that a Python file declares as analyses by `staithe.analysis`, found without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .model import Declared


@dataclass(frozen=True)
class Declaration:
    """One of them. `function` is the function or class, where it stands in the file and nothing else decorates it."""

    declared: Declared
    function: ast.FunctionDef | ast.ClassDef | None


def declarations(tree: ast.Module) -> Mapping[str, Declaration]:
    """All of the file, by the names that it has for them."""
    functions = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    found = {}
    for name, node in functions.items():
        for decorator in node.decorator_list:
            if (call := _declaring(decorator)) is not None:
                found[name] = Declaration(_declared(call, name), node if len(node.decorator_list) == 1 else None)
    for name, value in assigned(tree):
        if (call := _declaring(value)) is not None:
            given = _argument(call, "function", 1)
            function = functions.get(given.id) if isinstance(given, ast.Name) else None
            plain = None if function is None or function.decorator_list else function
            found[name] = Declaration(_declared(call, given.id if isinstance(given, ast.Name) else None), plain)
    return found


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that the file assigns to, with the value."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _declaring(value: ast.expr) -> ast.Call | None:
    """The expression if it calls `staithe.analysis`, under whatever name Staithe was imported."""
    if not isinstance(value, ast.Call):
        return None
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return value if called == "analysis" else None


def _declared(call: ast.Call, function: str | None) -> Declared:
    given, stream = _argument(call, "name", 0), _argument(call, "stream")
    name = function if given is None else _text(given)
    return Declared(
        inputs=_variables(_argument(call, "inputs")),
        outputs=_variables(_argument(call, "outputs")),
        stream=name if stream is None else _text(stream),
    )


def _argument(call: ast.Call, name: str, place: int | None = None) -> ast.expr | None:
    if place is not None and place < len(call.args):
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _text(value: ast.expr | None) -> str | None:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _variables(value: ast.expr | None) -> Mapping[str, str] | None:
    """Names alone, or with what each variable is to be."""
    if isinstance(value, ast.Dict):
        pairs = [(_text(key), _text(said)) for key, said in zip(value.keys, value.values, strict=True)]
        found = {name: said for name, said in pairs if name and said is not None}
        return found if found and len(found) == len(pairs) else None
    entries = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    names = [text for entry in entries if (text := _text(entry))]
    return dict.fromkeys(names, "") if names and len(names) == len(entries) else None
