"""What `staithe run` shows while programs run: the lines on streams and servers, from samples as they come."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from staithe.cli.run_view import RunView
from staithe.workflow import Placement, Program, Servers, ServerSample, Stream, Workflow


def test_a_line_for_each_stream_and_server() -> None:
    here = Path()
    stream = Stream("field", "sim", placement=Placement.SERVERS)
    programs = (Program("sim", ("true",)),)
    workflow = Workflow("flow", here, here, programs, (stream,), Servers(3, memory="4 GB"))
    out = io.StringIO()
    with RunView(workflow, Console(file=out), plain_seconds=0.0) as view:
        view.follow(
            dict,
            lambda: {
                "server-0": ServerSample(memory=1_500_000_000, limit=4_000_000_000, streams=1, spaces=2),
                "server-2": ServerSample(memory=0, limit=None, streams=0, spaces=0),
            },
        )
        view.tick()
    assert out.getvalue().splitlines() == [
        "staithe: field: waiting for sim",
        "staithe: server-0: memory 1.50 GB of 4.00 GB, streams 1, spaces 2",
        "staithe: server-1: no answer",
        "staithe: server-2: memory 0 B, streams 0, spaces 0",
    ]
