"""Streams of workflows that are files: written, read, and read before the stream that they are of goes on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from recorded import by_stock_tools

SIM = """
    import sys
    import numpy as np
    import staithe

    with staithe.writer("heat") as out:
        for i in range(int(sys.argv[1])):
            with out.step() as step:
                step.put("T", np.full((50, 50), float(i)), unit="K")
"""
SHOW = """
    import staithe

    print([float(step["T"][3, 4]) for step in staithe.reader("heat")])
"""
WRITE = """
    programs: {sim: {command: python sim.py 3}}
    streams: {heat: {from: sim, file: heat.zarr, error: {T: 0.1 abs}, codec: blosc+zstd}}
"""
READ = """
    programs: {show: {command: python show.py}}
    streams: {heat: {file: heat.zarr, to: show}}
"""


def test_a_stream_is_written_to_a_file_and_read_again(launcher: Any) -> None:
    file = launcher.write(WRITE, sim=SIM, show=SHOW)
    code, out, errors = launcher.run()
    assert (code, errors) == (0, "")
    assert re.search(r"^heat +sim +3 .* -$", out, re.MULTILINE)
    with by_stock_tools(file.parent / "heat.zarr") as stock:
        assert stock["T"].elements.shape == (3, 50, 50)
        assert stock["T"].attrs["error"] == "0.1 abs"
    launcher.write(READ)
    code, out, errors = launcher.run()
    assert (code, errors) == (0, "")
    assert "[0.0, 1.0, 2.0]" in out
    assert re.search(r"^heat +heat.zarr .* show$", out, re.MULTILINE)


def test_readers_begin_with_what_was_recorded(launcher: Any) -> None:
    launcher.write(WRITE, sim=SIM, show=SHOW)
    assert launcher.run()[0] == 0
    live = """
        programs: {sim: {command: python sim.py 6}, show: {command: python show.py}}
        streams: {heat: {from: sim, to: show, history: heat.zarr}}
    """
    launcher.write(live)
    code, out, errors = launcher.run()
    assert (code, errors) == (0, "")
    assert "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]" in out


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("from: sim, file: x.txt", "cannot be written: .* does not say by its ending"),
        ("from: sim, file: x.h5, codec: nope", "cannot be written: there is no codec 'nope'"),
        ("from: sim, file: x.h5, to: show", "reads a file before it is written"),
        ("file: x.h5, to: show", "is '.*x.h5', but there is no such recording"),
        ("file: x.h5", "is a file that nobody writes or reads"),
        ("from: sim, to: show, codec: dq", "is for a 'file' that is written"),
        ("from: sim, to: show, placement: file", "and 'file' go together; add 'file'"),
        ("from: sim, to: show, placement: servers, file: x.h5", "and 'file' go together; add 'placement"),
        ("from: sim, file: x.h5, history: y.h5", "is for readers in programs of their own"),
        ("from: sim, file: 3", "is 3, but must be text"),
        ("to: show", "has no 'from'; name the program that writes it, or a 'file' that it was recorded in"),
    ],
)
def test_what_cannot_be_is_said_before_anything_starts(stream: str, words: str, launcher: Any) -> None:
    programs = "programs: {sim: {command: python sim.py 3}, show: {command: python show.py}}"
    launcher.write(f"{programs}\nstreams: {{heat: {{{stream}}}}}", sim=SIM, show=SHOW)
    code, _, errors = launcher.run()
    assert code == 1
    assert re.search(rf"flow.yaml:2: streams.heat\S* {words}", errors), errors
