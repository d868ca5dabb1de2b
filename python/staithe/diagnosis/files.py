"""Files in the run directory that processes left behind."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Timeout
from .finding import Finding, Who
from .processes import Process

_KINDS = {".contact": "contact file", ".waiting": "waiting note", ".socket": "socket", ".new": "unfinished file"}
_LOCK_SECONDS = 5.0


@dataclass(frozen=True)
class StaleFile:
    """A file whose process is gone, and who that was."""

    path: Path
    kind: str
    owner: Who

    @property
    def finding(self) -> Finding:
        """What to say of it."""
        return Finding(
            "stale-file",
            f"the {self.kind} {self.path} was left by {self.owner}, which is gone",
            "harmless, `staithe doctor --clean` removes it",
            (self.owner,),
        )


def find_stale_files(directory: Path) -> list[StaleFile]:
    """What dead processes have left in a run directory."""
    if not directory.is_dir():
        return []
    return [stale for path in sorted(directory.iterdir()) if (stale := _look_at(path)) is not None]


def remove(files: Iterable[StaleFile]) -> list[StaleFile]:
    """Removes them, if they are still stale; returns those that it removed."""
    removed = []
    for file in files:
        # As the library does it: nobody takes the name of a stream between the look and the removal.
        with _locked(file.path.parent):
            if _look_at(file.path) == file:
                file.path.unlink()
                removed.append(file)
    return removed


def read_notes(directory: Path) -> Iterator[dict[str, Any]]:
    """The notes of live processes that wait for a stream that nobody has opened."""
    for path in sorted(directory.glob("*.waiting")):
        note = _fields(path)
        if note is not None and _look_at(path) is None:
            yield note


def read_contacts(directory: Path) -> Iterator[dict[str, Any]]:
    """The contact files of live processes."""
    for path in sorted(directory.glob("*.contact")):
        contact = _fields(path)
        if contact is not None and _look_at(path) is None:
            yield contact


def _look_at(path: Path) -> StaleFile | None:
    kind = _KINDS.get(path.suffix)
    match path.suffix:
        case ".contact" | ".waiting":
            fields = _fields(path)
            if fields is not None and Process(fields["pid"]).start_time != fields["start_time"]:
                return StaleFile(path, str(kind), Who(fields["program"], fields["pid"], fields["host"]))
        case ".socket" | ".new":
            found = re.search(r"(\d+)\.(\d+)\.(new|socket)$", path.name)
            start_time = Process(int(found[1])).start_time if found else None
            # The second number of a socket is its process's start time.
            if found and (start_time is None or (found[3] == "socket" and start_time != int(found[2]))):
                return StaleFile(path, str(kind), Who("a process", int(found[1]), socket.gethostname()))
    return None


def _fields(path: Path) -> dict[str, Any] | None:
    """What a contact file or a note says, if it says what it must; others are the library's to complain about."""
    try:
        fields = json.loads(path.read_text())
        whole = isinstance(fields["pid"], int) and isinstance(fields["start_time"], int)
        return (
            fields if whole and all(isinstance(fields[name], str) for name in ("stream", "program", "host")) else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            # Tried again and again rather than waited for: a stopped process may hold it.
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Timeout(f"another process has kept {directory} locked for {_LOCK_SECONDS:g} s") from None
                time.sleep(0.001)
        yield
    finally:
        os.close(descriptor)
