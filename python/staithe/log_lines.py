"""What the library logs, in Python's logging: the logger ``staithe``.

It takes a while to import logging, and who has configured it has done so: nobody else waits for that.
"""

from __future__ import annotations

import os
import sys

from . import _core


def follow_logging() -> None:
    """Have log lines go where the program's logging is configured to, else to standard error."""
    if "logging" in sys.modules:
        import logging

        logger = logging.getLogger("staithe")
        if logger.hasHandlers():
            made = [level for level in _levels() if logger.isEnabledFor(level)]
            _core.log_to(_receive, max(len(made) - 1, 0))
            return
    _core.log_to_standard_error()


def _receive(level: int, time: float, text: str) -> None:
    import logging

    logger, number = logging.getLogger("staithe"), _levels()[level]
    # STAITHE_LOG, which is set from outside, may ask for more than the program does.
    if not (os.environ.get("STAITHE_LOG") or logger.isEnabledFor(number)):
        return
    record = logger.makeRecord(logger.name, number, "libstaithe", 0, text, (), None)
    record.created, record.msecs = time, time % 1 * 1000  # when the line was made, not when it arrived here
    logger.handle(record)


def _levels() -> tuple[int, ...]:
    """As the library counts them."""
    import logging

    return logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG
