#!/usr/bin/env python3
"""Runs clang-tidy over the project's C++ files, and remembers which passed.

Most of its time goes into the headers that all files include. So files that are compiled alike are checked several at a
time, as one that includes them; where that one does not pass, each is checked alone, and what is found there counts.
Which of them comes first, and so has to include all that it needs, the seed says.

A file's verdict depends on the tool, its configuration, the file's compile command, and on the text of the file and of
all of the project's headers that it includes. The hash of these is the name of an empty file in the cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import thoroughness
from cpp_sources import includes, resolve

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "staithe" / "clang-tidy"
CLANG_TIDY = "clang-tidy-19"
# Not tests/: GoogleTest's macros cost clang-tidy a minute a file, and the sanitizers run over the tests anyway.
CHECKED = ("src", "python/bindings", "examples", "benchmarks")
AT_A_TIME = 12
# What is included is the project's, though its name ends as that of a source does.
AS_INCLUDED = (
    "--checks=-bugprone-suspicious-include",
    rf"--header-filter=^{ROOT}/({'|'.join(CHECKED)}|include)/.*\.[ch]pp$",
)


@dataclass(frozen=True)
class Source:
    """A file, how it is compiled, and how the files are that it can be checked with."""

    path: Path
    command: str
    folder: str
    alike: str

    @classmethod
    def of(cls, entry: dict[str, str]) -> Source:
        """Of an entry of compile_commands.json."""
        alike = re.sub(r" -o \S+", " -o OUTPUT", entry["command"].replace(entry["file"], "FILE"))
        return cls(Path(entry["file"]), entry["command"], entry["directory"], alike)


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


def key(source: Source, tool: bytes) -> str:
    """Names the verdict on a file; equal keys mean equal verdicts."""
    digest = hashlib.sha256(tool)
    digest.update(source.command.replace(str(ROOT), "").encode())
    for path in closure(source.path):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def batches(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """A few files each that are compiled alike, the first of which is another one by another seed."""
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.alike, []).append(source)
    for group in groups.values():
        for first in range(0, len(group), AT_A_TIME):
            batch = group[first : first + AT_A_TIME]
            turn = thoroughness.SEED % len(batch)
            yield batch[turn:] + batch[:turn]


def run(build: Path, path: Path, *options: str) -> str | None:
    """Runs clang-tidy on a file; returns its complaints, if any."""
    command = [CLANG_TIDY, "--quiet", "--warnings-as-errors=*", f"-p={build}", *options, str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr if result.returncode else None


def check(build: Path, number: int, batch: Sequence[Source]) -> dict[Source, str]:
    """Runs clang-tidy on the files of a batch; returns the complaints about those that have any."""
    if len(batch) > 1 and passes_as_one(build / "tidy" / str(number), batch):
        return {}
    complaints = {source: run(build, source.path) for source in batch}
    return {source: found for source, found in complaints.items() if found}


def passes_as_one(folder: Path, batch: Sequence[Source]) -> bool:
    """Runs clang-tidy on a file that includes all of them, with a compile command and a configuration of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    together = folder / "together.cpp"
    together.write_text("".join(f'#include "{source.path}"\n' for source in batch))
    command = batch[0].alike.replace("FILE", str(together)).replace("OUTPUT", str(folder / "together.o"))
    entry = {"directory": batch[0].folder, "command": command, "file": str(together)}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    return run(folder, together, f"--config-file={ROOT / '.clang-tidy'}", *AS_INCLUDED) is None


def main() -> int:
    """Checks every file of the build's compile commands that has changed since it last passed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("build", type=Path, help="a build folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    tool = version + (ROOT / ".clang-tidy").read_bytes()
    sources = [
        Source.of(entry)
        for entry in json.loads((options.build / "compile_commands.json").read_text())
        if any(Path(entry["file"]).is_relative_to(ROOT / folder) for folder in CHECKED)
    ]
    keys = {source: key(source, tool) for source in sources}
    CACHE.mkdir(parents=True, exist_ok=True)
    changed = sorted((source for source in keys if not (CACHE / keys[source]).exists()), key=lambda each: each.path)

    failed = 0
    groups = list(batches(changed))
    with ThreadPoolExecutor(options.jobs) as pool:
        found_in = pool.map(lambda number: check(options.build, number, groups[number]), range(len(groups)))
        for group, found in zip(groups, found_in, strict=True):
            failed += len(found)
            for source in group:
                if source in found:
                    print(f"clang-tidy: {source.path.relative_to(ROOT)}\n{found[source]}", flush=True)
                else:
                    (CACHE / keys[source]).touch()
    print(f"clang-tidy: {len(sources)} files, {len(changed)} of them changed, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
