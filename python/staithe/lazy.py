"""Names of a package that are imported when they are first asked for (PEP 562)."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False  # as typing has it, which takes a while to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def lazily(
    package: str, names: dict[str, str], public_modules: str, other_modules: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package.

    Args:
        package: its `__name__`.
        names: what is public, by the modules that have it: they are attributes of the package as well.
        public_modules: modules that are public themselves.
        other_modules: those that are not, and are attributes nevertheless.
    """
    home = {name: module for module, of in names.items() for name in of.split()}
    public = [*home, *public_modules.split()]
    modules = {*names, *public_modules.split(), *other_modules.split()}

    def attribute(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(f"{package}.{home[name]}"), name)
            setattr(sys.modules[package], name, value)  # nobody asks here again
            return value
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])

    def attributes() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home, *modules})

    return attribute, attributes, sorted(public)
