"""Files in the run directory that processes left behind."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Timeout
from .finding import Finding, Who
from .identity import Identity

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
        note, owner = _fields(path, "stream"), Identity.in_name(path.name)
        # Pids in notes of other hosts and pid namespaces name other processes here.
        if note is not None and owner is not None and owner.can_be_seen and not owner.is_gone:
            yield note


def read_contacts(directory: Path) -> Iterator[dict[str, Any]]:
    """The contact files of streams, but for those of dead processes."""
    for path in sorted(directory.glob("*.stream.contact")):
        contact = _fields(path, "name", "boot")
        if contact is not None and not _publisher(contact).is_gone:
            yield contact


def publisher_is_elsewhere(contact: Mapping[str, Any]) -> bool:
    """Whether a contact is of a process that cannot be reached, since it is of another host."""
    return bool(contact["boot"] != Identity.here().boot)


def _look_at(path: Path) -> StaleFile | None:
    kind = _KINDS.get(path.suffix, "file")
    if path.suffix == ".contact":
        fields = _fields(path, "name", "boot")
        if fields is not None and _publisher(fields).is_gone:
            return StaleFile(path, kind, Who(fields["program"], fields["pid"], fields["host"]))
    elif path.suffix == ".progress":
        if _next_step(path) == 0 and not _is_in_use(path):
            return StaleFile(path, kind, None)
    elif (owner := Identity.in_name(path.name)) is not None and owner.is_gone:
        note = _fields(path, "stream") if path.suffix == ".waiting" else None
        program = "a process" if note is None else note["program"]
        return StaleFile(path, kind, Who(program, owner.pid, socket.gethostname()))
    return None


def _publisher(contact: Mapping[str, Any]) -> Identity:
    return Identity(contact["pid"], contact["start_time"], contact["boot"], contact["pid_namespace"])


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
    return any(contact["name"] == name for contact in read_contacts(directory)) or any(
        note["stream"] == name for note in read_notes(directory)
    )


def _fields(path: Path, *texts: str) -> dict[str, Any] | None:
    """What a contact file or a note says, if it says what it must; others are the library's to complain about."""
    numbers = ("pid", "start_time", "pid_namespace") if path.suffix == ".contact" else ("pid",)
    try:
        fields = json.loads(path.read_text())
        whole = all(isinstance(fields[name], int) for name in numbers)
        return fields if whole and all(isinstance(fields[name], str) for name in ("program", "host", *texts)) else None
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
