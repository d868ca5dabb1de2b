"""`staithe analyse`."""

from __future__ import annotations

import sys
import traceback

from ..workflow.values import argument_of_text
from .faults import CommandError, explain, is_ours
from .mpi_group import world
from .shown import shown


def run_analysis(reference: str, stream: str, settings: list[str], writes: str | None) -> None:
    """Runs the analysis in `FILE.py[:NAME]`, with NAME=VALUE as its arguments, on the stream until it ends.

    `writes` is the stream of what a function returns, if not the one that it declares.
    """
    import staithe
    from staithe.analysis_files import make_analysis

    group = world()
    try:
        analysis = make_analysis(reference, _arguments(settings), writes)
        staithe.analyse(analysis, stream, group=group)
    except Exception as error:
        _report(error)
        if group is not None:
            # The other ranks may wait for this one in a collective call.
            group.Abort(1)
        sys.exit(1)


def _arguments(settings: list[str]) -> dict[str, object]:
    arguments = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise CommandError(f"--set {setting}: is not NAME=VALUE")
        arguments[name] = argument_of_text(value)
    return arguments


def _report(error: Exception) -> None:
    """The analysis is its author's own code: its errors keep their traceback, ours have one line, and what is noted.

    The line names the class: a launcher tells by PeerLost that another program is to blame.
    """
    if is_ours(error):
        lines = [f"{type(error).__name__}: {explain(error)}", *getattr(error, "__notes__", ())]
        print(*(f"staithe: {shown(line)}" for line in lines), sep="\n", file=sys.stderr, flush=True)
    else:
        traceback.print_exception(error)
