"""Runs a case: all its trials in turn, as often as it asks, so that the machine's noise falls on everyone alike."""

import math
from collections.abc import Callable

from ..cases.base import Case
from ..coding.fields import fetch
from ..contenders import NAMES, contender_named
from .launch import Launcher
from .results import OURS, Cell, Row, Table
from .trial import Outcome, Trial

# Which trial was run, its outcome, and the share of the case that is done.
Progress = Callable[[Trial, Outcome, float], None]


def run_case(case: Case, launcher: Launcher, quick: bool, contenders: set[str], progress: Progress) -> Table:
    trials = [trial for trial in case.trials(quick) if trial.contender in contenders]
    # Hosts of a benchmark reach nobody.
    fetch(field for trial in trials for field in case.fields(trial))
    cells = [{label: Cell() for label in case.rows(trial)} for trial in trials]
    hopeless: set[int] = set()  # failed at once: not worth the time of another try
    for repeat in range(case.repeats(quick)):
        for number, trial in enumerate(trials):
            if number in hopeless or repeat >= _repeats(trial, case, quick):
                continue
            outcome = launcher.run(trial)
            progress(trial, outcome, (repeat * len(trials) + number + 1) / (case.repeats(quick) * len(trials)))
            values = {} if outcome.failure else case.measures(trial, outcome)
            for label, cell in cells[number].items():
                cell.values.append(values.get(label, math.nan))
                cell.failure = cell.failure or outcome.failure
            if outcome.failure and repeat == 0:
                hopeless.add(number)

    table = Table(case.name, case.title, case.note)
    for label in dict.fromkeys(label for found in cells for label in found):
        row = Row(label, case.unit(label), case.better_of(label), {}, case.targets(label))
        for name in NAMES:
            ways = [
                found[label]
                for trial, found in zip(trials, cells, strict=True)
                if trial.contender == name and label in found
            ]
            if ways:
                row.cells[name] = _best(ways, case)
        table.rows.append(row)
    for row in table.rows:
        row.ours_elsewhere = {other.label: other.cells[OURS] for other in table.rows if OURS in other.cells}
    return table


def _best(ways: list[Cell], case: Case) -> Cell:
    """Of the ways that a contender has to fill a cell."""
    sign = 1 if case.better == "higher" else -1
    return max(ways, key=lambda cell: sign * cell.median if cell.measured else -math.inf)


def _repeats(trial: Trial, case: Case, quick: bool) -> int:
    most = contender_named(trial.contender).most_repeats
    return min(case.repeats(quick), most // 2 if quick else most)
