#!/usr/bin/env python3
"""Fails when an include breaks the layers: between modules, to third parties, or from outside into src/.

The table below is the project's architecture. It allows what is made use of and no more; ARCHITECTURE.md prints it, and
each module's CMakeLists.txt names its own row.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from cpp_sources import includes, resolve, sources

ROOT = Path(__file__).resolve().parent.parent

# Bottom to top: a module may include itself and what its row names.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "os": {"base"},
    "array": {"base"},
    "monitor": set(),
    "memory": {"base", "os"},
    "transform": {"base", "os", "array"},
    "format": {"base", "os", "array", "transform"},
    "transport": {"base", "os"},
    "store": {"base", "os", "array", "monitor", "memory", "transform", "transport"},
    "stream": {"base", "os", "array", "monitor", "memory", "transform", "format", "transport", "store"},
    "space": {"base", "os", "array", "memory", "transport", "store", "stream"},
    "server": {"base", "os", "memory", "transport", "store", "stream", "space"},
    "capi": {"base", "array", "stream", "space", "server"},
}

# Of other modules these see the public headers alone, like a user's program.
PUBLIC_HEADERS_ONLY = {"capi"}

# The module that implements a public header; whoever may include the module may include the header.
OWNER_OF_PUBLIC_HEADER: dict[str, str] = {
    header: module
    for module, headers in {
        "base": (
            "error.hpp",
            "export.hpp",
            "group.hpp",
            "limits.hpp",
            "logging.hpp",
            "value.hpp",
            "version.hpp",
            "waiting.hpp",
        ),
        "array": ("array_view.hpp", "box.hpp", "dtype.hpp"),
        "transform": ("codec_plugin.h", "transform.hpp"),
        "stream": (
            "analysis.hpp",
            "group_contact.hpp",
            "inspect.hpp",
            "mpi.hpp",
            "options.hpp",
            "reader.hpp",
            "recorder.hpp",
            "running_reduction.hpp",
            "writer.hpp",
        ),
        "space": ("space.hpp", "space_batch.hpp", "space_lock.hpp", "space_watch.hpp"),
        "server": ("server.hpp",),
        "capi": ("mpi.h", "staithe.h"),
        "": ("staithe.hpp",),  # all of them, for users and tests
    }.items()
    for header in headers
}

# Third-party headers, and the files under src/ and include/ that may name them. Whatever else ends in .h is the
# operating system's.
WRAPPED_BY: dict[str, str] = {
    r"asio(/.*)?\.hpp": r"src/transport/(\w+/)?\w+\.cpp",
    r"nlohmann/.*": r"src/base/\w+\.cpp",
    r"fmt/.*": r"src/base/\w+\.[ch]pp",
    r"tl/.*": r"src/base/\w+\.[ch]pp",
    r"\w+intrin\.h|cpuid\.h": r"src/array/\w+\.cpp|src/transform/dq/lanes_\w+\.hpp",
    r"xxhash\.h": r"src/transform/checksum\.cpp",
    r"blosc\.h": r"src/format/blosc\.cpp",
    r"lz4(hc)?\.h": r"src/transform/shuffled/lz4\.cpp",
    r"zstd(_errors)?\.h": r"src/transform/shuffled/zstd\.cpp",
    r"libdeflate\.h": r"src/transform/shuffled/libdeflate\.cpp",
    r"zlib\.h": r"src/transform/shuffled/zlib\.cpp",
    r"SZ3/.*": r"src/transform/verified/sz3\.cpp",
    r"zfp\.h": r"src/transform/verified/zfp\.cpp",
    r"sodium\.h": r"src/transport/(\w+/)?\w+\.cpp",
    r"mpi\.h": r"include/staithe/mpi\.h(pp)?",
    r"std(def|int|io)\.h": r"include/staithe/\w+\.h",
    r".*\.h": r"src/os/\w+\.cpp",
}
STANDARD_HEADER = r"[a-z_0-9]+"

# Whoever is not here reaches the library through <staithe/...> alone.
MAY_SEE_SRC = (
    "src",
    "plugins/fabric",
    "tests/unit",
    "tests/conformance",
    "tests/cuda",
    "tests/encoded",
    "tests/fabric",
    "tests/fuzz",
    "benchmarks/simulation",
)

_MODULE_CALL = re.compile(r"staithe_module\(([^)]*)\)")
_PRINTED_ROW = re.compile(r"\| (\[\w+\]\(src/.*) \| ([\w, –]+) \|")
_KEYWORDS = {"NAME", "DEPENDS", "SOURCES", "WRAPS"}


def violations(root: Path) -> Iterator[str]:
    """Every broken rule of a source tree, as `file:line: what is wrong`."""
    depends: dict[str, set[str]] = {}
    used: dict[str, set[str]] = defaultdict(set)
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        module = folder.name
        if module not in MAY_INCLUDE:
            yield f"src/{module}:1: not in the table of modules in tools/check_layers.py"
            continue
        depends[module] = _declared_dependencies(folder)
        for other in sorted(depends[module] - MAY_INCLUDE[module]):
            yield f"src/{module}/CMakeLists.txt:1: {module} must not depend on {other}"

    for path in sources(root):
        name = path.relative_to(root).as_posix()
        for include in includes(path.read_text()):
            target = resolve(root, path, include)
            if target is None:
                wrong = _judge_foreign(name, include.target)
            else:
                target_name = target.relative_to(root.resolve()).as_posix()
                wrong = _judge_own(name, target_name, depends)
                if name.startswith("src/"):
                    used[_area_and_module(name)[1]].add(_area_and_module(target_name)[1])
            if wrong:
                yield f"{name}:{include.line}: {wrong}"
    for module, named in depends.items():
        for other in sorted(named - used[module]):
            yield f"src/{module}/CMakeLists.txt:1: {module} names {other} under DEPENDS, and includes nothing of it"
        for other in sorted(MAY_INCLUDE[module] - named):
            yield f"tools/check_layers.py:1: {module} may include {other}, and does not"
    yield from _differences_from_the_page(root / "ARCHITECTURE.md")


def _differences_from_the_page(page: Path) -> Iterator[str]:
    """Where the table that ARCHITECTURE.md prints is not the one above. Rows: modules as links, then what they may."""
    printed: dict[str, set[str]] = {}
    for line in page.read_text().splitlines() if page.exists() else ():
        if row := _PRINTED_ROW.fullmatch(line):
            allowed = set() if row[2] == "–" else set(row[2].split(", "))
            printed |= dict.fromkeys(re.findall(r"\[(\w+)\]", row[1]), allowed)
    for module in sorted(MAY_INCLUDE if printed else ()):
        if printed.get(module) != MAY_INCLUDE[module]:
            yield f"{page.name}:1: its table of modules says something else of {module} than tools/check_layers.py"


def _declared_dependencies(folder: Path) -> set[str]:
    """What follows DEPENDS in the call of staithe_module."""
    recipe = folder / "CMakeLists.txt"
    call = _MODULE_CALL.search(recipe.read_text()) if recipe.exists() else None
    found: set[str] = set()
    keyword = ""
    for word in call[1].split() if call else ():
        if word in _KEYWORDS:
            keyword = word
        elif keyword == "DEPENDS":
            found.add(word)
    return found


def _area_and_module(name: str) -> tuple[str, str]:
    """The part of the tree that a file is in, and the module that it belongs to, if any."""
    area, *rest = name.split("/")
    if area == "tests":
        return f"tests/{rest[0]}", rest[1] if rest[0] == "unit" else ""
    if area in ("benchmarks", "plugins"):
        return f"{area}/{rest[0]}", ""
    if area == "include":
        return area, OWNER_OF_PUBLIC_HEADER.get(rest[-1], f"{rest[-1]} (no owner in tools/check_layers.py)")
    return area, rest[0] if area == "src" else ""


def _judge_own(name: str, target: str, depends: dict[str, set[str]]) -> str | None:
    """Says what is wrong with including a file of the project, or None."""
    area, module = _area_and_module(name)
    target_area, target_module = _area_and_module(target)
    if target_area == "src" and area not in MAY_SEE_SRC:
        return "src/ is for src/ and its own tests; others include <staithe/...>"
    if not module or not target_module or module == target_module:
        return None
    if target_area == "src" and module in PUBLIC_HEADERS_ONLY:
        return f"{module} stands on <staithe/...> alone"
    beneath = list(MAY_INCLUDE)[: list(MAY_INCLUDE).index(module)] if module in MAY_INCLUDE else []
    if target_module not in (beneath if area.startswith("tests/") else MAY_INCLUDE.get(module, ())):
        return f"{module} must not include {target_module}"
    if area == "src" and target_module not in depends[module]:
        return f"{module} includes {target_module}, which its CMakeLists.txt does not name under DEPENDS"
    return None


def _judge_foreign(name: str, target: str) -> str | None:
    """Says what is wrong with including a header of someone else, or None."""
    if not name.startswith(("src/", "include/")) or re.fullmatch(STANDARD_HEADER, target):
        return None
    for header, wrapper in WRAPPED_BY.items():
        if re.fullmatch(header, target):
            return None if re.fullmatch(wrapper, name) else f"<{target}> belongs to {wrapper} alone"
    return f"<{target}> is of no library in tools/check_layers.py"


def main() -> int:
    """Prints every violation; the exit status says whether there was one."""
    found = list(violations(ROOT))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"check_layers: {len(found)} violations" if found else "check_layers: the layers hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
