"""tools/check_layers.py: the tree as it is passes, and each kind of violation is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from check_layers import ROOT, violations


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small project that keeps the rules."""
    write(tmp_path, "include/staithe/error.hpp", "#pragma once\n#include <stdexcept>\n")
    write(tmp_path, "include/staithe/writer.hpp", "#include <staithe/error.hpp>\n")
    write(tmp_path, "src/base/CMakeLists.txt", "staithe_module(NAME base SOURCES result.cpp)\n")
    write(tmp_path, "src/base/result.hpp", "#include <tl/expected.hpp>\n#include <staithe/error.hpp>\n")
    write(
        tmp_path,
        "src/os/CMakeLists.txt",
        "staithe_module(\n  NAME os\n  DEPENDS base\n  SOURCES files.cpp)\n",
    )
    write(tmp_path, "src/os/files.hpp", '#include "base/result.hpp"\n')
    write(tmp_path, "src/os/files.cpp", '#include "os/files.hpp"\n#include <sys/mman.h>\n')
    write(tmp_path, "src/array/CMakeLists.txt", "staithe_module(NAME array DEPENDS base SOURCES box.cpp)\n")
    write(tmp_path, "src/array/box.cpp", '#include "base/result.hpp"\n')
    write(tmp_path, "tests/unit/os/test_files.cpp", '#include "os/files.hpp"\n#include <gtest/gtest.h>\n')
    write(tmp_path, "examples/laplace/laplace.cpp", "#include <mpi.h>\n#include <staithe/writer.hpp>\n")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_this_repository_keeps_its_layers() -> None:
    assert list(violations(ROOT)) == []


def test_a_tree_that_keeps_the_rules_passes(tree: Path) -> None:
    assert list(violations(tree)) == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("src/base/log.cpp", '#include "os/files.hpp"', "base must not include os"),
        ("src/array/box.cpp", '\n#include "os/files.hpp"', "array must not include os"),
        ("src/array/race.cpp", '#include "os/files.hpp"', "array must not include os"),
        ("src/base/log.cpp", "#include <staithe/writer.hpp>", "base must not include stream"),
        ("src/os/CMakeLists.txt", "staithe_module(NAME os DEPENDS array)", "os must not depend on array"),
        ("src/gadgets/gadget.cpp", "", "src/gadgets:1: not in the table"),
        ("src/base/log.cpp", "#include <unistd.h>", "<unistd.h> belongs to"),
        ("src/os/files.hpp", "#include <sys/socket.h>", "<sys/socket.h> belongs to"),
        ("src/os/files.cpp", "#include <asio/io_context.hpp>", "<asio/io_context.hpp> belongs to"),
        ("src/base/value.hpp", "#include <nlohmann/json.hpp>", "<nlohmann/json.hpp> belongs to"),
        ("src/os/files.cpp", "#include <boost/any.hpp>", "is of no library"),
        ("include/staithe/error.hpp", '#include "base/result.hpp"', "src/ is for src/"),
        ("include/staithe/error.hpp", "#include <fmt/format.h>", "<fmt/format.h> belongs to"),
        ("include/staithe/error.hpp", "#include <staithe/writer.hpp>", "base must not include stream"),
        ("examples/laplace/laplace.cpp", '#include "base/result.hpp"', "src/ is for src/"),
        ("tests/system/writer.cpp", '#include "os/files.hpp"', "src/ is for src/"),
        ("tests/unit/base/test_log.cpp", '#include "os/files.hpp"', "base must not include os"),
    ],
)
def test_a_violation_is_found(tree: Path, name: str, text: str, complaint: str) -> None:
    write(tree, name, text)
    found = list(violations(tree))
    assert any(line.startswith(name.removesuffix("/gadget.cpp")) and complaint in line for line in found), found


def test_what_a_module_includes_its_recipe_names(tree: Path) -> None:
    write(tree, "src/array/box.cpp", "")
    assert any("array names base under DEPENDS, and includes nothing of it" in line for line in violations(tree))
    write(tree, "src/array/box.cpp", '#include "base/result.hpp"\n')
    write(tree, "src/array/CMakeLists.txt", "staithe_module(NAME array SOURCES box.cpp)\n")
    found = list(violations(tree))
    assert any(line.startswith("src/array/box.cpp:1") and "does not name under DEPENDS" in line for line in found)
    assert any("array may include base, and does not" in line for line in found)


def test_the_page_prints_the_table(tree: Path) -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    write(tree, "ARCHITECTURE.md", page)
    assert list(violations(tree)) == []
    write(tree, "ARCHITECTURE.md", page.replace("| base, os |", "| base |"))
    assert any("says something else of memory" in line for line in violations(tree))
