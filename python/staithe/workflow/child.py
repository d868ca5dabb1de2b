"""One running program: its process group, its output and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from typing import IO

from .ending import Ending, host_of_rank, rank_signal
from .launch import Launch
from .lines import LineSplitter

_KEPT_LINES = 15
_KEPT_CHARACTERS = 2000
_CHUNK = 64 * 1024
# How the line begins by which a server says that programs can find it; it is no output for users.
_SERVING = "server '"
# More than a pipe holds.
_LAST_CHUNKS = 32


class OutputPipe:
    """One of a program's two output pipes, read without blocking."""

    def __init__(self, pipe: IO[bytes], take: Callable[[str], None]) -> None:
        self._pipe = pipe
        self._take = take
        self._splitter = LineSplitter()
        os.set_blocking(pipe.fileno(), False)

    @property
    def closed(self) -> bool:
        """Whether it was closed here."""
        return self._pipe.closed

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._pipe.fileno()

    def read(self) -> bool:
        """Hands on the lines of one chunk; False when nothing is there now, or ever again."""
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        for line in self._splitter.feed(data) if data else self._splitter.end():
            self._take(line)
        return bool(data)

    def close(self) -> None:
        """Hands on what is in the pipe and closes it; a process that was left behind may still print."""
        for _ in range(_LAST_CHUNKS):
            if not self.read():
                break
        for line in self._splitter.end():
            self._take(line)
        self._pipe.close()


class Child:
    """A program that was started, in a session and so in a process group of its own."""

    def __init__(self, launch: Launch, output: Callable[[str, str, str], None]) -> None:
        """Raises OSError if it cannot be started.

        `output` gets the program, "stdout" or "stderr", and the line.
        """
        self.name = launch.name
        self.serves = launch.serves
        self.is_there = not launch.serves
        self._launch = launch
        self._last_words: deque[str] = deque(maxlen=_KEPT_LINES)
        self._rank_signal: int | None = None
        self._host = launch.hosts[0] if len(launch.hosts) == 1 else None
        self._signalled = False
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            launch.words,
            cwd=launch.directory,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.group = self._process.pid
        self.end_descriptor = self._watch_end()
        assert self._process.stdout is not None
        assert self._process.stderr is not None

        def from_stdout(line: str) -> None:
            if not self.is_there and line.startswith(_SERVING):
                self.is_there = True
                return
            if launch.ranks is not None or launch.hosts:
                self._rank_signal = self._rank_signal or rank_signal(line)
            note_host(line)
            output(self.name, "stdout", line)

        def note_host(line: str) -> None:
            if launch.hosts:
                self._host = self._host or host_of_rank(line)

        def from_stderr(line: str) -> None:
            note_host(line)
            self._last_words.append(line[:_KEPT_CHARACTERS])
            output(self.name, "stderr", line)

        self.pipes = (
            OutputPipe(self._process.stdout, from_stdout),
            OutputPipe(self._process.stderr, from_stderr),
        )

    def _watch_end(self) -> int:
        try:
            return os.pidfd_open(self._process.pid)
        except OSError:
            # Out of descriptors: what cannot be watched must not run.
            with self._process:
                self._process.kill()
            raise

    def send(self, number: int) -> None:
        """Sends a signal to the whole process group, unless it has ended."""
        if self._process.returncode is None:
            self._signalled = True
            send_to_group(self.group, number)

    def has_leftovers(self) -> bool:
        """Whether processes of the group outlive its ended leader."""
        return self._process.returncode is not None and send_to_group(self.group, 0)

    def end(self) -> Ending:
        """Waits for the process, which has ended or is about to, and takes the last of its output."""
        returncode = self._process.wait()
        seconds = time.monotonic() - self._started
        for pipe in self.pipes:
            pipe.close()
        os.close(self.end_descriptor)
        return Ending(
            program=self.name,
            ranks=self._launch.ranks,
            returncode=returncode,
            seconds=seconds,
            stopped=self._signalled,
            last_words=tuple(self._last_words),
            rank_signal=self._rank_signal if returncode != 0 else None,
            host=self._host if returncode != 0 or self.serves else None,
            served=self.serves,
        )


def send_to_group(group: int, number: int) -> bool:
    """Sends a signal to a process group; False if no process of it is left."""
    try:
        os.killpg(group, signal.Signals(number) if number else 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Members that changed their user: they are there, and not ours to end.
        return True
    return True
