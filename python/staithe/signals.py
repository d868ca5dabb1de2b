"""Signals to a process that waits for much else, or for nothing else, as events of its loop."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class SignalInbox:
    """While it is open, SIGINT, SIGTERM and SIGHUP make it readable instead of ending this process.

    Outside the main thread, where Python lets nobody set handlers, it stays empty.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._previous: dict[signal.Signals, object] = {}
        self._previous_wakeup = -1

    def __enter__(self) -> SignalInbox:
        if threading.current_thread() is threading.main_thread():
            self._previous_wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
            for number in _FORWARDED:
                # nohup's wish holds: the terminal may go, the run stays.
                if not (number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN):
                    self._previous[number] = signal.signal(number, _wake_only)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        if self._previous:
            signal.set_wakeup_fd(self._previous_wakeup)
        os.close(self._reader)
        os.close(self._writer)

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._reader

    def read(self) -> list[signal.Signals]:
        """The signals that came since the last call."""
        try:
            numbers = os.read(self._reader, 4096)
        except BlockingIOError:
            return []
        return [signal.Signals(number) for number in numbers if number in _FORWARDED]


def _wake_only(number: int, frame: FrameType | None) -> None:
    # The number has gone into the wakeup descriptor; a handler must be there for that to happen.
    del number, frame
