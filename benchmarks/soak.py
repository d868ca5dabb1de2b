#!/usr/bin/env python3
"""A soak: does anything grow? A day's worth of steps in ten minutes, with a reader that comes and goes every second.

A simulation that hands over a step every 10 s makes 8,640 of them in 24 hours. Here they come 144 times as fast, and
a reader opens the stream every second, reads for a while, and leaves: two of three close it, the third is killed with
SIGKILL in the middle of a step. Each step has a field of constant size, and particles whose number changes from step
to step. Once a second the writer's memory, descriptors and threads are looked at from outside.

Prints what it saw, writes the samples as JSON and the figure, and fails if the last third holds more than the middle
third. SOAK_SECONDS shortens it (the number of steps shrinks with it, the rate stays); `make soak` runs it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import staithe

ROOT = Path(__file__).resolve().parent.parent
STREAM = "soak"
DAY = 24.0  # hours that the full soak stands for
FULL_SECONDS = 600.0
FULL_STEPS = 8640
QUEUE_STEPS = 8
FIELD = 1 << 19  # float64: 4 MiB
PARTICLES = (100_000, 140_000)  # float32 × 3: 1.2 to 1.7 MB

# How much more than the middle third the last one may hold, beside 1 %.
SLACK = {"anonymous": 1 << 20, "pool": 0, "descriptors": 1.0, "threads": 1.0}


@dataclass
class Sample:
    """What the writer's process held at one moment."""

    seconds: float
    steps: int
    anonymous: int  # bytes of its own
    pool: int  # bytes of shared memory that its pool holds
    descriptors: int
    threads: int
    readers: int  # that have come so far
    killed: int


def write(seconds: float, steps: int, progress: Connection) -> None:
    """The writer: a step whenever one is due."""
    generator = random.Random(1)
    field = np.zeros(FIELD)
    particles = np.zeros((PARTICLES[1], 3), np.float32)
    with staithe.writer(STREAM, readers=0, queue_steps=QUEUE_STEPS) as out:
        began = time.monotonic()
        for number in range(steps):
            time.sleep(max(0.0, began + number * seconds / steps - time.monotonic()))
            with out.step() as step:
                field[0] = number
                step.put("field", field)
                step.put("particles", particles[: generator.randint(*PARTICLES)])
            progress.send((number + 1, out.stats()["pool_bytes"], out.stats()["stall_seconds"]))


def read(seconds: float, killed: bool, first: bool) -> None:
    """A reader that stays for a moment; or one that is killed while it holds a step.

    The first one rests on its first step until the queue is full: from then on the pool has all the memory that it will
    ever need, and may not grow by a byte.
    """
    until = time.monotonic() + seconds
    with staithe.reader(STREAM, timeout=20) as source:
        for step in source:
            assert step["field"][0] == step.index
            assert step["particles"][...].shape[0] >= PARTICLES[0]
            if first:
                time.sleep(1.5 * QUEUE_STEPS * FULL_SECONDS / FULL_STEPS)
                first = False
            if killed and time.monotonic() > until:
                os.kill(os.getpid(), signal.SIGKILL)
            if time.monotonic() > until:
                break


def look(pid: int) -> tuple[int, int, int]:
    """Anonymous memory, descriptors and threads of a process."""
    process = Path(f"/proc/{pid}")
    rollup = dict(line.split(":", 1) for line in (process / "smaps_rollup").read_text().splitlines()[1:])
    # Not its proportional share: readers that are forked from the same server change that as they come and go.
    anonymous = int(rollup["Anonymous"].split()[0]) << 10
    return anonymous, len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


