"""What the processes of the kill matrix do: the ranks of a stream, and those who look at what is left afterwards.

Every value says which step and element it is, so that a reader notices a step that is torn or not its own.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from fork_server import GivesUp, Stage
from numpy.typing import NDArray

import staithe


def values(step: int, first: int, count: int) -> NDArray[np.float64]:
    """Elements [first, first + count) of the variable x in a step."""
    return step * 1e7 + np.arange(first, first + count, dtype=np.float64)


def check(step: staithe.Step, ranks: int, rows: int) -> None:
    whole = step["x"][...]
    assert whole.shape == (ranks * rows,), whole.shape
    assert (whole == values(step.index, 0, ranks * rows)).all(), f"step {step.index} is garbled"
    assert [int(block.data) for block in step["rank"].blocks] == list(range(ranks))
    assert step.attrs["number"] == step.index


class Checked(staithe.Analysis):
    """The check as an analysis that runs inline."""

    def __init__(self, stage: Stage, ranks: int, rows: int) -> None:
        self._stage, self._ranks, self._rows = stage, ranks, rows

    def step(self, step: staithe.Step) -> None:
        check(step, self._ranks, self._rows)
        self._stage.tell("got", step.index)


def pass_gate(stage: Stage, gate: bool) -> None:
    """Waits until all have joined, if there is a gate."""
    if gate:
        stage.tell("joined")
        stage.wait_for_word()


def write(
    stage: Stage,
    stream: str,
    rank: int,
    ranks: int,
    rows: int,
    steps: int,
    abandoned: Sequence[int],
    pauses: dict[str, float],
    lend: bool,
    inline: bool,
    gate: bool,
    comes_back: bool,
    options: dict[str, Any],
) -> None:
    """One rank of the writer group. If it is to come back, it does not close the stream before it has died."""
    analyses = [Checked(stage, ranks, rows)] if inline else []
    with contextlib.suppress(staithe.Error, GivesUp):  # told already
        stage.point("before open")
        with stage.call("open"):
            out = staithe.writer(stream, group=(rank, ranks), analyses=analyses, **options)
        pass_gate(stage, gate)
        stage.tell("begins with", out.next_step)
        with out:
            for number in range(out.next_step, steps):
                stage.point("between", number)
                time.sleep(pauses.get(str(number), 0.0))
                write_step(stage, out, number, rows, lend, number in abandoned)
            stage.tell("spilled", out.stats()["spilled_steps"])
            stage.point("before close")
            if comes_back and stage.is_doomed:
                stage.wait_for_word()
            with stage.call("close"):
                out.close()
    stage.point("closed")
    stage.tell("rests")
    stage.wait_for_word()


def write_step(stage: Stage, out: staithe.Writer, number: int, rows: int, lend: bool, abandon: bool) -> None:
    with stage.call("begin", number):
        step = out.step()
    assert step.index == number
    stage.point("begun", number)
    where = {"offset": (out.rank * rows,), "shape": (out.size * rows,)}
    block = values(number, out.rank * rows, rows)
    if lend:
        with step.loan("x", count=(rows,), **where) as lent:
            lent[: rows // 2] = block[: rows // 2]
            stage.point("in the loan", number)
            lent[rows // 2 :] = block[rows // 2 :]
    else:
        step.put("x", block, **where)
    stage.point("after a put", number)
    step.put("rank", out.rank)
    step.attrs["number"] = number
    if abandon:
        step.abandon()
    else:
        with stage.call("end", number):
            step.end()


def read(
    stage: Stage,
    stream: str,
    rank: int,
    size: int,
    ranks: int,
    rows: int,
    keep: int,
    pauses: dict[str, float],
    gate: bool,
    options: dict[str, Any],
) -> None:
    """One rank of a reader group. It keeps views of its last `keep` steps, also when all others are gone."""
    kept: deque[tuple[int, NDArray[np.float64]]] = deque(maxlen=keep)
    resumes = bool(options["resume"])
    with contextlib.suppress(staithe.Error):
        stage.point("before open")
        with stage.call("open"):
            source = staithe.reader(stream, group=(rank, size), **options)
        pass_gate(stage, gate)
        with source:
            try:
                read_steps(stage, source, ranks, rows, kept, pauses, resumes)
            finally:
                stage.tell("dropped", source.stats()["dropped"])
            stage.point("before close")
            with stage.call("close"):
                source.close()
    stage.point("closed")
    stage.tell("rests")
    stage.wait_for_word()
    for number, view in kept:
        assert (view == values(number, 0, rows)).all(), "a view changed after the stream was gone"


def read_steps(
    stage: Stage,
    source: staithe.Reader,
    ranks: int,
    rows: int,
    kept: deque[tuple[int, NDArray[np.float64]]],
    pauses: dict[str, float],
    resumes: bool,
) -> None:
    """Until the stream ends. One that resumes goes on where a step has died with a writer on another host."""
    for turn in range(sys.maxsize):
        stage.point("between", turn)
        with stage.call("next", turn):
            step = source.next()
        if step is None:
            stage.tell("ends")
            return
        try:
            with stage.call("fetch", turn):
                check(step, ranks, rows)
                kept.append((step.index, step["x"].blocks[0].data))
            stage.tell("got", step.index)
        except staithe.PeerLost:
            if not resumes:
                raise
            stage.tell("loses", step.index)
        stage.point("holding views", turn)
        time.sleep(pauses.get(str(turn), 0.0))


def look(stage: Stage) -> None:
    """`staithe ls`."""
    from staithe.cli import main

    sys.argv = ["staithe", "ls"]
    main()
    stage.tell("looked")


def run_again(stage: Stage, stream: str) -> None:
    """The next run under the same name: a writer and a reader."""
    with (
        staithe.writer(stream, queue_steps=4, timeout=20) as out,
        staithe.reader(stream, timeout=20) as source,
    ):
        for number in range(3):
            with out.step() as step:
                step.put("x", number)
        assert [int(next(source)["x"][()]) for _ in range(3)] == [0, 1, 2]
    stage.tell("ran")


def launch(stage: Stage, flow: str) -> None:
    """`staithe run`."""
    from staithe.cli import main

    sys.argv = ["staithe", "run", flow]
    main()


# A program of a workflow: what `staithe run` starts.
PROGRAMS = {
    "sim": """
import numpy as np, staithe, sys, time
with staithe.writer("melt", queue_steps=3) as out:
    for number in range(60):
        with out.step() as step:
            step.put("x", np.full(1000, number))
        print("step", number, flush=True)
        time.sleep(0.01)
""",
    "view": """
import staithe
for step in staithe.reader("melt"):
    assert (step["x"][...] == step.index).all()
    print("got", step.index, flush=True)
""",
}
