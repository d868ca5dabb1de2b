"""What the names of streams mean."""

from __future__ import annotations

from ._core import check_recording
from .errors import InvalidArgument


def is_live(stream: str) -> bool:
    """Whether a writer that is given this name opens a live stream of the run directory: no file, and no URL."""
    try:
        check_recording(stream, None, None)
    except InvalidArgument:
        return "/" not in stream
    return False
