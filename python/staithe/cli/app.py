"""The commands and their options; what they do is in the modules that they import when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion import analyses, streams, workflows
from .options import for_typer
from .serve_command import OPTIONS, serve

# Plain help and one-line errors: Rich is loaded by the commands that draw something with it.
app = typer.Typer(
    help="Staithe moves n-dimensional data between running programs, step by step.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Stream = Annotated[
    str,
    typer.Argument(metavar="STREAM", help="The stream's name; `staithe ls` lists them.", autocompletion=streams),
]
Patterns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...", help="Names, or patterns such as 'wa*'; all streams if none.", autocompletion=streams
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT", help="Ask the process that listens there what it knows of, and look nowhere else."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Version = Annotated[bool, typer.Option("--version", help="Print Staithe's version.")]


@app.callback(invoke_without_command=True)
def _top_level(context: typer.Context, version: Version = False) -> None:
    if version:
        from .config_command import print_version

        print_version()
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def ls(names: Patterns = None, as_json: Json = False, address: Address = None) -> None:
    """List the live streams."""
    from .ls_command import list_streams

    list_streams(names or [], as_json, address)


@app.command()
def show(stream: Stream, as_json: Json = False, address: Address = None) -> None:
    """Show a stream, or all that a pattern such as 'wa*' fits: variables, steps, readers."""
    from .show_command import show_streams

    show_streams(stream, as_json, address)


@app.command()
def top(
    names: Patterns = None,
    once: Annotated[bool, typer.Option("--once", help="Print one frame and end.")] = False,
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two frames.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one frame as JSON and end.")] = False,
    address: Address = None,
) -> None:
    """Watch the live streams: rates, queues, stalls, readers, and who waits for what. Ctrl-C ends it."""
    from .top_command import watch

    watch(names or [], once, interval, as_json, address)


app.command()(for_typer(serve, OPTIONS))


@app.command()
def servers(as_json: Json = False, address: Address = None) -> None:
    """List the servers: their memory, clients and spaces."""
    from .servers_command import list_servers

    list_servers(as_json, address)


@app.command()
def drain(
    server: Annotated[
        str, typer.Argument(help="Its name, as `staithe servers` shows it, or staithe://HOST:PORT/NAME.")
    ],
    drop_kept: Annotated[
        bool,
        typer.Option(
            "--drop-kept",
            help="Let go of what only waits for somebody to come: kept steps of streams that have ended, and spaces if "
            "no program has any open.",
        ),
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.0, metavar="SECONDS", help="Wait no longer than that; forever if not given.")
    ] = None,
) -> None:
    """End a server once nobody needs what it has; it takes in nothing new from now on. Exit code 1 if it stays."""
    from .drain_command import drain_server

    raise typer.Exit(drain_server(server, drop_kept, timeout))


@app.command()
def doctor(
    as_json: Json = False,
    clean: Annotated[bool, typer.Option("--clean", help="Remove files that dead processes left.")] = False,
    waiting: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Report waits that last longer than this.")
    ] = 1.0,
    address: Address = None,
) -> None:
    """Find what is wrong: who waits for whom, stale files, limits near their end. Exit code 1 if anything is."""
    from .doctor_command import examine

    raise typer.Exit(examine(as_json, clean, waiting, address))


@app.command()
def run(
    workflow: Annotated[
        Path, typer.Argument(metavar="WORKFLOW.yaml", help="The programs and their streams.", autocompletion=workflows)
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the workflow. May be repeated."),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Where the programs run; by default beside the workflow file."),
    ] = None,
    grace: Annotated[
        float,
        typer.Option(min=0.0, help="Seconds that programs get to end by themselves when another has failed."),
    ] = 5.0,
    trace: Annotated[
        Path | None,
        typer.Option(dir_okay=False, metavar="FILE", help="Write a trace of all steps; ui.perfetto.dev opens it."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Start nothing: check the file, and that all is there that it names.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON; all else goes to standard error.")
    ] = False,
) -> None:
    """Launch the programs of a workflow, connected by their streams."""
    from .run_command import check_workflow, run_workflow

    if check:
        raise typer.Exit(check_workflow(workflow, settings or [], directory, as_json))
    raise typer.Exit(run_workflow(workflow, settings or [], directory, grace, trace, as_json))


@app.command()
def analyse(
    analysis: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py[:NAME]",
            help="A file with a function that staithe.analysis declares, or a subclass of staithe.Analysis.",
            autocompletion=analyses,
        ),
    ],
    stream: Stream,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An argument of the function or class. May be repeated."),
    ] = None,
    writes: Annotated[
        str | None,
        typer.Option("--writes", metavar="STREAM", help="The stream of what the function returns, if not its own."),
    ] = None,
) -> None:
    """Run an analysis as a reader of a stream, alone or under mpiexec."""
    from .analyse_command import run_analysis

    run_analysis(analysis, stream, settings or [], writes)


@app.command()
def record(
    stream: Stream,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to: a path that ends in .zarr or .h5.")
    ],
    every: Annotated[
        int, typer.Option(min=1, metavar="K", help="Only the steps whose numbers are multiples of K.")
    ] = 1,
    error: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]BOUND",
            help="How far values may be off: T='1e-3 rel', T='0.01 abs', or '1e-3 rel' for all. As often as you like.",
        ),
    ] = None,
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What compresses all variables: blosc or blosc+zstd, which any tool reads, or such a codec as dq.",
        ),
    ] = None,
    derive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=EXPRESSION",
            help="A variable to compute: 'speed = sqrt(u**2 + v**2)'. As often as you like.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this variable, and others that are named so. As often as you like."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what is there, after the newest step that it has.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.0, metavar="SECONDS", help="Wait no longer than that for a step.")
    ] = None,
) -> None:
    """Write the steps of a stream to a file that stock tools read, until the stream ends or Ctrl-C."""
    from .record_command import record_stream

    record_stream(
        stream,
        output,
        every=every,
        errors=error or [],
        codec=codec,
        derive=derive or [],
        keep=keep or [],
        resume=resume,
        timeout=timeout,
    )


@app.command()
def replay(
    recording: Annotated[Path, typer.Argument(metavar="FILE", help="What `staithe record` has written.")],
    stream: Annotated[str, typer.Option("--as", metavar="STREAM", help="The stream to write.")],
    rate: Annotated[
        float | None, typer.Option(metavar="STEPS", help="So many steps a second; as readers take them if not given.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.0, metavar="SECONDS", help="Wait no longer than that for readers.")
    ] = None,
) -> None:
    """Write the steps of a recording as a stream, for programs that read it."""
    from .record_command import replay_recording

    replay_recording(recording, stream, rate, timeout)


@app.command()
def transforms(
    stream: Stream,
    as_json: Json = False,
    address: Address = None,
) -> None:
    """Show how a stream goes to readers of other hosts: which codec was chosen, and what it saves."""
    from .transforms_command import show_transforms

    show_transforms(stream, as_json, address)


@app.command()
def trace(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="What STAITHE_TRACE named for the programs."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", dir_okay=False, metavar="FILE", help="The trace of all of them.")
    ] = Path("trace.json"),
) -> None:
    """Put the traces of several processes together; ui.perfetto.dev opens the result."""
    from .trace_command import merge_traces

    merge_traces(directory, output)


@app.command()
def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; nothing may be there yet.")],
) -> None:
    """Make a key, by which users who share a run directory know each other."""
    from .key_command import make_key

    make_key(file)


@app.command("hdf5-plugin-path")
def hdf5_plugin_path() -> None:
    """Print what to set HDF5_PLUGIN_PATH to, so that h5dump and others read chunks that Staithe has encoded."""
    from ..installation import hdf5_plugin_folder

    print(hdf5_plugin_folder())


@app.command()
def config(
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="For CMake: -Dstaithe_DIR=...")] = False,
    pkgconfig_dir: Annotated[bool, typer.Option("--pkgconfig-dir", help="For pkg-config: PKG_CONFIG_PATH=...")] = False,
    include_dir: Annotated[
        bool, typer.Option("--include-dir", help="Where staithe/staithe.hpp and staithe.h are.")
    ] = False,
    lib_dir: Annotated[bool, typer.Option("--lib-dir", help="Where libstaithe.so is.")] = False,
    fortran_dir: Annotated[bool, typer.Option("--fortran-dir", help="Where the Fortran modules' sources are.")] = False,
    fortran_sources: Annotated[
        bool, typer.Option("--fortran-sources", help="These sources, in the order in which to compile them.")
    ] = False,
    cflags: Annotated[
        bool, typer.Option("--cflags", help="What C and C++ compilers need to find the headers.")
    ] = False,
    libs: Annotated[
        bool, typer.Option("--libs", help="What the linker needs, for a program that runs as built.")
    ] = False,
    version: Version = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
) -> None:
    """Print what a C, C++ or Fortran build needs to find Staithe."""
    from .config_command import print_config

    print_config(
        cmake_dir=cmake_dir,
        pkgconfig_dir=pkgconfig_dir,
        include_dir=include_dir,
        lib_dir=lib_dir,
        fortran_dir=fortran_dir,
        fortran_sources=fortran_sources,
        cflags=cflags,
        libs=libs,
        version=version,
        as_json=as_json,
    )
