"""`staithe analyse`."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from ..workflow.analysis_file import find_analysis
from ..workflow.model import AnalysisClass
from .faults import CommandError, explain, is_ours
from .mpi_group import world

if TYPE_CHECKING:
    import staithe


def run_analysis(reference: str, stream: str) -> None:
    """Runs the analysis in `FILE.py[:Class]` on the stream until it ends."""
    import staithe

    try:
        found = find_analysis(reference, Path.cwd())
    except ValueError as error:
        raise CommandError(str(error)) from error
    group = world()
    try:
        staithe.analyse(_load(found), stream, group=group)
    except Exception as error:
        _report(error)
        if group is not None:
            # The other ranks may wait for this one in a collective call.
            group.Abort(1)
        sys.exit(1)


def _load(found: AnalysisClass) -> staithe.Analysis:
    import staithe

    spec = importlib.util.spec_from_file_location(found.file.stem, found.file)
    assert spec is not None, "the file is there and is Python"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # As for a script: the file may import its neighbours, and what it defines can be pickled.
    sys.path.insert(0, str(found.file.parent))
    sys.modules[found.file.stem] = module
    spec.loader.exec_module(module)
    kind = getattr(module, found.name)
    if not (isinstance(kind, type) and issubclass(kind, staithe.Analysis)):
        raise CommandError(f"{found} is no subclass of staithe.Analysis")
    return kind()


def _report(error: Exception) -> None:
    """The analysis is its author's own code: its errors keep their traceback, ours have one line."""
    if is_ours(error):
        print(f"staithe: {explain(error)}", file=sys.stderr)
    else:
        traceback.print_exception(error)
