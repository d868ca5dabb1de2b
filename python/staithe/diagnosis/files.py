"""Files in the run directory that processes left behind."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Timeout
from .finding import Finding, Who
from .processes import Process

_KINDS = {
    ".contact": "contact file",
    ".waiting": "waiting note",
    ".socket": "socket",
    ".new": "unfinished file",
    ".progress": "progress file",
}
_LOCK_SECONDS = 5.0
_PROGRESS = struct.Struct("<IIq")  # docs/formats/progress_file.md
_PROGRESS_HEAD = (0x52505453, 1)


@dataclass(frozen=True)
class StaleFile:
    """A file whose process is gone, and who that was, where the file tells."""

    path: Path
    kind: str
    owner: Who | None

    @property
    def finding(self) -> Finding:
        """What to say of it."""
        return Finding(
            "stale-file",
            f"the {self.kind} {self.path} was left by {self.owner or 'its writer'}, which is gone",
            "harmless, `staithe doctor --clean` removes it",
            () if self.owner is None else (self.owner,),
        )


def find_stale_files(directory: Path) -> list[StaleFile]:
    """What dead processes have left in a run directory."""
    if not directory.is_dir():
        return []
    return [stale for path in sorted(directory.iterdir()) if (stale := _look_at(path)) is not None]


def find_unfinished(directory: Path) -> Iterator[Finding]:
    """The streams whose writers died, and which might still be continued: to remove that is for users to decide."""
    for path in sorted(directory.glob("*.progress")):
        next_step = _next_step(path)
        if next_step and not _is_in_use(path):
            steps = "1 step" if next_step == 1 else f"{next_step} steps"
            yield Finding(
                "unfinished",
                f"stream '{path.stem}' has come to {steps} and has not ended, but its writer is gone",
                f"continue it (staithe.writer('{path.stem}', resume=True)); if nobody will, remove {path}",
            )


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
    """The notes of live processes that have waited for more than a moment."""
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
        case ".progress" if _next_step(path) == 0 and not _is_in_use(path):
            return StaleFile(path, str(kind), None)
    return None


def _next_step(path: Path) -> int:
    """Where a writer that resumes would begin."""
    try:
        magic, version, next_step = _PROGRESS.unpack(path.read_bytes())
    except (OSError, struct.error):
        return 0
    return max(0, int(next_step)) if (magic, version) == _PROGRESS_HEAD else 0


def _is_in_use(progress: Path) -> bool:
    """Whether a live process writes the stream, or waits for somebody who continues it."""
    name, directory = progress.stem, progress.parent
    return any(entry["stream"] == name for entry in (*read_contacts(directory), *read_notes(directory)))


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
