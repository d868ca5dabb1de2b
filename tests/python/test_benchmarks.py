"""How the benchmarks measure (benchmarks/harness): what makes their tables right, and lets them end."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2])


def test_who_fails_leaves_a_reason_and_the_others_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.contenders import contender_named
    from benchmarks.harness.launch import Launcher
    from benchmarks.harness.trial import Trial

    def says_something_else(*_: object) -> None:
        raise KeyError("end")

    iperf3 = contender_named("iperf3")
    monkeypatch.setattr(iperf3, "missing", lambda: None)
    monkeypatch.setattr(iperf3, "run", says_something_else)
    outcome = Launcher([0, 0]).run(Trial("hosts_throughput", "iperf3", "fetch, 8 MiB"))
    assert outcome.failure == "KeyError: 'end'"


def test_every_thread_keeps_to_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.harness import worker

    pinned: dict[int, set[int]] = {}
    monkeypatch.setattr(os, "sched_setaffinity", pinned.__setitem__)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)  # as a library starts them while it is loaded
    thread.start()
    worker._keep_to(3)
    done.set()
    thread.join()
    assert pinned[threading.get_native_id()] == pinned[thread.native_id or 0] == {3}


def test_steps_that_count_and_those_before_the_rate_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.cases.base import Stopwatch
    from benchmarks.harness.trial import Seat, Trial

    moments = iter([0.0, 5.0, 8.0, 9.0, 10.0, 11.0, 12.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(moments))
    trial = Trial("hosts_links", "staithe", "", {"warmup": 1, "steps": 4, "cooldown": 1})
    watch = Stopwatch(Seat(trial, "reader", 0, 0, "", "", ""))
    for _ in range(6):
        watch.done()
    assert watch.seconds == 6.0
    assert watch.slow_steps() == 2


def test_a_row_is_set_against_another() -> None:
    from benchmarks.harness.results import Cell, Row, Target

    far = Row("far", "GB/s", "higher", {"staithe": Cell([1.8, 1.9])}, (Target(0.95, "near"),))
    far.ours_elsewhere = {"near": Cell([2.0, 2.0])}
    [verdict] = far.verdicts()
    assert verdict.value == pytest.approx(0.925)
    assert verdict.word == "missed"


def test_fields_are_there_before_hosts_are_that_could_not_fetch_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.cases import case_named
    from benchmarks.coding.fields import Field
    from benchmarks.harness.experiment import run_case
    from benchmarks.harness.launch import Launcher
    from benchmarks.harness.trial import Outcome, Trial

    there: set[str] = set()
    sent: list[str] = []

    def run(_: Launcher, trial: Trial) -> Outcome:
        sent.append(str(trial.settings["field"]).removeprefix("half ").partition(",")[0])
        return Outcome(failure="" if sent[-1] in there else f"{sent[-1]} is not there")

    monkeypatch.setattr(Field, "load", lambda self: there.add(self.name))
    monkeypatch.setattr(Launcher, "run", run)
    for name in ("links", "loaded", "predictions", "choices", "regions"):
        case = case_named(f"in_flight_{name}")
        monkeypatch.setattr(type(case), "measures", lambda *_: {})
        there.clear()
        table = run_case(case, Launcher([0, 0]), False, {"staithe"}, lambda *_: None)
        assert not any(cell.failure for row in table.rows for cell in row.cells.values()), name
    assert {"miranda", "gray-scott", "positions"} <= set(sent)
