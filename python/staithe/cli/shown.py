"""Text as it may go to a terminal: that of other programs, such as names and messages, and lines."""

from __future__ import annotations


def shown(text: str) -> str:
    """The text in one line, with what a terminal would not print, or obey, as escapes: `\\x1b`, `\\n`."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )


def print_line(text: str) -> None:
    """Prints a line in one write: commands that share an output leave each other's lines whole, unbuffered too."""
    print(f"{text}\n", end="", flush=True)
