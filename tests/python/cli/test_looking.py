"""`staithe ls`, `show` and `top`, on streams that a replaced seam tells of."""

from __future__ import annotations

import io
import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from staithe.cli import completion
from staithe.cli.app import app
from staithe.cli.faults import CommandError
from staithe.cli.top_command import Watch, drawn

sys.path.append(str(Path(__file__).parents[1] / "diagnosis"))
from descriptions import member, writer

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
    asleep = [
        member("stats", 4713, rank, waiting_seconds=seconds) for rank, seconds in enumerate((3.0, 12.0, None, 0.5))
    ]
    holding = [member("msd", 4712, held=2, holding_seconds=70.0)]
    silent = [member("far", 4715, silent_seconds=seconds) for seconds in (12.0, None)]
    readers = [
        msd | {"dropped": 7, "overflow": "drop-oldest", "paused": True, "members": holding},
        total | {"dropped": 0, "overflow": "spill", "paused": False, "members": asleep},
        {"program": "slow", "pid": 4714, "ranks": 1, "steps": 9, "lag": 1, "members": holding},
        {"program": "far", "pid": 4715, "ranks": 1, "steps": 9, "lag": 1, "members": silent},
    ]
    return melt | {
        "writers": [writer("lammps", 4711, waiting_seconds=2.0), writer("lammps", 4711, 1)],
        "overflow": "spill",
        "dropped": 7,
        "spilled_steps": 3,
        "spilled_bytes": 31_000_000,
        "readers": readers,
    }


def test_ls_in_a_pipe_is_a_plain_table(live_streams: Streams) -> None:
    assert staithe("ls").output.splitlines() == [
        "stream  program   pid  host   ranks  steps     data  queue  readers",
        "melt    lammps   4711  node7      2    120  1.24 GB    2/8  msd, stats",
    ]
    live_streams["melt"]["host"] = socket.gethostname()  # as usual
    assert staithe("ls").output.splitlines() == [
        "stream  program   pid  ranks  steps     data  queue  readers",
        "melt    lammps   4711      2    130  1.25 GB    2/8  msd, stats",
    ]


def test_ls_of_nothing_says_where_it_looked(live_streams: Streams) -> None:
    live_streams.clear()
    for command in (("ls",), ("top", "--once", "--interval", "0.1")):
        assert staithe(*command).output == "no live streams in /run/here\n"
    assert json.loads(staithe("ls", "--json").output) == []


def test_json_is_what_the_director_says(live_streams: Streams) -> None:
    expected = dict(live_streams["melt"])
    assert json.loads(staithe("ls", "--json").output) == [expected]
    assert json.loads(staithe("show", "melt", "--json").output)["readers"] == expected["readers"]


