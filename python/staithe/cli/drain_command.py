"""`staithe drain`."""

from __future__ import annotations

import math
import time

from rich.console import Console

from .. import _core
from .shown import print_line, shown

_BETWEEN_LOOKS = 0.25  # seconds
_MOST_SHOWN = 3
_TO_ANSWER = 5.0  # seconds


def drain_server(name: str, drops_kept: bool, timeout: float | None) -> int:
    """Ends a server once nobody needs what it has, and shows meanwhile what that is. 1: somebody still does."""
    console = Console(stderr=True)
    deadline = time.monotonic() + (math.inf if timeout is None else timeout)
    with console.status(f"draining server '{shown(name)}'") as status:
        while left := [shown(line) for line in _core.drain_server(name, drops_kept, _TO_ANSWER)]:
            if time.monotonic() >= deadline:
                status.stop()
                print("\n".join([f"server '{shown(name)}' takes in nothing new, but has what somebody needs:", *left]))
                return 1
            status.update(f"draining server '{shown(name)}': {_in_short(left)}")
            time.sleep(_BETWEEN_LOOKS)
    print_line(f"server '{shown(name)}' has been drained, and ends")
    return 0


def _in_short(left: list[str]) -> str:
    others = len(left) - _MOST_SHOWN
    return "; ".join(left[:_MOST_SHOWN]) + (f"; {others} more" if others > 0 else "")
