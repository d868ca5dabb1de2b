"""Which programs of a run are to open which streams, and which of them live: for those who wait for them.

`programs.json` in the run's directory of contacts, written anew with each program that starts; the core reads it
(`src/stream/finding/roster.hpp`). A program that has no process yet is about to get one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from .model import Placement, Program, Workflow


def opened_by(workflow: Workflow, program: Program) -> tuple[list[str], list[str]]:
    """The streams that the program writes, with the analyses that run inside it, and those that it reads in a process
    of its own."""
    writes = [stream.name for stream in workflow.written_by(program)]
    reads = [
        stream.name
        for stream in workflow.streams
        if program.name in stream.readers and stream.placement is not Placement.INLINE and not stream.is_recording
    ]
    return writes, reads


class Roster:
    """The file, and what it says."""

    def __init__(self, workflow: Workflow, directory: Path) -> None:
        self._file = directory / "programs.json"
        self._programs: dict[str, dict[str, object]] = {}
        for program in workflow.processes:
            writes, reads = opened_by(workflow, program)
            self._programs[program.name] = {"name": program.name, "writes": writes, "reads": reads}
        self._write()

    def started(self, program: str, pid: int) -> None:
        """The program has a process now."""
        from ..diagnosis.identity import Identity

        # A time that no process has, for one that has none any more.
        identity = Identity.of(pid) or replace(Identity.here(), pid=pid, start_time=1)
        self._programs[program] |= asdict(identity)
        self._write()

    def _write(self) -> None:
        draft = self._file.with_suffix(".new")
        draft.write_text(json.dumps({"programs": list(self._programs.values())}, indent=2))
        draft.rename(self._file)
