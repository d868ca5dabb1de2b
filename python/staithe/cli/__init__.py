"""The command `staithe`: looks at streams, runs workflows and analyses.

Every command is imported when it is called, so that `staithe --help` answers at once; and `staithe serve`, which others
wait for, is mostly called without what reads the others' command lines.
"""

from __future__ import annotations

import sys

from .faults import report_faults


def main() -> None:
    """The entry point of the command `staithe`."""
    with report_faults():
        if sys.argv[1:2] == ["serve"] and _serve(sys.argv[2:]):
            return
        from .app import app

        app(prog_name="staithe")


def _serve(words: list[str]) -> bool:
    """Whether the command line was plain."""
    from .options import plain_values
    from .serve_command import OPTIONS, serve

    values = plain_values(OPTIONS, words)
    if values is not None:
        serve(**values)
    return values is not None
