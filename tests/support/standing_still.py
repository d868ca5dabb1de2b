"""Processes that are stopped: a signal to do so is there before all threads are."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def stop(pid: int) -> None:
    """SIGSTOP; returns when the process stands still, with all its threads."""
    os.kill(pid, signal.SIGSTOP)
    while not all("State:\tT" in thread.read_text() for thread in Path(f"/proc/{pid}/task").glob("*/status")):
        time.sleep(0.001)
