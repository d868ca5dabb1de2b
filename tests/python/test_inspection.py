"""What others see of a stream."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staithe


def test_a_description_says_it_all(stream: str) -> None:
    before = time.time()
    with staithe.writer(stream, queue_steps=4, queue_bytes="1 MiB") as out:
        with staithe.reader(stream, program="plot") as reader:
            for i in range(3):
                with out.step() as step:
                    step.put("x", np.zeros((10, 3)), unit="m")
                    step.put("n", np.int32(i))
            next(reader).release()
            description = staithe.describe(stream)
        assert staithe.describe(stream)["state"] == "open"
    assert before - 1 <= description.pop("started") <= description.pop("now") <= time.time() + 1
    readers = description.pop("readers")
    assert before - 1 <= readers[0].pop("joined") <= time.time() + 1
    (member,) = readers[0].pop("members")
    assert member.pop("holding_seconds") >= 0
    assert member.pop("host")
    version = staithe.__version__
    assert member == {
        "rank": 0,
        "program": "plot",
        "pid": os.getpid(),
        "version": version,
        "waiting_seconds": None,
        "silent_seconds": None,
        "held": 2,
        "network": [],
    }
    assert readers == [
        {
            "program": "plot",
            "pid": os.getpid(),
            "ranks": 1,
            "steps": 1,
            "lag": 2,
            "overflow": "block",
            "dropped": 0,
            "paused": False,
        }
    ]
    assert description.pop("stall_seconds") >= 0
    (writer,) = description.pop("writers")
    program, host = description.pop("program"), description.pop("host")
    assert program
    assert host
    assert writer == {
        "rank": 0,
        "program": program,
        "pid": os.getpid(),
        "host": host,
        "version": version,
        "joined": True,
        "finished": False,
        "waiting_seconds": None,
        "silent_seconds": None,
        "network": [],
    }
    assert description == {
        "name": stream,
        "placement": "producer",
        "pid": os.getpid(),
        "ranks": 1,
        "steps": 3,
        "bytes": 3 * 244,
        "queue": {"steps": 2, "limit_steps": 4, "bytes": 2 * 244, "limit_bytes": 1 << 20},
        "variables": [
            {"name": "x", "dtype": "f8", "shape": [10, 3], "unit": "m", "blocks": 1},
            {"name": "n", "dtype": "i4", "shape": [], "unit": "", "blocks": 1},
        ],
        "state": "open",
        "ended": None,
        "overflow": "block",
        "dropped": 0,
        "spilled_steps": 0,
        "spilled_bytes": 0,
        "version": version,
        "joining": [],
        "incomplete": None,
        "closing_seconds": None,
        "expected_readers": 1,
        "readers_seen": 1,
        "server": None,
        "kept": {"steps": 0, "bytes": 0, "limit_steps": 0, "limit_bytes": 2**63 - 1},
    }


def test_the_live_streams(stream: str) -> None:
    names = {f"{stream}.{i}" for i in range(3)}
    outs = [staithe.writer(name, readers=0) for name in names]
    assert names <= {description["name"] for description in staithe.streams()}
    for out in outs:
        out.close()
    assert not names & {description["name"] for description in staithe.streams()}


def test_no_such_stream(stream: str) -> None:
    with pytest.raises(staithe.NotFound, match=f"no live stream '{stream}'"):
        staithe.describe(stream)


def test_a_summary_is_left_where_a_workflow_wants_it(
    stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAITHE_SUMMARY_DIR", str(tmp_path))
    with staithe.writer(stream, readers=0) as out, out.step() as step:
        step.put("x", 1)
    summary: dict[str, Any] = json.loads((tmp_path / f"{stream}.json").read_text())
    assert (summary["name"], summary["steps"], summary["state"]) == (stream, 1, "closed")


def test_the_version_is_that_of_the_headers() -> None:
    header = Path(__file__).parents[2] / "include" / "staithe" / "version.hpp"
    assert f'"{staithe.__version__}"' in header.read_text()
