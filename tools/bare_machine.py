"""A machine that has Python and nothing to build with: for trying there what must work on any.

Its root file system is a folder of copies: the interpreter with its standard library, a shell, and the shared libraries
that these are linked to or that every machine has which runs manylinux wheels. Commands see that folder as `/`, and in
it the folders that they are lent; they have no network. It takes root, or a kernel that gives user namespaces to
everybody.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

PROGRAMS = tuple(map(Path, ("/bin/bash", "/bin/sh", "/bin/sleep", "/usr/bin/env")))

# Of what manylinux wheels may take from the machine: the run-time libraries of C and C++.
SYSTEM_LIBRARIES = (
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
    "libutil.so.1",
)

IN_NAMESPACES = ["unshare", "--mount", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]

# ROOT FOLDER... -- COMMAND...
ENTER = """
root=$1; shift
while [ "$1" != -- ]; do mount --rbind "$1" "$root$1"; shift; done; shift
exec unshare --root "$root" "$@"
"""


def why_not() -> str:
    """Why there can be no such machine here; empty: there can be."""
    if shutil.which("unshare") is None:
        return "there is no unshare (Debian: util-linux)"
    attempt = subprocess.run([*IN_NAMESPACES, "true"], capture_output=True, text=True, check=False)
    return f"it takes root or user namespaces ({attempt.stderr.strip()})" if attempt.returncode else ""


class BareMachine:
    """One whose root is `root`, an empty folder, and which has `lent` where this one has it."""

    def __init__(self, root: Path, lent: Iterable[Path]) -> None:
        self.root = root
        self._lent = [*lent, Path("/dev"), Path("/proc")]
        for path in self._lent:
            place = self._place_of(path)
            if path.is_dir():
                place.mkdir(parents=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
        self._place_of(Path("/tmp")).mkdir(exist_ok=True)
        self._install_python_and_shell()

    def run(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> int:
        """Runs a command; returns its exit status."""
        enter = [*IN_NAMESPACES, "sh", "-euc", ENTER, "sh", self.root, *self._lent, "--", *command]
        return subprocess.run(enter, env=environment, stdin=subprocess.DEVNULL, check=False).returncode

    def _install_python_and_shell(self) -> None:
        interpreter = Path(sys.executable).resolve()
        library = Path(sysconfig.get_path("stdlib"))
        programs = [interpreter, *PROGRAMS]
        ignored = shutil.ignore_patterns("config-*", "*-packages", "test", "tests")
        shutil.copytree(library, self._place_of(library), ignore=ignored)
        linked = libraries_of([*programs, *library.glob("lib-dynload/*.so")])
        (libc,) = (file for file in linked if file.name == "libc.so.6")
        system = [libc.with_name(name) for name in SYSTEM_LIBRARIES]
        for file in {*programs, *linked, *system}:
            self._place_of(file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, self._place_of(file))

    def _place_of(self, path: Path) -> Path:
        return self.root / path.relative_to("/")


def libraries_of(files: Sequence[Path]) -> set[Path]:
    """The shared libraries that programs and libraries are linked to, directly or not, and the dynamic linker."""
    listing = subprocess.run(["ldd", *files], capture_output=True, text=True, check=True).stdout
    return {Path(path) for path in re.findall(r"^\s(?:\S+ => )?(/\S+) \(0x", listing, re.MULTILINE)}
