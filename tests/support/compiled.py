"""C programs and libraries beside this file, compiled when they are first asked for."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

COMPILER = shutil.which("cc") or shutil.which("gcc")

_SOURCES = Path(__file__).resolve().parent
_PRODUCTS = _SOURCES.parents[1] / "build" / "support"


def compiled(source: str, options: Sequence[str] = ()) -> Path:
    """What the C compiler makes of the file of that name. It is kept until the source or the options change."""
    assert COMPILER is not None, "there is no C compiler: ask for COMPILER, and skip the test"
    path = _SOURCES / source
    state = hashlib.sha256(path.read_bytes() + repr((COMPILER, *options)).encode()).hexdigest()
    product = _PRODUCTS / f"{path.stem}-{state[:16]}"
    if not product.exists():
        _PRODUCTS.mkdir(parents=True, exist_ok=True)
        unfinished = product.with_suffix(f".{os.getpid()}")  # others may be compiling it, too
        subprocess.run([COMPILER, "-O2", *options, "-o", str(unfinished), str(path)], check=True, timeout=60)
        unfinished.rename(product)
    return product


def clock_shim() -> Path:
    """The library that moves the wall clock of programs into which it is preloaded."""
    return compiled("clock_shim.c", ["-shared", "-fPIC"])


def statfs_shim() -> Path:
    """The library by which a directory looks as if it lay on NFS to programs into which it is preloaded."""
    return compiled("statfs_shim.c", ["-shared", "-fPIC"])


def kill_shim() -> Path:
    """The library that kills programs into which it is preloaded, at a moment that is counted."""
    return compiled("kill_shim.c", ["-shared", "-fPIC"])


def sync_shim() -> Path:
    """The library by which a disk fails for programs into which it is preloaded, at an attempt that is counted."""
    return compiled("sync_shim.c", ["-shared", "-fPIC"])
