"""Running an analysis as a reader program."""

from __future__ import annotations

import os

from .analyses import Analysis
from .arguments import explained
from .function_analysis import FunctionAnalysis, for_one_run
from .group import Group, GroupLike
from .opening import reader


@explained
def analyse(
    analysis: Analysis,
    stream: str | os.PathLike[str],
    group: GroupLike = None,
    *,
    timeout: float | None = None,
    program: str | None = None,
) -> None:
    """Run an analysis on every step of a stream, until it ends.

    Args:
        analysis: what to run; of one that `staithe.analysis` has made, a run of its own.
        stream: the stream to read, or the path of a recording.
        group: the ranks that analyse together, as for `staithe.reader`.
        timeout: the most seconds to wait for the stream, and for each step, as for `staithe.reader`.
        program: the name under which this reader group is shown.

    Raises:
        Error: as `staithe.reader` and `Reader.next` do. What the analysis raises comes through.
    """
    run = for_one_run(analysis, "analyse(): analysis")
    with reader(stream, group=group, timeout=timeout, program=program) as steps:
        try:
            run.start(Group(steps.rank, steps.size), steps.attrs)
            for step in steps:
                run.step(step)
            run.finish()
        except BaseException as error:
            if isinstance(run, FunctionAnalysis):
                run.fail(error)
            raise
