"""The command `staithe`: looks at streams, runs workflows and analyses.

Every command is imported when it is called, so that `staithe --help` answers at once.
"""

from __future__ import annotations


def main() -> None:
    """The entry point of the command `staithe`."""
    from .app import run_app

    run_app()
