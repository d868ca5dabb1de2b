"""The private directory of one run, and the guardian that removes it."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from . import guardian
from .launch import RunDirectories

# The path of a Unix socket has 107 characters at most, and a stream's name goes into it too.
_LONGEST_BASE = 40


class RunDirectory:
    """A directory for one run, readable by its user alone; what lives of the run ends with it.

    A guardian process watches over it, so that this also holds when the launcher is killed.
    """

    def __init__(self, traced: bool = False, shared: Path | None = None) -> None:
        """`shared` is a directory that all hosts of the run see; None: it is of this one alone."""
        base = tempfile.gettempdir()
        if len(base) > _LONGEST_BASE:
            base = "/tmp"
        name = f"staithe-{secrets.token_hex(6)}"
        self.path = Path(base) / name if shared is None else shared / f".{name}"
        self.directories = RunDirectories(
            contacts=self.path / "run",
            summaries=self.path / "done",
            traces=self.path / "trace" if traced else None,
        )
        # The guardian comes first: what it is to remove must not be there before it is.
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian.__file__, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            bufsize=0,
        )
        try:
            for directory in (self.path, self.directories.contacts, self.directories.summaries):
                directory.mkdir(mode=0o700)
        except OSError:
            self.close()
            raise

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def guard(self, group: int) -> None:
        """From now on the process group ends with the run."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The process group has ended; its number may soon be another's."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """Ends what is left of the run and removes the directory."""
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait(timeout=60)
        # Only if the guardian itself was killed is there anything left to remove.
        shutil.rmtree(self.path, ignore_errors=True)

    def _tell(self, line: str) -> None:
        assert self._guardian.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._guardian.stdin.write(line.encode())
