"""`staithe ls`, `show` and `top`, on streams that a replaced seam tells of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from staithe.cli.app import app
from staithe.cli.faults import CommandError

pytestmark = pytest.mark.timeout(60)

Streams = dict[str, dict[str, Any]]


def staithe(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_ls_in_a_pipe_is_a_plain_table(live_streams: Streams) -> None:
    assert staithe("ls").output.splitlines() == [
        "stream  program   pid  ranks  steps     data  queue  readers",
        "melt    lammps   4711      2    120  1.24 GB    2/8  msd, stats",
    ]


def test_ls_of_nothing_says_where_it_looked(live_streams: Streams) -> None:
    live_streams.clear()
    assert staithe("ls").output == "no live streams in /run/here\n"
    assert json.loads(staithe("ls", "--json").output) == []


def test_json_is_what_the_director_says(live_streams: Streams) -> None:
    expected = dict(live_streams["melt"])
    assert json.loads(staithe("ls", "--json").output) == [expected]
    assert json.loads(staithe("show", "melt", "--json").output)["readers"] == expected["readers"]


def test_show(live_streams: Streams) -> None:
    lines = staithe("show", "melt").output.splitlines()
    assert lines[:2] == [
        "stream   melt (open, placement producer)",
        "writer   lammps, 2 ranks, pid 4711 on node7",
    ]
    assert lines[3:] == [
        "steps    120, 1.24 GB",
        "queue    2 of 8 steps, 20.0 MB of 268 MB",
        "stall    1.50 s waited for readers",
        "",
        "variable  dtype  shape      unit   blocks",
        "x         f8     32000 x 3  sigma       2",
        "energy    f8     scalar     -           1",
        "ghosts    i8     local      -           2",
        "",
        "reader   pid  ranks  steps  lag",
        "msd     4712      1    118    2",
        "stats   4713      4    120    0",
    ]


def test_show_of_no_such_stream(live_streams: Streams) -> None:
    with pytest.raises(CommandError, match=r"no live stream 'malt'; did you mean 'melt'\? \(allowed: melt\)"):
        staithe("show", "malt")
    live_streams.clear()
    with pytest.raises(CommandError, match="no live stream 'melt'; there are none in /run/here"):
        staithe("show", "melt")


def test_one_frame_of_top(live_streams: Streams) -> None:
    head, line = staithe("top", "--once", "--interval", "0.2").output.splitlines()
    assert head.split("  ")[0] == "stream"
    cells = line.split()
    assert cells[:3] == ["melt", "lammps", "130"]
    # Ten steps in the 0.2 s between the two samples, or a bit more time.
    assert 5.0 < float(cells[3]) <= 50.0
    assert line.endswith("2/8    0 %  msd (2), stats (0)")
