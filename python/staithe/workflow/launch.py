"""From a workflow's programs to command lines and environments."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .model import Placement, Program, Stream, Workflow
from .mpi import find_launcher, is_on_several_hosts, launcher_variables, launcher_words
from .python_command import program_path, resolve_python
from .roster import opened_by
from .servers import server_programs
from .values import argument_text

# What the launcher decides for its programs: values from outside would contradict the workflow file.
_FROM_THE_FILE = ("STAITHE_STREAMS", "STAITHE_PLACEMENT", "STAITHE_ANALYSES")
DECIDED_HERE = (
    *_FROM_THE_FILE,
    "STAITHE_OPENS",
    "STAITHE_RUN_DIR",
    "STAITHE_SUMMARY_DIR",
    "STAITHE_PROGRAM",
    "STAITHE_TRACE",
)


@dataclass(frozen=True)
class RunDirectories:
    """Where one run keeps its contact files, what its writers leave when they close, and traces if they are wanted."""

    contacts: Path
    summaries: Path
    traces: Path | None = None


@dataclass(frozen=True)
class Launch:
    """One process to start: its words, environment and directory. `ranks` is None for a plain process; what `serves` is
    there before the others, and after them."""

    name: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    ranks: int | None = None
    hosts: tuple[str, ...] = ()
    serves: bool = False


def launches(workflow: Workflow, directories: RunDirectories) -> tuple[Launch, ...]:
    """The processes of a workflow: its servers, and then its programs in the order of its file."""
    return (
        *(_launch(workflow, server, directories, serves=True) for server in server_programs(workflow.servers)),
        *(_launch(workflow, program, directories) for program in workflow.processes),
    )


def _launch(workflow: Workflow, program: Program, directories: RunDirectories, serves: bool = False) -> Launch:
    environment = _environment(workflow, program, directories)
    return Launch(
        name=program.name,
        words=_words(workflow, program, environment),
        environment=environment,
        directory=workflow.directory_of(program),
        ranks=program.ranks,
        hosts=program.hosts,
        serves=serves,
    )


def _words(workflow: Workflow, program: Program, environment: Mapping[str, str]) -> tuple[str, ...]:
    if program.analysis is not None:
        stream = next(stream.name for stream in workflow.streams if program.name in stream.readers)
        words: tuple[str, ...] = (
            *(sys.executable, "-m", "staithe.cli"),
            *("analyse", str(program.analysis), stream),
            *(f"--set={name}={argument_text(value)}" for name, value in program.arguments.items()),
            *((f"--writes={results.name}",) if (results := workflow.results_of(program)) else ()),
        )
    else:
        assert program.command is not None, "the loader lets no program pass without a command or an analysis"
        words = resolve_python(program.command, program.ranks)
    if program.ranks is None and not program.hosts:
        return words
    launcher = find_launcher()
    assert launcher is not None, "the loader lets no ranks and hosts pass without mpiexec or srun"
    passed_on = {
        name for name in environment if name.startswith("STAITHE_") or os.environ.get(name) != environment[name]
    }
    return (*launcher_words(launcher, program.ranks or 1, program.hosts, passed_on), *words)


def _environment(workflow: Workflow, program: Program, directories: RunDirectories) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _FROM_THE_FILE}
    environment |= {
        **launcher_variables(),
        "PATH": program_path(),
        "STAITHE_RUN_DIR": str(directories.contacts),
        "STAITHE_SUMMARY_DIR": str(directories.summaries),
        "STAITHE_PROGRAM": program.name,
        **program.environment,
    }
    if is_on_several_hosts(workflow):
        # Whoever has programs on several hosts wants them to be reached.
        environment.setdefault("STAITHE_LISTEN", ":0")
    if program.timeout is not None:
        environment["STAITHE_TIMEOUT"] = repr(program.timeout)
    if directories.traces is not None:
        environment["STAITHE_TRACE"] = str(directories.traces)
    if program.ranks is None or program.ranks == 1:
        # Else a Python program's lines would come in blocks of 8 KiB, since its stdout is a pipe. Several
        # ranks would mix their lines piece by piece.
        environment.setdefault("PYTHONUNBUFFERED", "1")
    environment["STAITHE_OPENS"] = json.dumps(
        {
            purpose: dict.fromkeys(names, program.ranks or 1)
            for purpose, names in zip(("writes", "reads"), opened_by(workflow, program), strict=True)
        }
    )
    written = workflow.written_by(program)
    settings = {stream.name: _settings(stream) for stream in written} | _recordings_read(workflow, program)
    if settings:
        environment["STAITHE_STREAMS"] = json.dumps(settings)
    inline = tuple(stream for stream in written if stream.placement is Placement.INLINE)
    if inline:
        environment["STAITHE_ANALYSES"] = json.dumps(
            [_analysis(workflow, stream, workflow.program(name)) for stream in inline for name in stream.readers]
        )
        if inline == written:
            environment["STAITHE_PLACEMENT"] = str(Placement.INLINE)
    return environment


def _analysis(workflow: Workflow, stream: Stream, program: Program) -> dict[str, object]:
    """An analysis that runs inline, as its writer takes it from STAITHE_ANALYSES."""
    results = workflow.results_of(program)
    writes = {} if results is None else {"writes": results.name}
    return {"stream": stream.name, "analysis": str(program.analysis), "args": dict(program.arguments), **writes}


def _recordings_read(workflow: Workflow, program: Program) -> dict[str, dict[str, str]]:
    """What the program reads of recordings, or begins with, as its readers take it from STAITHE_STREAMS."""
    settings: dict[str, dict[str, str]] = {}
    for stream in workflow.streams:
        if program.name in stream.readers and stream.history is not None:
            settings[stream.name] = {"history": str(stream.history)}
        elif program.name in stream.readers and stream.is_recording:
            settings[stream.name] = {"placement": str(Placement.FILE), "file": str(stream.file)}
    return settings


def _settings(stream: Stream) -> dict[str, object]:
    """The settings of one stream as its writer takes them from STAITHE_STREAMS."""
    # The analyses that run inline read the stream as one group, however many they are.
    readers: int | None = 1 if stream.placement is Placement.INLINE else len(stream.readers)
    if stream.file is not None:
        readers = None  # but the one that writes the file
    settings: dict[str, object] = {
        "placement": str(stream.placement),
        "readers": readers,
        "queue_steps": stream.queue_steps,
        "queue_bytes": stream.queue_bytes,
        "overflow": stream.overflow,
        "spill_directory": None if stream.spill_dir is None else str(stream.spill_dir),
        "spill_bytes": stream.spill_bytes,
        "error": dict(stream.error) or None,
        "file": None if stream.file is None else str(stream.file),
        "codec": stream.codec,
    }
    return {name: value for name, value in settings.items() if value is not None}
