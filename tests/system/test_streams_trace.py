"""`staithe run --trace`: a trace has every step of a run, in spans that nest, and arrows that lead somewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

SYNTHETIC = Path(__file__).parents[2] / "examples" / "synthetic" / "synthetic.yaml"
STEPS, WRITERS, READERS = 30, 2, 2

Event = dict[str, Any]


def run_traced(file: Path, **settings: object) -> str:
    command = [sys.executable, "-m", "staithe.cli", "run", str(SYNTHETIC), "--trace", str(file)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def of_phase(events: list[Event], phase: str) -> list[Event]:
    return [event for event in events if event["ph"] == phase]


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Event], str]:
    """The events of a run of examples/synthetic, and what the run printed."""
    pytest.importorskip("mpi4py")
    file = tmp_path_factory.mktemp("traced") / "trace.json"
    printed = run_traced(file, STEPS=STEPS, WRITERS=WRITERS, READERS=READERS, SIZE="100x100", VARIABLES=2)
    trace = json.loads(file.read_text())
    assert trace["displayTimeUnit"] == "ns"
    return trace["traceEvents"], printed


def test_the_run_says_what_it_traced(traced: tuple[list[Event], str]) -> None:
    events, printed = traced
    assert f"trace: {len(of_phase(events, 'X'))} spans of {WRITERS + READERS} processes; open " in printed


def test_every_step_is_there(traced: tuple[list[Event], str]) -> None:
    events, _ = traced
    count = Counter((event["name"], event["args"].get("step")) for event in of_phase(events, "X"))
    for step in range(STEPS):
        assert count["begin_step", step] == count["end", step] == WRITERS
        assert count["put", step] == 2 * WRITERS
        assert count["announce", step] == 1
        assert count["next", step] == count["release", step] == READERS
        assert count["read", step] + count["view", step] == 2 * READERS
    assert count["next", None] == READERS, "the end of the stream"


def test_spans_say_of_what_they_are(traced: tuple[list[Event], str]) -> None:
    events, _ = traced
    for span in of_phase(events, "X"):
        assert span["args"]["stream"] == "synthetic"
        assert span["args"]["rank"] in (0, 1)
        assert span["ts"] > 0 and span["dur"] >= 0
    puts = [span for span in of_phase(events, "X") if span["name"] == "put"]
    assert {span["args"]["bytes"] for span in puts} == {100 * 100 * 8 // WRITERS}


def test_spans_of_a_thread_nest(traced: tuple[list[Event], str]) -> None:
    events, _ = traced
    threads = defaultdict(list)
    for span in of_phase(events, "X"):
        # Whole nanoseconds: sums of fractions would not compare.
        begin, duration = round(span["ts"] * 1000), round(span["dur"] * 1000)
        threads[span["pid"], span["tid"]].append((begin, begin + duration))
    for spans in threads.values():
        open_ends: list[int] = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1]
            open_ends.append(end)


def test_arrows_lead_from_the_end_of_a_step_to_its_readers(traced: tuple[list[Event], str]) -> None:
    events, _ = traced
    starts = {event["id"]: event for event in of_phase(events, "s")}
    finishes = {event["id"]: event for event in of_phase(events, "f")}
    assert len(starts) == len(of_phase(events, "s")) == STEPS * READERS
    assert starts.keys() == finishes.keys()
    for number, start in starts.items():
        tail, head = span_at(events, start, "end"), span_at(events, finishes[number], "next")
        assert tail["args"]["step"] == head["args"]["step"]


def span_at(events: list[Event], point: Event, name: str) -> Event:
    found = [
        span
        for span in of_phase(events, "X")
        if (span["name"], span["pid"], span["tid"]) == (name, point["pid"], point["tid"])
        and span["ts"] - 0.001 <= point["ts"] <= span["ts"] + span["dur"] + 0.001
    ]
    assert len(found) == 1
    return found[0]


def test_processes_have_names(traced: tuple[list[Event], str]) -> None:
    events, _ = traced
    names = [event["args"]["name"] for event in of_phase(events, "M") if event["name"] == "process_name"]
    assert sorted(names) == ["consumer rank 0", "consumer rank 1", "producer rank 0", "producer rank 1"]
    threads = [event["args"]["name"] for event in of_phase(events, "M") if event["name"] == "thread_name"]
    assert set(threads) <= {"director"}


def test_a_killed_writer_leaves_its_steps(tmp_path: Path) -> None:
    program = """
        import os, pathlib, signal, time
        import numpy as np, staithe

        out = staithe.writer("melt", readers=0)
        for index in range(5):
            with out.step() as step:
                step.put("x", np.zeros(10))
        traces = pathlib.Path(os.environ["STAITHE_TRACE"])
        while next(traces.iterdir()).read_text().count('"end"') < 5:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    text = textwrap.dedent(program)
    environment = os.environ | {"STAITHE_TRACE": str(tmp_path / "parts"), "STAITHE_PROGRAM": "melt"}
    killed = subprocess.run([sys.executable, "-c", text], env=environment, timeout=60)
    assert killed.returncode == -9
    command = [sys.executable, "-m", "staithe.cli", "trace", str(tmp_path / "parts"), "-o", str(tmp_path / "all.json")]
    merged = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert merged.returncode == 0, merged.stderr
    events = json.loads((tmp_path / "all.json").read_text())["traceEvents"]
    assert Counter(event["name"] for event in of_phase(events, "X"))["put"] == 5


def test_a_directory_without_traces(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "staithe.cli", "trace", str(tmp_path), "-o", str(tmp_path / "all.json")]
    merged = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert merged.returncode == 1
    assert merged.stderr.startswith(f"staithe: no traces in {tmp_path}: ")
    assert not (tmp_path / "all.json").exists()
