"""Errors as a user sees them: one line that says what happened and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import Error
from .shown import shown


class CommandError(Exception):
    """What a command cannot do, and what to do about it."""


@contextmanager
def report_faults() -> Iterator[None]:
    """Turns an exception into a line on stderr and exit code 1; STAITHE_LOG=debug keeps the traceback."""
    try:
        yield
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does: no error of ours. Python's own flush at exit must
        # not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("STAITHE_LOG") == "debug":
            raise
        for line in explain(error).split("\n"):
            print(f"staithe: {shown(line)}", file=sys.stderr)
        sys.exit(1)


def explain(error: Exception) -> str:
    """The message of an error, with its class where nobody wrote the message for users."""
    if is_ours(error) or isinstance(error, OSError):
        return str(error)
    return f"{type(error).__name__}: {error} (STAITHE_LOG=debug shows where)"


def is_ours(error: Exception) -> bool:
    """Whether the error is one of Staithe's own, whose messages say what to do."""
    return isinstance(error, (Error, CommandError))
