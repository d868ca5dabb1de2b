"""Staithe moves n-dimensional data between running programs, step by step, at memory speed.

One program writes a stream of steps::

    with staithe.writer("melt") as out:
        with out.step() as step:
            step.put("x", x, unit="sigma")

and others read it, while it is written::

    for step in staithe.reader("melt"):
        print(step.index, step["x"][...].mean())

`staithe.writer` and `staithe.reader` open a stream, `staithe.Recorder` writes its steps to a file,
`staithe.RunningReduction` makes sums and means of them, `staithe.analysis` makes of a function what runs on steps
wherever it is placed, as a `staithe.Analysis` does, `staithe.space` is a store of versions that programs share,
`staithe.streams` and `staithe.describe` look at live streams from outside, `staithe.set_limits` bounds what this
process may hold, `staithe.codecs` makes arrays smaller.
"""

from __future__ import annotations

from collections.abc import Mapping

from ._core import VERSION, Step
from .ending import watch_threads
from .lazy import lazily

__version__ = VERSION

Mapping.register(Step)
watch_threads()

# Imported when they are first asked for, so that programs wait for what they use alone: looking at streams, or serving
# them, needs no NumPy. __init__.pyi has the same for type checkers.
__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "_core": "Block Loan Reader Recorder RunningReduction Step Variable WriteStep Writer",
        "analysing": "analyse",
        "analyses": "Analysis",
        "analysis_files": "load_analysis",
        "box": "Box",
        "budget": "Limits Usage limits set_limits usage",
        "errors": "AlreadyExists Closed Deadlock Error InvalidArgument LimitReached NotFound PeerLost ProtocolError "
        "SystemFailure Timeout WriterFailed",
        "function_analysis": "analysis",
        "group": "Group",
        "inspection": "describe streams",
        "opening": "reader writer",
        "space_batches": "Batch BatchGet",
        "space_locks": "Lock View",
        "space_results": "Hit Hits Version",
        "space_watches": "Watch",
        "spaces": "Space space",
    },
    public_modules="codecs",
    other_modules="arguments labelled log_lines masks names reopening sizes space_arguments space_contents "
    "space_futures typing",
)
__all__ += ["__version__"]
