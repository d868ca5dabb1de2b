"""The servers of a run: they keep the streams that are placed at them, as long as it lasts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .launch import RunDirectories
from .run_directory import RunDirectory
from .supervisor import StartError

_END_SECONDS = 5.0


@contextmanager
def serving(count: int, directory: RunDirectory) -> Iterator[None]:
    """That many servers in the run's directory, named `server-0` and so on, until the end of the block.

    Raises StartError if one does not begin to serve.
    """
    servers: list[subprocess.Popen[str]] = []
    try:
        for number in range(count):
            servers.append(_start(f"server-{number}", directory.directories))
            directory.guard(servers[-1].pid)
        for number, server in enumerate(servers):
            _await(f"server-{number}", server)
        yield
    finally:
        # What their streams leave for the report they write at their end.
        for server in servers:
            server.terminate()
        for server in servers:
            _end(server)
            directory.forget(server.pid)


def _start(name: str, directories: RunDirectories) -> subprocess.Popen[str]:
    environment = os.environ | {
        "STAITHE_RUN_DIR": str(directories.contacts),
        "STAITHE_SUMMARY_DIR": str(directories.summaries),
        "STAITHE_PROGRAM": name,
    }
    words = [sys.executable, "-m", "staithe.cli", "serve", "--name", name]
    try:
        # In a group of its own: Ctrl-C is for the programs, and it ends behind them.
        return subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
    except OSError as error:
        raise StartError(f"{name}: cannot start {words[0]} ({error.strerror})") from error


def _await(name: str, server: subprocess.Popen[str]) -> None:
    """It says one line when programs can find it."""
    assert server.stdout is not None
    if not server.stdout.readline():
        raise StartError(f"{name}: ended before it could serve (exit code {server.wait()})")


def _end(server: subprocess.Popen[str]) -> None:
    try:
        server.communicate(timeout=_END_SECONDS)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGKILL)
        server.communicate()
