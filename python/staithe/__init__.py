"""Staithe moves n-dimensional data between running programs, step by step, at memory speed.

One program writes a stream of steps::

    with staithe.writer("melt") as out:
        with out.step() as step:
            step.put("x", x, unit="sigma")

and others read it, while it is written::

    for step in staithe.reader("melt"):
        print(step.index, step["x"][...].mean())

`staithe.writer` and `staithe.reader` open a stream, `staithe.Analysis` is code that runs on steps wherever it is
placed, `staithe.space` is a store of versions that programs share, `staithe.streams` and `staithe.describe` look at
live streams from outside, `staithe.set_limits` bounds what this process may hold, `staithe.codecs` makes arrays
smaller.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import codecs
from ._core import VERSION, Block, Loan, Reader, Step, Variable, Writer, WriteStep
from .analysing import analyse
from .analysis import Analysis
from .analysis_files import load_analysis
from .box import Box
from .budget import Limits, Usage, limits, set_limits, usage
from .ending import watch_threads
from .errors import (
    AlreadyExists,
    Closed,
    Deadlock,
    Error,
    InvalidArgument,
    LimitReached,
    NotFound,
    PeerLost,
    ProtocolError,
    SystemFailure,
    Timeout,
    WriterFailed,
)
from .group import Group
from .inspection import describe, streams
from .opening import reader, writer
from .space_batches import Batch, BatchGet
from .space_locks import Lock, View
from .space_results import Hit, Hits, Version
from .space_watches import Watch
from .spaces import Space, space

__version__ = VERSION

Mapping.register(Step)
watch_threads()

__all__ = [
    "AlreadyExists",
    "Analysis",
    "Batch",
    "BatchGet",
    "Block",
    "Box",
    "Closed",
    "Deadlock",
    "Error",
    "Group",
    "Hit",
    "Hits",
    "InvalidArgument",
    "LimitReached",
    "Limits",
    "Loan",
    "Lock",
    "NotFound",
    "PeerLost",
    "ProtocolError",
    "Reader",
    "Space",
    "Step",
    "SystemFailure",
    "Timeout",
    "Usage",
    "Variable",
    "Version",
    "View",
    "Watch",
    "WriteStep",
    "Writer",
    "WriterFailed",
    "__version__",
    "analyse",
    "codecs",
    "describe",
    "limits",
    "load_analysis",
    "reader",
    "set_limits",
    "space",
    "streams",
    "usage",
    "writer",
]
