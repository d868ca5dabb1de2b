"""Cutting what a program prints into lines, with bounded memory."""

from __future__ import annotations

# A line longer than this is handed on in pieces: a program that never ends a line cannot fill our memory.
_LONGEST = 64 * 1024


class LineSplitter:
    """Bytes in, whole lines out. Of a line that carriage returns overwrote, only the last state is kept."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            lines.append(self._rest)
            self._rest = b""
        return [_text(line) for line in lines]

    def end(self) -> list[str]:
        """The last line, if the program did not end it."""
        rest, self._rest = self._rest, b""
        return [_text(rest)] if rest else []


def _text(line: bytes) -> str:
    return line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace")
