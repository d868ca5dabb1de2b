"""What must hold between the parts of a workflow, and on this machine, before anything is started."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from .._core import Variable, check_recording
from ..contracts import Contract
from ..errors import Error, InvalidArgument
from ..opening import reader
from ..stream_names import is_live
from .analysis_file import parse, unfit_arguments
from .document import Document
from .model import Declared, Placement, Program, Servers, Stream, Workflow
from .mpi import find_launcher
from .problems import Problem, hint
from .python_command import is_python, program_path


def relations(workflow: Workflow, document: Document) -> Iterator[Problem]:
    """Streams between programs that exist, and analyses that something runs."""
    for stream in workflow.streams:
        yield from _ends(workflow, stream, document)
        yield from _overflow(stream, document)
        yield from _files(stream, document)
        if stream.placement is Placement.INLINE:
            yield from _inline(workflow, stream, document)
    yield from _said(workflow, document)
    if workflow.servers is not None:
        yield from _servers(workflow.servers, document)
    for program in workflow.programs:
        if program.name in workflow.server_names:
            yield document.problem(
                ("programs", program.name), "is what one of the run's servers is called; choose another name"
            )
        if program.analysis is not None:
            yield from _read_streams(workflow, program, document)
            if (declared := program.analysis.declared) is not None:
                yield from _results(workflow, program, declared, document)
                yield from _inputs(workflow, program, declared, document)
            problem = unfit_arguments(program.analysis, program.arguments)
            if problem is not None:
                yield document.problem(("programs", program.name, "args"), problem)
        if workflow.runs_inside_another(program):
            yield from _inside_another(program, document)
        if program.ranks is None and len(program.hosts) > 1:
            yield document.problem(
                ("programs", program.name, "hosts"),
                f"names {len(program.hosts)} hosts for one process; name one, or say with 'ranks' how many run on them",
            )


def _ends(workflow: Workflow, stream: Stream, document: Document) -> Iterator[Problem]:
    names = [program.name for program in workflow.programs]
    for key, ends in (("from", () if stream.is_recording else (stream.source,)), ("to", stream.readers)):
        for name in ends:
            if name not in names:
                yield document.problem(
                    ("streams", stream.name, key),
                    f"'{name}' is no program of this workflow; {hint(name, names)}",
                )
    path = ("streams", stream.name, "to")
    if stream.source in stream.readers:
        yield document.problem(path, f"'{stream.source}' writes the stream; it cannot wait for itself")
    elif (process := workflow.process_of(stream.source)) in stream.readers:
        yield document.problem(
            path, f"'{stream.source}' runs inside '{process}' and writes the stream; it cannot wait for itself"
        )
    for name in sorted({name for name in stream.readers if stream.readers.count(name) > 1}):
        yield document.problem(path, f"'{name}' is listed twice; a program reads a stream once")


def _overflow(stream: Stream, document: Document) -> Iterator[Problem]:
    for key, value in (("spill_dir", stream.spill_dir), ("spill_bytes", stream.spill_bytes)):
        if value is not None and stream.overflow != "spill":
            yield document.problem(
                ("streams", stream.name, key), "goes with 'overflow: spill'; add that, or leave it out"
            )


def _files(stream: Stream, document: Document) -> Iterator[Problem]:
    path = ("streams", stream.name)
    if stream.file is None:
        if stream.placement is Placement.FILE:
            yield document.problem((*path, "placement"), "and 'file' go together; add 'file', which names it")
    elif stream.placement is not Placement.FILE:
        yield document.problem((*path, "placement"), "and 'file' go together; add 'placement: file'")
    elif stream.source:
        yield from _written_file(stream, stream.file, document)
    elif not stream.readers:
        yield document.problem(path, "is a file that nobody writes or reads; add 'from' or 'to'")
    elif not stream.file.exists():
        yield document.problem((*path, "file"), f"is '{stream.file}', but there is no such recording")
    if stream.codec is not None and (stream.file is None or stream.is_recording):
        yield document.problem((*path, "codec"), "is for a 'file' that is written; leave it out")
    if stream.history is not None and (stream.file is not None or stream.placement is Placement.INLINE):
        yield document.problem(
            (*path, "history"), "is for readers in programs of their own, of a stream that is written; leave it out"
        )


def _written_file(stream: Stream, file: Path, document: Document) -> Iterator[Problem]:
    path = ("streams", stream.name)
    if stream.readers:
        yield document.problem(
            (*path, "to"),
            "reads a file before it is written; name them in another workflow, where the stream has no 'from'",
        )
    try:
        check_recording(str(file), dict(stream.error), stream.codec)
    except Error as error:
        yield document.problem((*path, "file"), f"cannot be written: {error}")


def _servers(servers: Servers, document: Document) -> Iterator[Problem]:
    if servers.spill_bytes is not None and servers.spill is None:
        yield document.problem(("servers", "spill_bytes"), "goes with 'spill'; add that, or leave it out")
    if len(servers.hosts) > servers.count:
        yield document.problem(
            ("servers", "hosts"), f"names {len(servers.hosts)} hosts for {servers.count} servers; raise 'count'"
        )


def _inline(workflow: Workflow, stream: Stream, document: Document) -> Iterator[Problem]:
    path = ("streams", stream.name, "to")
    if not stream.readers:
        yield document.problem(path, "names no analysis for the placement inline; list at least one")
    for program in workflow.programs:
        if program.name == stream.source and program.analysis is not None:
            message = f"'{program.name}' is an analysis; the writer of an inline stream must be a command"
            yield document.problem(("streams", stream.name, "from"), message)
        if program.name in stream.readers and program.analysis is None:
            yield document.problem(
                path,
                f"'{program.name}' is a command, but placement inline runs analyses in '{stream.source}'; "
                "give it an 'analysis' instead of a 'command', or use the placement producer",
            )


def _inside_another(program: Program, document: Document) -> Iterator[Problem]:
    for key, value in (
        ("env", program.environment),
        ("cwd", program.directory),
        ("timeout", program.timeout),
        ("hosts", program.hosts),
    ):
        if value:
            message = "is for a process of its own, but this analysis runs inside the writer; give it to that program"
            yield document.problem(("programs", program.name, key), message)


def _read_streams(workflow: Workflow, program: Program, document: Document) -> Iterator[Problem]:
    path = ("programs", program.name)
    read = [stream.name for stream in workflow.streams if program.name in stream.readers]
    if not read:
        names = ", ".join(stream.name for stream in workflow.streams) or "none in this file"
        message = f"is never started: no stream has it under 'to' (streams: {names})"
        yield document.problem(path, message)
    elif len(read) > 1:
        yield document.problem(path, f"reads {len(read)} streams ({', '.join(read)}), but an analysis reads one")


def _results(workflow: Workflow, program: Program, declared: Declared, document: Document) -> Iterator[Problem]:
    """What a function returns goes to one stream, which the file names."""
    path = ("programs", program.name, "analysis")
    written = [stream.name for stream in workflow.streams if stream.source == program.name]
    if len(written) > 1:
        yield document.problem(path, f"is 'from' of {len(written)} streams ({', '.join(written)}), but writes one")
    if not written and declared.stream is not None and is_live(declared.stream):
        yield document.problem(
            path,
            f"writes stream '{declared.stream}', which is not under 'streams'; add "
            f"{declared.stream}: {{from: {program.name}, to: ...}}, without 'to' if nobody reads it",
        )


def _inputs(workflow: Workflow, program: Program, declared: Declared, document: Document) -> Iterator[Problem]:
    """What a function is given is there, and is what it is to be, as far as is known of the stream that it reads."""
    path = ("programs", program.name, "analysis")
    for stream in workflow.streams:
        contents = _contents(workflow, stream) if program.name in stream.readers else None
        if contents is None:
            continue
        who, variables = contents
        for name, said in (declared.inputs or {}).items():
            if name not in variables:
                hints = hint(name, [*variables])
                yield document.problem(path, f"takes '{name}', but {who} no such variable; {hints}")
                continue
            try:
                wanted, given = Contract.parse(said), Contract.parse(variables[name])
            except InvalidArgument as error:
                yield document.problem(path, f"'{name}': {error}")
                continue
            if not wanted.may_be(given):
                yield document.problem(path, f"takes '{name}' as {wanted}, but {who} it as {given}")


def _contents(workflow: Workflow, stream: Stream) -> tuple[str, Mapping[str, str]] | None:
    """Whoever says which variables a stream has, and what each is; None if nobody does."""
    source = next((one for one in workflow.programs if one.name == stream.source), None)
    if source is not None and source.analysis is not None and source.analysis.declared is not None:
        outputs = source.analysis.declared.outputs
        return None if outputs is None else (f"'{source.name}' writes", outputs)
    if stream.variables is not None:
        return f"stream '{stream.name}' has", stream.variables
    if stream.is_recording and stream.file is not None and stream.file.exists():
        return _recorded(stream.file)
    return None


def _recorded(file: Path) -> tuple[str, Mapping[str, str]] | None:
    """What the first step of a recording has; None if it has none, or cannot be read, as its readers will say."""
    try:
        with reader(str(file), placement="file", program="run") as steps:
            step = next(steps, None)
            if step is None:
                return None
            return f"{file.name} has", {name: _as_text(variable) for name, variable in step.items()}
    except Error:
        return None


def _as_text(variable: Variable) -> str:
    shape = "" if variable.local else f" ({', '.join(map(str, variable.shape))})"
    can_be_said = variable.unit.isprintable() and not set("[]") & set(variable.unit)
    return f"{variable.dtype.name}{shape}" + (f" [{variable.unit}]" if can_be_said else "")


def _said(workflow: Workflow, document: Document) -> Iterator[Problem]:
    """What the file itself says of variables can be understood, and nobody else says it."""
    for stream in workflow.streams:
        path = ("streams", stream.name, "variables")
        for name, said in (stream.variables or {}).items():
            try:
                Contract.parse(said)
            except InvalidArgument as error:
                yield document.problem((*path, name), str(error))
        source = next((one for one in workflow.programs if one.name == stream.source), None)
        declares = source is not None and source.analysis is not None and source.analysis.declared is not None
        if stream.variables is not None and declares:
            yield document.problem(path, f"is for what a command writes; the analysis '{stream.source}' says it itself")


def executables(workflow: Workflow, document: Document) -> Iterator[Problem]:
    """Everything that is to be started is there."""
    for key in _launched(workflow) if find_launcher() is None else ():
        yield document.problem(
            key,
            "needs mpiexec, which is neither beside this Python nor on PATH; "
            f"pip install mpich mpi4py, or leave out '{key[-1]}' for a plain process",
        )
    for program in workflow.processes:
        if program.command is not None:
            path = program.environment.get("PATH", program_path())
            problem = _missing(program.command, workflow.directory_of(program), path)
            if problem is not None:
                yield document.problem(("programs", program.name, "command"), problem)


def _launched(workflow: Workflow) -> Iterator[tuple[str, ...]]:
    """The keys of the file for which there must be a launcher."""
    for program in workflow.processes:
        if program.ranks or program.hosts:
            yield ("programs", program.name, "ranks" if program.ranks else "hosts")
    if workflow.servers and workflow.servers.hosts:
        yield ("servers", "hosts")


def _missing(command: tuple[str, ...], directory: Path, path: str) -> str | None:
    if is_python(command[0]):
        script = command[1] if len(command) > 1 else "-"
        return None if script.startswith("-") else _unfit_script(directory / script)
    if "/" in command[0]:
        found = shutil.which(directory / command[0])
        return None if found else f"no such executable: {directory / command[0]}"
    if shutil.which(command[0], path=path):
        return None
    return f"no executable '{command[0]}' on PATH; install it or give its path"


def _unfit_script(file: Path) -> str | None:
    if file.is_dir():  # a package with a __main__.py
        return None
    if not file.is_file():
        return f"no such file: {file}"
    try:
        parse(file)
    except ValueError as error:
        return str(error)
    return None
