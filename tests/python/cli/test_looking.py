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


def tells_more(melt: dict[str, Any]) -> dict[str, Any]:
    """The same, from a director that counts drops and knows what its members do."""
    msd, total = melt["readers"]
    asleep = [{"waiting_seconds": seconds, "holding_seconds": None} for seconds in (3.0, 12.0)]
    holding = [{"waiting_seconds": None, "holding_seconds": 70.0}]
    readers = [
        msd | {"dropped": 7, "overflow": "drop-oldest", "paused": True, "members": holding},
        total | {"dropped": 0, "overflow": "spill", "paused": False, "members": asleep},
        {"program": "slow", "pid": 4714, "ranks": 1, "steps": 9, "lag": 1, "members": holding},
    ]
    return melt | {
        "overflow": "spill",
        "dropped": 7,
        "spilled_steps": 3,
        "spilled_bytes": 31_000_000,
        "readers": readers,
    }


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
        "reader   pid  ranks  steps  lag  dropped  policy  waits  holds",
        "msd     4712      1    118    2        -  -           -      -",
        "stats   4713      4    120    0        -  -           -      -",
    ]


def test_show_of_a_stream_whose_director_tells_more(live_streams: Streams) -> None:
    live_streams["melt"] = tells_more(live_streams["melt"])
    lines = staithe("show", "melt").output.splitlines()
    assert "overflow spill: 7 steps dropped, 3 spilled, 31.0 MB" in lines
    assert lines[-4:] == [
        "reader   pid  ranks  steps  lag  dropped  policy                 waits       holds",
        "msd     4712      1    118    2        7  drop-oldest (paused)       -  1 min 10 s",
        "stats   4713      4    120    0        0  spill                 12.0 s           -",
        "slow    4714      1      9    1        -  -                          -  1 min 10 s",
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
    assert line.endswith("2/8    0 %      -        -  msd (2), stats (0)")


def test_top_tells_of_drops_spills_and_long_waits(live_streams: Streams) -> None:
    live_streams["melt"] = tells_more(live_streams["melt"])
    head, line = staithe("top", "--once", "--interval", "0.1").output.splitlines()
    assert head.split()[-5:] == ["stall", "drops", "spilled", "readers", "(lag)"]
    assert line.endswith(
        "      7  31.0 MB  msd (2, 7 dropped, paused), stats (0, waits 12.0 s), slow (1, holds 1 min 10 s)"
    )