def soak(seconds: float) -> tuple[list[Sample], float]:
    """Runs writer and readers; the samples, one a second, and how long the writer waited for readers in all."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["staithe", "numpy", "matplotlib.figure"])  # a reader costs a fork, no imports
    ours, theirs = context.Pipe(duplex=False)
    steps = max(int(FULL_STEPS * seconds / FULL_SECONDS), 1)
    writer = context.Process(target=write, args=(seconds, steps, theirs))
    writer.start()
    theirs.close()
    samples: list[Sample] = []
    readers: list[tuple[bool, multiprocessing.process.BaseProcess]] = []
    written = pool = came = 0
    stall = 0.0
    failed: list[str] = []
    began = time.monotonic()
    next_second = began
    while written < steps:
        if not ours.poll(max(0.0, next_second - time.monotonic())):
            killed = came % 3 == 2
            if written < steps - 2 * FULL_STEPS / FULL_SECONDS:  # one that comes at the very end may find nobody
                readers.append((killed, context.Process(target=read, args=(0.8, killed, came == 0))))
                readers[-1][1].start()
                came += 1
            gone = [(expected, reader) for expected, reader in readers if reader.exitcode is not None]
            readers = [entry for entry in readers if entry not in gone]
            for expected, reader in gone:
                if reader.exitcode != (-signal.SIGKILL if expected else 0):
                    failed.append(f"a reader ended with {reader.exitcode}")
                reader.close()
            if written:
                samples.append(Sample(time.monotonic() - began, written, *_held(writer.pid, pool), came, came // 3))
            next_second += 1.0
            continue
        try:
            written, pool, stall = ours.recv()
        except EOFError:
            failed.append(f"the writer ended after {written} of {steps} steps")
            break
    writer.join(60)
    for _, reader in readers:
        reader.join(60)
    if failed or writer.exitcode != 0:
        sys.exit("soak: " + "; ".join(failed or [f"the writer ended with {writer.exitcode}"]))
    return samples, stall


def _held(pid: int | None, pool: int) -> tuple[int, int, int, int]:
    assert pid is not None
    anonymous, descriptors, threads = look(pid)
    return anonymous, pool, descriptors, threads


def growth(samples: list[Sample], quantity: str) -> tuple[float, float]:
    """The mean of the middle third, and of the last."""
    values = [getattr(sample, quantity) for sample in samples]
    third = len(values) // 3
    return mean(values[third : 2 * third]), mean(values[2 * third :])


def draw(samples: list[Sample], seconds: float, path: Path) -> None:
    """Memory, descriptors and threads over the hours that the soak stands for."""
    hours = [DAY * sample.seconds / FULL_SECONDS for sample in samples]
    figure = Figure(figsize=(8, 6), layout="constrained")
    memory, counts = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    memory.plot(hours, [s.pool / 1e6 for s in samples], color="#0072B2", label="shared memory of its pool")
    memory.plot(hours, [s.anonymous / 1e6 for s in samples], color="#D55E00", label="memory of its own")
    memory.set_ylabel("memory of the writer (MB)")
    counts.plot(hours, [s.descriptors for s in samples], color="#009E73", label="file descriptors")
    counts.plot(hours, [s.threads for s in samples], color="#CC79A7", label="threads")
    counts.set_ylabel("number in the writer")
    counts.set_xlabel(f"hours of a simulation with a step every 10 s (run in {seconds / 60:.0f} minutes)")
    last = samples[-1]
    title = f"{last.steps:,} steps, {last.readers} readers came and went, {last.killed} of them killed"
    memory.set_title(title, fontsize=10)
    for axes in (memory, counts):
        _tidy(axes)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _tidy(axes: Axes) -> None:
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
    axes.margins(x=0.01)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center right", fontsize=9)


def report(samples: list[Sample], stall: float, say: Callable[[str], None]) -> bool:
    """Says how the thirds compare; whether nothing grew."""
    last = samples[-1]
    say(f"{last.steps} steps, {last.readers} readers, {last.killed} of them killed; the writer waited {stall:.2f} s")
    flat = True
    for quantity, slack in SLACK.items():
        middle, end = growth(samples, quantity)
        held = end <= 1.01 * middle + slack
        flat = flat and held
        say(f"{quantity:12} middle third {middle:14,.1f}  last third {end:14,.1f}  {'flat' if held else 'GROWS'}")
    return flat


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SOAK_SECONDS") or FULL_SECONDS))
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "soak.json")
    parser.add_argument("--figure", type=Path, default=ROOT / "build" / "soak.png")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="staithe-") as directory:
        os.environ["STAITHE_RUN_DIR"] = directory
        os.environ["STAITHE_LOG"] = "error"  # not a line for every reader that is killed
        samples, stall = soak(options.seconds)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.write_text(json.dumps([asdict(sample) for sample in samples]) + "\n")
    draw(samples, options.seconds, options.figure)
    return 0 if report(samples, stall, lambda line: print(f"soak: {line}", flush=True)) else 1


if __name__ == "__main__":
    sys.exit(main())
