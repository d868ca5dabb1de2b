"""Text of other programs, such as names and messages, as it may go to a terminal."""

from __future__ import annotations


def shown(text: str) -> str:
    """The text in one line, with what a terminal would not print, or obey, as escapes: `\\x1b`, `\\n`."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )
