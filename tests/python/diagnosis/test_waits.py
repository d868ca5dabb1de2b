"""Who waits for whom in streams that are made up."""

from __future__ import annotations

import sys
from pathlib import Path

from staithe.diagnosis.finding import Who
from staithe.diagnosis.waits import Wait, waits_for_opening, waits_in

sys.path.append(str(Path(__file__).parent))
from descriptions import group, member, stream, writer

SIM = Who("sim", 10, "node7", 0)
SIM_1 = Who("sim", 11, "node7", 1)
PLOT = Who("plot", 20, "node7", 0)
STATS = Who("stats", 30, "node7", 0)


def only(waits: list[Wait]) -> Wait:
    assert len(waits) == 1
    return waits[0]


def test_nobody_waits_in_a_stream_that_goes_well() -> None:
    assert list(waits_in(stream("s", [writer("sim", 10)], group("plot", member("plot", 20, held=2))))) == []


def test_a_writer_waits_for_the_reader_that_has_held_longest_and_on_all_that_hold() -> None:
    waiting = stream(
        "s",
        [writer("sim", 10, waiting_seconds=12.0)],
        group("plot", member("plot", 20, held=1, holding_seconds=3.0)),
        group("stats", member("stats", 30, held=8, holding_seconds=14.0)),
        group("idle", member("idle", 40)),
    )
    wait = only(list(waits_in(waiting)))
    assert (wait.who, wait.seconds, wait.on) == (SIM, 12.0, (PLOT, STATS))
    assert wait.reason == "stats rank 0 (pid 30 on node7) has held 8 steps, the oldest for 14.0 s"
    assert "see what stats does" in wait.advice
    assert wait.finding.what.startswith("sim rank 0 (pid 10 on node7) waits for room in the queue of 's': stats")


def test_a_writer_waits_for_readers_that_have_not_come() -> None:
    waiting = stream("s", [writer("sim", 10, waiting_seconds=5.0)], expected_readers=2, readers_seen=0)
    wait = only(list(waits_in(waiting)))
    assert wait.reason == "0 of 2 expected reader groups have joined"
    assert wait.on == ()


def test_a_writer_rank_waits_for_another_that_lags_behind() -> None:
    waiting = stream(
        "s",
        [writer("sim", 10, waiting_seconds=5.0), writer("sim", 11, 1)],
        group("plot", member("plot", 20)),
        incomplete={"step": 3, "missing": [1], "seconds": 5.0},
    )
    wait = only(list(waits_in(waiting)))
    assert wait.on == (SIM_1,)
    assert wait.reason == "step 3 lacks the part of sim rank 1 (pid 11 on node7)"


def test_rank_0_waits_for_ranks_that_have_not_closed() -> None:
    writers = [writer("sim", 10, finished=True), writer("sim", 11, 1)]
    wait = only(list(waits_in(stream("s", writers, closing_seconds=4.0))))
    assert (wait.who, wait.on, wait.wants) == (SIM, (SIM_1,), "the end of")
    late = stream("s", [writer("sim", 10, finished=True)], closing_seconds=4.0, expected_readers=1, readers_seen=0)
    assert only(list(waits_in(late))).reason == "0 of 1 expected reader groups have joined"


def test_a_reader_waits_for_the_writer() -> None:
    waiting = stream("s", [writer("sim", 10)], group("plot", member("plot", 20, waiting_seconds=7.0)))
    wait = only(list(waits_in(waiting)))
    assert (wait.who, wait.on, wait.wants) == (PLOT, (SIM,), "the next step of")


def test_a_reader_waits_for_the_ranks_that_have_not_ended_the_step() -> None:
    waiting = stream(
        "s",
        [writer("sim", 10), writer("sim", 11, 1)],
        group("plot", member("plot", 20, waiting_seconds=7.0)),
        incomplete={"step": 3, "missing": [1], "seconds": 7.0},
    )
    assert only(list(waits_in(waiting))).on == (SIM_1,)


def test_a_reader_waits_for_its_own_group() -> None:
    waiting = stream("s", [writer("sim", 10)], group("plot", member("plot", 20, waiting_seconds=7.0), ranks=3))
    wait = only(list(waits_in(waiting)))
    assert wait.reason == "rank 1 and 2 of its own group has not joined"
    assert wait.on == ()


def test_a_reader_that_holds_the_whole_queue_waits_for_itself() -> None:
    waiting = stream("s", [writer("sim", 10)], group("plot", member("plot", 20, waiting_seconds=7.0, held=8)))
    wait = only(list(waits_in(waiting)))
    assert wait.reason == "it holds all 8 steps of the queue itself"
    assert "copy what you keep" in wait.advice


def test_a_reader_that_comes_before_all_ranks_of_the_writer() -> None:
    writers = [writer("sim", 10), writer("", 0, 1, joined=False)]
    joining = [member("plot", 20, seconds=9.0)]
    wait = only(list(waits_in(stream("s", writers, joining=joining))))
    assert (wait.who, wait.seconds) == (PLOT, 9.0)
    assert wait.reason == "rank 1 of the writer group has not opened it"


def test_who_waits_for_a_stream_that_nobody_has_opened() -> None:
    note = {"stream": "s", "program": "plot", "pid": 20, "host": "node7", "since": 100.0}
    # In a stream that is open, its director tells who waits.
    notes = [note | {"wants": "somebody to open"}, note | {"wants": "the next step of"}]
    wait = only(list(waits_for_opening(notes, {}, 130.0)))
    assert (wait.seconds, wait.on) == (30.0, ())
    assert wait.reason == "no live process has opened it for writing"
    wait = only(list(waits_for_opening(notes, {"s": [SIM]}, 130.0)))
    assert wait.on == (SIM,)
    assert wait.reason == "sim rank 0 (pid 10 on node7) is to write it"
