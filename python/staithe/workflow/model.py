"""What a workflow is: programs and the streams between them. Values only; nothing here starts anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Placement(StrEnum):
    """Where a stream's blocks live and who serves them, as far as this version launches it."""

    PRODUCER = "producer"
    INLINE = "inline"
    SERVERS = "servers"
    FILE = "file"


@dataclass(frozen=True)
class Declared:
    """What `staithe.analysis` says of a function; None where its file does not tell without being run.

    Variables, and what each is to be, as a text: empty where that is not said.
    """

    inputs: Mapping[str, str] | None = None
    outputs: Mapping[str, str] | None = None
    stream: str | None = None


@dataclass(frozen=True)
class AnalysisSource:
    """An analysis, by the file that defines it: a subclass of staithe.Analysis, or a function that is `declared` to be
    one."""

    file: Path
    name: str
    declared: Declared | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"


@dataclass(frozen=True)
class Program:
    """One program of a workflow: a command line, or an analysis that Staithe runs.

    `ranks` is None for a plain process; a number, even 1, starts that many ranks through mpiexec. `hosts` are where
    they run, in turn; a plain process runs on the only one. None named: on the launcher's host. `arguments` are
    those of the analysis's class or function; those of a command are part of it. `directory` is where it runs,
    `timeout` how many seconds its calls wait, None: as the workflow's and as the environment says.
    """

    name: str
    command: tuple[str, ...] | None = None
    analysis: AnalysisSource | None = None
    ranks: int | None = None
    hosts: tuple[str, ...] = ()
    arguments: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class Stream:
    """One stream: who writes it, who reads it, and how much of it may be in flight.

    Placed at FILE, it is the `file`, that its source writes or, where that is empty, its readers read. `history` is a
    recording that its readers begin with. `variables` are what its source writes, with what each is; None: nobody says.
    """

    name: str
    source: str
    readers: tuple[str, ...] = ()
    placement: Placement = Placement.PRODUCER
    queue_steps: int | None = None
    queue_bytes: str | None = None
    overflow: str | None = None
    spill_dir: Path | None = None
    spill_bytes: str | None = None
    error: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    codec: str | None = None
    history: Path | None = None
    variables: Mapping[str, str] | None = None

    @property
    def is_recording(self) -> bool:
        """Whether it was written before, and nobody of the workflow writes it."""
        return self.file is not None and not self.source


@dataclass(frozen=True)
class Servers:
    """The servers of a run, which keep streams and spaces together as long as its programs run.

    `hosts` are where they run, in turn; none named: on the launcher's host. `memory`, `spill_bytes` and `cores` are
    what each of them may use, `spill` is one folder for all.
    """

    count: int
    hosts: tuple[str, ...] = ()
    memory: str | None = None
    spill: Path | None = None
    spill_bytes: str | None = None
    cores: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called beside the programs, by rank."""
        return tuple(f"server-{rank}" for rank in range(self.count))


@dataclass(frozen=True)
class Workflow:
    """Programs, the streams between them, the directory in which they run, and the servers that there are meanwhile."""

    name: str
    file: Path
    directory: Path
    programs: tuple[Program, ...]
    streams: tuple[Stream, ...]
    servers: Servers | None = None

    def directory_of(self, program: Program) -> Path:
        """Where the program runs."""
        return program.directory or self.directory

    def program(self, name: str) -> Program:
        """The program of that name."""
        return next(program for program in self.programs if program.name == name)

    def runs_inside_another(self, program: Program) -> bool:
        """Whether the program is an analysis that its stream's writer runs, and so no process of its own."""
        return self.process_of(program.name) != program.name

    def process_of(self, name: str) -> str:
        """The program in whose process one runs: itself, or the writer that runs it inline."""
        inline = (stream for stream in self.streams if stream.placement is Placement.INLINE)
        return next((stream.source for stream in inline if name in stream.readers), name)

    def written_by(self, program: Program) -> tuple[Stream, ...]:
        """The streams that a process writes: its program's, and those of analyses that run inside it."""
        return tuple(stream for stream in self.streams if self.process_of(stream.source) == program.name)

    def results_of(self, program: Program) -> Stream | None:
        """The stream that an analysis writes what its function returns to, if the file names one."""
        if program.analysis is None or program.analysis.declared is None:
            return None
        return next((stream for stream in self.streams if stream.source == program.name), None)

    @property
    def server_names(self) -> tuple[str, ...]:
        """The servers that are launched, by the names that they have beside the programs."""
        return self.servers.names if self.servers else ()

    @property
    def processes(self) -> tuple[Program, ...]:
        """The programs that are launched."""
        return tuple(program for program in self.programs if not self.runs_inside_another(program))
