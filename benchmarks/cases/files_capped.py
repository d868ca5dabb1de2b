"""Fields into files on a disk that is slow, beside the same values as they are: what compression is worth there."""

import os
from collections.abc import Mapping
from typing import Any

from ..contenders.base import Contender
from ..harness.capped_disk import capped_disk
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .files_coded import AS_IT_IS, WAYS, FilesCoded
from .files_steps import DIRECTORY

RATE = 500_000_000  # bytes a second


class FilesCapped(FilesCoded):
    name = "files_capped"
    title = "Fields into files on a disk of 0.5 GB/s, error 1e-3 of the range, by one program that has all cores"
    note = (
        "Bytes of values a second, until the disk has all. A control group slows the disk down, for which one is root."
    )
    ways = tuple(WAYS)

    def trials(self, quick: bool) -> list[Trial]:
        return super().trials(quick) if os.geteuid() == 0 else []

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        with capped_disk(DIRECTORY, RATE):
            return super().write(contender, seat)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [writer] = outcome.writers
        return {trial.point: 1e-9 * writer["bytes"] / writer["written"]}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        field, way = row.split(", ", 1)
        return () if way == AS_IT_IS else (Target(4.5, f"{field}, {AS_IT_IS}"),)


CASE = FilesCapped()
