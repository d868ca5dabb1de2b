#!/usr/bin/env python3
"""Runs clang-tidy over the project's C++ files, and remembers which passed.

A file's verdict depends on the tool, its configuration, the file's compile command, and on the text of the file and of
all of the project's headers that it includes. The hash of these is the name of an empty file in the cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cpp_sources import includes, resolve

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "staithe" / "clang-tidy"
CLANG_TIDY = "clang-tidy-19"
# Not tests/: GoogleTest's macros cost clang-tidy a minute a file, and the sanitizers run over the tests anyway.
CHECKED = ("src", "python/bindings", "examples", "benchmarks")


def closure(source: Path) -> list[Path]:
    """A file and every file of the project that it includes, directly or not."""
    found: dict[Path, None] = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = None
            own = (resolve(ROOT, path, include) for include in includes(path.read_text()))
            waiting += [target for target in own if target]
    return sorted(found)


def key(source: Path, command: str, tool: bytes) -> str:
    """Names the verdict on a file; equal keys mean equal verdicts."""
    digest = hashlib.sha256(tool)
    digest.update(command.replace(str(ROOT), "").encode())
    for path in closure(source):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check(build: Path, source: Path) -> str | None:
    """Runs clang-tidy on one file; returns its complaints, if any."""
    command = [CLANG_TIDY, "--quiet", "--warnings-as-errors=*", f"-p={build}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr if result.returncode else None


def main() -> int:
    """Checks every file of the build's compile commands that has changed since it last passed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("build", type=Path, help="a build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    tool = version + (ROOT / ".clang-tidy").read_bytes()
    commands = {
        Path(entry["file"]): entry["command"]
        for entry in json.loads((options.build / "compile_commands.json").read_text())
        if any(Path(entry["file"]).is_relative_to(ROOT / folder) for folder in CHECKED)
    }
    keys = {source: key(source, command, tool) for source, command in commands.items()}
    CACHE.mkdir(parents=True, exist_ok=True)
    changed = sorted(source for source in keys if not (CACHE / keys[source]).exists())

    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for source, complaints in zip(changed, pool.map(lambda s: check(options.build, s), changed), strict=True):
            if complaints:
                failed += 1
                print(f"clang-tidy: {source.relative_to(ROOT)}\n{complaints}", flush=True)
            else:
                (CACHE / keys[source]).touch()
    print(f"clang-tidy: {len(commands)} files, {len(changed)} of them changed, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
