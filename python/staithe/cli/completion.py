"""What a shell may complete: names of live streams, and files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def streams(incomplete: str) -> list[str]:
    """The live streams whose names begin so."""
    from .. import _core
    from .shown import shown

    return [name for name in sorted(_core.stream_names()) if name.startswith(incomplete) and name == shown(name)]


def workflows(incomplete: str) -> list[str]:
    """YAML files, and directories, which may have some."""
    return list(_files(incomplete, (".yaml", ".yml")))


def analyses(incomplete: str) -> list[str]:
    """Python files, and directories, which may have some."""
    return list(_files(incomplete, (".py",)))


def _files(incomplete: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    directory, slash, start = incomplete.rpartition("/")
    try:
        entries = sorted(Path(directory + slash or ".").iterdir())
    except OSError:
        return
    for entry in entries:
        # Hidden ones, as in a shell, only for who begins with the dot.
        if entry.name.startswith(start) and (start or not entry.name.startswith(".")):
            if entry.is_dir():
                yield f"{directory}{slash}{entry.name}/"
            elif entry.suffix in suffixes:
                yield f"{directory}{slash}{entry.name}"
