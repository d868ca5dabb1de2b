"""Traces: what each process of a run left, put together as one file that Perfetto opens.

A process leaves `<program>.<pid>.json`, an event a line, in Chrome's trace-event format
(`src/stream/observing/trace_file.cpp`). Together they get the names of their ranks, and an arrow from the end of each
step to where readers get it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ..errors import NotFound

Event = dict[str, Any]
_SPAN = "X"


@dataclass(frozen=True)
class TraceSummary:
    """What went into a trace."""

    file: Path
    processes: int
    spans: int
    lost: int


@dataclass(frozen=True)
class _Place:
    """A point inside a span, where an arrow begins or ends."""

    pid: int
    tid: int
    time: float


@dataclass
class _Process:
    name: str = ""
    ranks: set[int] = field(default_factory=set)
    directs: set[int] = field(default_factory=set)  # threads that do nothing but announce
    works: set[int] = field(default_factory=set)


@dataclass
class _Arrows:
    """Where steps end and where they arrive."""

    # A step is complete with the last of its ranks.
    ends: dict[tuple[str, int], _Place] = field(default_factory=dict)
    arrivals: defaultdict[tuple[str, int], list[_Place]] = field(default_factory=lambda: defaultdict(list))

    def note(self, event: Event) -> None:
        step = event["args"].get("step")
        if step is None or event["name"] not in ("end", "next"):
            return
        key = (str(event["args"]["stream"]), int(step))
        # A moment before the span is over: an arrow belongs to the span that is open at its time.
        inside = event["ts"] + event["dur"] * 0.999
        place = _Place(event["pid"], event["tid"], inside)
        if event["name"] == "next":
            self.arrivals[key].append(place)
        elif key not in self.ends or self.ends[key].time < inside:
            self.ends[key] = place

    def events(self) -> Iterator[Event]:
        number = 0
        for key in sorted(self.ends.keys() & self.arrivals.keys()):
            for arrival in self.arrivals[key]:
                number += 1
                yield _arrow("s", number, self.ends[key])
                yield _arrow("f", number, arrival) | {"bp": "e"}


def _arrow(phase: str, number: int, place: _Place) -> Event:
    return {
        "ph": phase,
        "id": number,
        "name": "step",
        "cat": "step",
        "ts": round(place.time, 3),
        "pid": place.pid,
        "tid": place.tid,
    }


def merge(directory: Path, file: Path) -> TraceSummary:
    """Puts the traces in a directory together as one file. Raises NotFound if there is none."""
    parts = sorted(directory.glob("*.*.json"))
    if not parts:
        raise NotFound(f"no traces in {directory}: a process leaves one when STAITHE_TRACE names the directory")
    processes: defaultdict[int, _Process] = defaultdict(_Process)
    arrows = _Arrows()
    spans = lost = 0
    with file.open("w") as out:
        write = _Writer(out)
        for part in parts:
            for event in _events(part):
                if event["ph"] == _SPAN:
                    write(event)
                    arrows.note(event)
                    _note_thread(processes[event["pid"]], event)
                    spans += 1
                elif event["name"] == "process_name":
                    processes[event["pid"]].name = event["args"]["name"]
                elif event["name"] == "lost_spans":
                    lost += event["args"]["count"]
        for events in (arrows.events(), _names(processes)):
            for event in events:
                write(event)
        write.end()
    return TraceSummary(file, len(processes), spans, lost)


class _Writer:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._before = '{"displayTimeUnit":"ns","traceEvents":[\n'

    def __call__(self, event: Event) -> None:
        self._out.write(self._before + json.dumps(event, separators=(",", ":")))
        self._before = ",\n"

    def end(self) -> None:
        self._out.write("\n]}\n")


def _events(part: Path) -> Iterator[Event]:
    with part.open() as lines:
        for line in lines:
            text = line.strip().removesuffix(",")
            if text in ("[", "]", ""):
                continue
            try:
                yield json.loads(text)
            except ValueError:  # the last line of a process that was killed
                return


def _note_thread(process: _Process, event: Event) -> None:
    process.ranks.add(event["args"]["rank"])
    (process.directs if event["name"] == "announce" else process.works).add(event["tid"])


def _names(processes: dict[int, _Process]) -> Iterator[Event]:
    """What Perfetto calls processes and threads, and in which order it shows them."""
    sharing = Counter(process.name for process in processes.values())
    for order, (pid, process) in enumerate(sorted(processes.items(), key=_by_program_and_rank)):
        name = process.name
        if sharing[name] > 1 and len(process.ranks) == 1:
            name += f" rank {min(process.ranks)}"
        yield _metadata("process_name", pid, name=name)
        yield _metadata("process_sort_index", pid, sort_index=order)
        for tid in sorted(process.directs - process.works):
            yield _metadata("thread_name", pid, name="director") | {"tid": tid}


def _by_program_and_rank(entry: tuple[int, _Process]) -> tuple[str, int, int]:
    pid, process = entry
    return process.name, min(process.ranks, default=0), pid


def _metadata(name: str, pid: int, /, **args: object) -> Event:
    return {"ph": "M", "name": name, "pid": pid, "args": args}
