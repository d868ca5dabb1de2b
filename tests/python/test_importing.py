"""What `import staithe` loads, and what it seems to have loaded."""

from __future__ import annotations

import ast
import pydoc
from collections.abc import Callable
from pathlib import Path

import pytest

import staithe

# What takes longer to import than to do without.
LARGE = ("asyncio", "dataclasses", "inspect", "logging", "numpy", "typing", "xarray")


def test_nothing_large_is_loaded_that_is_not_asked_for(run_python: Callable[..., str]) -> None:
    before = "import sys; before = {*sys.modules}; import staithe"  # where Python itself loads any of it, so be it
    loaded = f"print([name for name in {LARGE} if name in {{*sys.modules}} - before])"
    assert run_python(f"{before}; {loaded}") == "[]\n"
    assert "numpy" in run_python(f"{before}; staithe.writer; {loaded}")


def test_all_names_are_there(run_python: Callable[..., str]) -> None:
    # In a process that has asked for none of them.
    run_python("from staithe import *; writer, reader, codecs.list, Error, __version__")
    run_python(
        "import staithe; assert set(staithe.__all__) <= set(dir(staithe)); [getattr(staithe, n) for n in dir(staithe)]"
    )
    run_python("import staithe; staithe.typing.Attributes, staithe.space_futures.Aio, staithe.group.GroupLike")
    assert all(getattr(staithe, name) is getattr(staithe, name) for name in staithe.__all__)


def test_type_checkers_see_what_there_is() -> None:
    stub = ast.parse(Path(staithe.__file__).with_suffix(".pyi").read_text())
    imported = {
        (node.module, alias.name) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {name for _, name in imported} == {*staithe.__all__} - {"__version__"}
    for module, name in imported - {(None, "codecs")}:
        assert getattr(getattr(staithe, str(module)), name) is getattr(staithe, name)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match=r"^module 'staithe' has no attribute 'wirter'$") as raised:
        staithe.wirter  # type: ignore[attr-defined]  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("wirter", staithe)


def test_help_tells_of_them() -> None:
    text = pydoc.plaintext.document(staithe)
    assert "\n    writer(name: " in text and "\n    class Space(" in text
