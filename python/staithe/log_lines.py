"""What the library logs, in Python's logging: the logger ``staithe``."""

from __future__ import annotations

import logging
import os

from . import _core

_logger = logging.getLogger("staithe")
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)  # as the library counts them


def follow_logging() -> None:
    """Have log lines go where the program's logging is configured to, else to standard error."""
    if _logger.hasHandlers():
        made = [level for level in _LEVELS if _logger.isEnabledFor(level)]
        _core.log_to(_receive, max(len(made) - 1, 0))
    else:
        _core.log_to_standard_error()


def _receive(level: int, time: float, text: str) -> None:
    # STAITHE_LOG, which is set from outside, may ask for more than the program does.
    if not (os.environ.get("STAITHE_LOG") or _logger.isEnabledFor(_LEVELS[level])):
        return
    record = _logger.makeRecord(_logger.name, _LEVELS[level], "libstaithe", 0, text, (), None)
    record.created, record.msecs = time, time % 1 * 1000  # when the line was made, not when it arrived here
    _logger.handle(record)
