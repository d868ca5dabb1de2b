"""Workflows: several programs and the streams between them, in one YAML file, launched by `staithe run`.

`load` checks everything before anything is started; `run` starts the programs, watches over them, and returns
how they ended. Nothing here prints: an observer is told what happens.
"""

from .ending import Ending
from .loader import load
from .model import AnalysisSource, Declared, Placement, Program, Servers, Stream, Workflow
from .problems import Problem, WorkflowError
from .report import RunReport, StreamReport
from .run import GRACE_SECONDS, RunObserver, run
from .sampler import Sample, ServerSample
from .shortfalls import ended_unread, readers_missing, shortfalls
from .supervisor import Outcome, StartError
from .trace import TraceSummary, merge

__all__ = [
    "GRACE_SECONDS",
    "AnalysisSource",
    "Declared",
    "Ending",
    "Outcome",
    "Placement",
    "Problem",
    "Program",
    "RunObserver",
    "RunReport",
    "Sample",
    "ServerSample",
    "Servers",
    "StartError",
    "Stream",
    "StreamReport",
    "TraceSummary",
    "Workflow",
    "WorkflowError",
    "ended_unread",
    "load",
    "merge",
    "readers_missing",
    "run",
    "shortfalls",
]