def test_show(live_streams: Streams) -> None:
    lines = staithe("show", "melt").output.splitlines()
    assert lines == [
        "stream   melt (open, placement producer)",
        "writer   lammps, 2 ranks, pid 4711 on node7",
        "open     since 1 min 40 s",
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
    assert lines[-5:] == [
        "reader   pid  ranks  steps  lag  dropped  policy                  waits       holds",
        "msd     4712      1    118    2        7  drop-oldest (paused)        -  1 min 10 s",
        "stats   4713      4    120    0        0  spill                  12.0 s           -",
        "slow    4714      1      9    1        -  -                           -  1 min 10 s",
        "far     4715      1      9    1        -  - (silent for 12.0 s)       -           -",
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


def test_top_tells_of_drops_spills_and_long_waits(live_streams: Streams) -> None:
    live_streams["melt"] = tells_more(live_streams["melt"])
    head, line, empty, *waits = staithe("top", "--once", "--interval", "0.1").output.splitlines()
    assert head.split()[-5:] == ["stall", "drops", "spilled", "readers", "(lag)"]
    assert line.endswith("      7  31.0 MB  msd (2, 7 dropped, paused), stats (0), slow (1), far (1)")
    assert empty == ""
    ended = "lammps rank 0 (pid 4711 on node7) and lammps rank 1 (pid 4711 on node7) has not ended it"
    held = "msd rank 0 (pid 4712 on node7) has held 2 steps, the oldest for 70.0 s"
    assert waits == [
        "waiting        for                           since  because",
        f"stats rank 1   the next step of 'melt'      12.0 s  {ended}",
        f"stats rank 0   the next step of 'melt'      3.00 s  {ended}",
        f"lammps rank 0  room in the queue of 'melt'  2.00 s  {held}",
    ]


def test_top_fits_a_terminal_of_80_columns(live_streams: Streams) -> None:
    live_streams["melt"] = tells_more(live_streams["melt"]) | {"name": "melt-of-a-large-crystal"}
    live_streams["melt"]["program"] = "lammps-with-many-options"
    watch = Watch()
    watch.frame()
    console = Console(width=80, force_terminal=True, color_system=None, file=io.StringIO())
    console.print(drawn(watch.frame()))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    # Numbers are whole, on one line.
    assert any("31.0 MB" in line and "2/8" in line and "GB/s" in line for line in lines)


def test_top_as_json(live_streams: Streams) -> None:
    live_streams["melt"] = tells_more(live_streams["melt"])
    (stream,) = json.loads(staithe("top", "--json", "--interval", "0.1").output)
    assert list(stream) == [
        *("name", "program", "steps", "bytes", "steps_per_second", "bytes_per_second", "stall", "queue_steps"),
        *("queue_limit", "dropped", "spilled_bytes", "readers", "waits"),
    ]
    assert stream["readers"][0] == {"program": "msd", "lag": 2, "dropped": 7, "paused": True}
    assert [wait["who"]["program"] for wait in stream["waits"]] == ["lammps", "stats", "stats"]


def test_names_and_patterns_choose_streams(live_streams: Streams) -> None:
    live_streams["waves"] = live_streams["melt"] | {"name": "waves"}
    assert [one["name"] for one in json.loads(staithe("ls", "wa*", "--json").output)] == ["waves"]
    assert [one["name"] for one in json.loads(staithe("ls", "wa*", "melt", "--json").output)] == ["melt", "waves"]
    assert [one["name"] for one in json.loads(staithe("show", "*", "--json").output)] == ["melt", "waves"]
    assert [one["name"] for one in json.loads(staithe("top", "m*", "--interval", "0.1", "--json").output)] == ["melt"]
    assert staithe("show", "[mw]*").output.count("\nwriter   lammps") == 2
    for command in (("ls",), ("show",), ("top", "--once", "--interval", "0.1")):
        with pytest.raises(CommandError, match="no live stream 'x\\*'; allowed: melt, waves"):
            staithe(*command, "x*")


HOSTILE = "\x1b]0;title\x07\n[bold]x[/bold] :smile:"
HARMLESS = "\\x1b]0;title\\x07\\n[bold]x[/bold] :smile:"


@pytest.mark.parametrize("command", [("ls",), ("show", "melt"), ("top", "--once", "--interval", "0.1")])
def test_names_cannot_command_a_terminal(live_streams: Streams, command: tuple[str, ...]) -> None:
    melt = tells_more(live_streams["melt"])
    for described in (melt, *melt["readers"], melt["variables"][0], *melt["writers"]):
        described |= {key: HOSTILE for key in ("program", "host", "unit", "dtype") if key in described}
    melt["variables"][0]["name"] = HOSTILE
    live_streams["melt"] = melt
    output = staithe(*command).output
    assert HARMLESS in output
    assert "\x1b" not in output and "\x07" not in output
    assert len(output.splitlines()) < 30


def test_completion_knows_streams_and_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("staithe._core.stream_names", lambda: ["waves", "melt", "wa\x1b"])
    assert completion.streams("wa") == ["waves"]
    for name in ("flow.yaml", "flaw.yml", "flow.py", ".hidden.yaml"):
        (tmp_path / name).touch()
    (tmp_path / "flows").mkdir()
    monkeypatch.chdir(tmp_path)
    assert completion.workflows("fl") == ["flaw.yml", "flow.yaml", "flows/"]
    assert completion.workflows("") == ["flaw.yml", "flow.yaml", "flows/"]
    assert completion.workflows(f"{tmp_path}/flo") == [f"{tmp_path}/flow.yaml", f"{tmp_path}/flows/"]
    assert completion.analyses("f") == ["flow.py", "flows/"]
    assert completion.workflows("none/such") == []
