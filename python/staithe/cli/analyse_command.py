"""`staithe analyse`."""

from __future__ import annotations

import sys
import traceback

from .faults import explain, is_ours
from .mpi_group import world


def run_analysis(reference: str, stream: str) -> None:
    """Runs the analysis in `FILE.py[:Class]` on the stream until it ends."""
    import staithe

    group = world()
    try:
        analysis = staithe.load_analysis(reference)()
        staithe.analyse(analysis, stream, group=group)
    except Exception as error:
        _report(error)
        if group is not None:
            # The other ranks may wait for this one in a collective call.
            group.Abort(1)
        sys.exit(1)


def _report(error: Exception) -> None:
    """The analysis is its author's own code: its errors keep their traceback, ours have one line.

    The line names the class: a launcher tells by PeerLost that another program is to blame.
    """
    if is_ours(error):
        print(f"staithe: {type(error).__name__}: {explain(error)}", file=sys.stderr, flush=True)
    else:
        traceback.print_exception(error)
