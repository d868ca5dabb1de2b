"""Runs a case: all its trials in turn, as often as it asks, so that the machine's noise falls on everyone alike."""

import math
from collections.abc import Callable

from ..cases.base import Case
from ..contenders import NAMES, contender_named
from .launch import Launcher
from .results import Cell, Row, Table
from .trial import Outcome, Trial

Progress = Callable[[Trial, int, Outcome], None]


def run_case(case: Case, launcher: Launcher, quick: bool, contenders: set[str], progress: Progress) -> Table:
    trials = [trial for trial in case.trials(quick) if trial.contender in contenders]
    table = Table(case.name, case.title, case.note)
    rows: dict[str, Row] = {}
    for trial in trials:
        for label in case.rows(trial):
            row = rows.setdefault(label, Row(label, case.unit(label), case.better, {}, case.targets(label)))
            row.cells[trial.contender] = Cell()
    most = {id(trial): _repeats(trial, case, quick) for trial in trials}
    hopeless: set[int] = set()  # failed at once: not worth the time of another try
    for repeat in range(case.repeats(quick)):
        for trial in trials:
            if id(trial) in hopeless or repeat >= most[id(trial)]:
                continue
            outcome = launcher.run(trial)
            progress(trial, repeat, outcome)
            values = {} if outcome.failure else case.measures(trial, outcome)
            for label in case.rows(trial):
                cell = rows[label].cells[trial.contender]
                cell.values.append(values.get(label, math.nan))
                cell.failure = cell.failure or outcome.failure
            if outcome.failure and repeat == 0:
                hopeless.add(id(trial))
    for row in rows.values():
        row.cells = {name: row.cells[name] for name in NAMES if name in row.cells}
    table.rows = list(rows.values())
    return table


def _repeats(trial: Trial, case: Case, quick: bool) -> int:
    most = contender_named(trial.contender).most_repeats
    return min(case.repeats(quick), most // 2 if quick else most)
