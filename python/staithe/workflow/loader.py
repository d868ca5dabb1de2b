"""From a workflow file to a `Workflow`: all problems are found first, then reported together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from . import checks, values
from .analysis_file import find_analysis
from .document import Document, read_document
from .launch import DECIDED_HERE
from .model import AnalysisSource, Placement, Program, Servers, Stream, Workflow
from .parameters import Parameters, parse_settings
from .problems import Problem, WorkflowError, hint
from .section import Section

_KEYS = ("name", "parameters", "programs", "streams", "servers")
_PROGRAM_KEYS = ("command", "analysis", "args", "ranks", "hosts", "env", "cwd", "timeout")
_SERVERS_KEYS = ("count", "hosts", "memory", "spill", "spill_bytes", "cores")
_STREAM_KEYS = (
    "from",
    "to",
    "placement",
    "queue_steps",
    "queue_bytes",
    "overflow",
    "spill_dir",
    "spill_bytes",
    "error",
    "file",
    "codec",
    "history",
    "variables",
)
# Placements that the design names and this version does not launch.
_LATER = ("node",)


def load(file: Path, settings: Iterable[str] = (), directory: Path | None = None) -> Workflow:
    """Reads and checks a workflow file.

    `settings` are NAME=VALUE for its parameters; `directory` is where its programs run, by default the file's
    own. Analyses are found from the file's own in any case. Raises WorkflowError with every problem that was
    found; a workflow that is returned can be launched.
    """
    document = read_document(file)
    problems: list[Problem] = []
    top = Section(document, problems, (), {} if document.values is None else document.values, _KEYS)
    workflow = _workflow(document, top, settings, (directory or file.parent).resolve())
    if not problems and not workflow.programs:
        message = "is missing or empty; name a program, such as programs: {sim: {command: python sim.py}}"
        problems.append(document.problem(("programs",), message))
    if not problems:
        problems += checks.relations(workflow, document)
    if not problems:
        problems += checks.executables(workflow, document)
    if problems:
        raise WorkflowError(file, problems)
    return workflow


def _workflow(document: Document, top: Section, settings: Iterable[str], directory: Path) -> Workflow:
    top = top.with_parameters(_parameters(document, top, settings))
    programs = top.section("programs")
    streams = top.section("streams")
    file = document.file
    # In the order of the file, in which their problems are told.
    launched = tuple(_program(programs.section(name, _PROGRAM_KEYS), name, file, directory) for name in programs)
    placed = tuple(_stream(streams.section(name, _STREAM_KEYS), name, directory) for name in streams)
    return Workflow(
        name=top.value("name", values.text, values.TEXT) or file.stem,
        file=file,
        directory=directory,
        programs=launched,
        streams=placed,
        servers=_servers(top, any(stream.placement is Placement.SERVERS for stream in placed), directory),
    )


def _parameters(document: Document, top: Section, settings: Iterable[str]) -> Parameters:
    section = top.section("parameters")
    defaults = {name: section.raw(name, values.parameter, values.PARAMETER) or "" for name in section}
    return Parameters(defaults | parse_settings(document.file, defaults, settings))


def _program(section: Section, name: str, file: Path, directory: Path) -> Program:
    if section.sound and "command" not in section and "analysis" not in section:
        section.complain((), "has neither 'command' nor 'analysis'; give one of them")
    if "command" in section and "analysis" in section:
        section.complain((), "has both 'command' and 'analysis'; keep one of them")

    def analysis(value: object) -> AnalysisSource | None:
        return find_analysis(value, file.parent.resolve()) if isinstance(value, str) else None

    command = section.words("command", values.COMMAND)
    if command is not None and "args" in section:
        command += section.words("args", values.WORDS) or ()
    return Program(
        name=name,
        command=command,
        analysis=section.value("analysis", analysis, "FILE.py or FILE.py:NAME"),
        ranks=section.value("ranks", values.count, values.COUNT),
        hosts=section.value("hosts", values.hosts, values.HOSTS) or (),
        arguments=_arguments(section) if "analysis" in section else {},
        environment=_environment(section.section("env")),
        directory=section.value("cwd", lambda value: _directory(value, directory), values.TEXT),
        timeout=section.value("timeout", values.seconds, values.SECONDS),
    )


def _arguments(section: Section) -> dict[str, object]:
    """What an analysis is made or called with: a mapping, where a command has words."""
    arguments = section.section("args")
    return {name: arguments.value(name, values.argument, values.ARGUMENT) for name in arguments}


def _environment(section: Section) -> dict[str, str]:
    environment = {}
    for name in section:
        if name == "STAITHE_TIMEOUT":
            section.complain((name,), "is the program's 'timeout': write that instead")
        elif name in DECIDED_HERE:
            section.complain((name,), "is set by `staithe run` itself, from the other parts of this file")
        else:
            environment[name] = section.text(name, values.SCALAR) or ""
    return environment


def _servers(top: Section, needed: bool, directory: Path) -> Servers | None:
    if not top.is_mapping("servers"):
        count = top.value("servers", values.count, f"{values.COUNT}, or a mapping with keys {', '.join(_SERVERS_KEYS)}")
        return Servers(count or 1) if count or needed else None
    section = top.section("servers", _SERVERS_KEYS)
    hosts = section.value("hosts", values.hosts, values.HOSTS) or ()
    return Servers(
        count=section.value("count", values.count, values.COUNT) or max(1, len(hosts)),
        hosts=hosts,
        memory=section.value("memory", values.size, values.SIZE),
        spill=section.value("spill", lambda value: _directory(value, directory), values.TEXT),
        spill_bytes=section.value("spill_bytes", values.size, values.SIZE),
        cores=section.value("cores", values.count, values.COUNT),
    )


def _stream(section: Section, name: str, directory: Path) -> Stream:
    if section.sound and "from" not in section and "file" not in section:
        section.complain((), "has no 'from'; name the program that writes it, or a 'file' that it was recorded in")
    return Stream(
        name=name,
        source=section.value("from", values.text, "the name of a program") or "",
        readers=section.value("to", values.names, values.NAMES) or (),
        placement=section.value("placement", _placement, "a placement") or _default_placement(section),
        queue_steps=section.value("queue_steps", values.count, values.COUNT),
        queue_bytes=section.value("queue_bytes", values.size, values.SIZE),
        overflow=section.value("overflow", values.overflow, values.OVERFLOW),
        spill_dir=section.value("spill_dir", lambda value: _directory(value, directory), values.TEXT),
        spill_bytes=section.value("spill_bytes", values.size, values.SIZE),
        error=section.value("error", values.errors, values.ERRORS) or {},
        file=section.value("file", lambda value: _recording(value, directory), values.TEXT),
        codec=section.value("codec", values.text, values.TEXT),
        history=section.value("history", lambda value: _recording(value, directory), values.TEXT),
        variables=section.value("variables", values.variables, values.VARIABLES),
    )


def _recording(value: object, directory: Path) -> Path | None:
    """A path, from where the programs run."""
    path = values.text(value)
    return None if path is None else directory / path


def _default_placement(section: Section) -> Placement:
    """Of what is a file, there; else what STAITHE_PLACEMENT says where the workflow is silent, as for a program that is
    started by hand."""
    if "file" in section:
        return Placement.FILE
    chosen = os.environ.get("STAITHE_PLACEMENT")
    if not chosen or "placement" in section:
        return Placement.PRODUCER
    try:
        return _placement(chosen)
    except ValueError as error:
        section.complain(("placement",), f"{error} (from STAITHE_PLACEMENT)")
        return Placement.PRODUCER


def _directory(value: object, directory: Path) -> Path | None:
    """A directory that is there, from where the programs run."""
    path = values.text(value)
    if path is None:
        return None
    if not (directory / path).is_dir():
        raise ValueError(f"is '{path}', but there is no such directory")
    return directory / path


def _placement(value: object) -> Placement:
    allowed = tuple(Placement)
    if value in _LATER:
        raise ValueError(f"'{value}' is not available in this version (allowed: {', '.join(allowed)})")
    if value not in allowed:
        raise ValueError(f"{value!r} is no placement; {hint(str(value), allowed)}")
    return Placement(str(value))
