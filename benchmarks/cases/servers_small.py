"""Objects of 1 KiB, a thousand of them again and again, put and got one call after the other, or many in one go.

There is no limit by hand: the peers are redis-benchmark, in C, and Dragon's DDict and redis-py, in Python.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, ObjectStore
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case

ITEMS = 128
NAMES = 1000
CPP, PYTHON, BATCHES = "C or C++", "Python", "many in one go"
# redis-benchmark: 50 clients, which have 16 calls under way each; and one that waits for each call.
TOOL = {CPP: ("-c", "1"), BATCHES: ("-P", "16")}
PYTHON_CALLS = {"staithe": 20_000, "redis": 20_000, "dragon": 500}


class ServersSmall(Case):
    name = "servers_small"
    title = "Objects of 1 KiB in a space of a server on the same machine"
    note = "One program; many in one go: redis-benchmark -P 16, whose 50 clients have 16 calls under way each."

    def trials(self, quick: bool) -> list[Trial]:
        calls = 20_000 if quick else 100_000
        cpp = Trial(case=self.name, contender="staithe", point=CPP, program=("staithe_objects", str(calls)), readers=0)
        tool = [
            Trial(
                case=self.name,
                contender="redis",
                point=point,
                settings={"items": ITEMS, "calls": calls if point == CPP else 10 * calls, "tool": options},
            )
            for point, options in TOOL.items()
        ]
        python = [
            Trial(
                case=self.name,
                contender=contender,
                point=PYTHON,
                settings={
                    "items": ITEMS,
                    "calls": number,
                    "server": True,
                    "together": contender == "staithe",
                },
                readers=0,
            )
            for contender, number in PYTHON_CALLS.items()
        ]
        return [cpp, *tool, *python]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return self.keep(contender.objects(seat), seat.settings)

    def keep(self, objects: ObjectStore, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        names, values = [f"x{number}" for number in range(NAMES)], np.ones(settings["items"])
        for name in names:
            objects.put(name, values)
            objects.get(name)
        calls = settings["calls"]
        began = time.perf_counter()
        for number in range(calls):
            objects.put(names[number % NAMES], values)
        put = time.perf_counter()
        for number in range(calls):
            objects.get(names[number % NAMES])
        rates = {"puts": calls / (put - began), "gets": calls / (time.perf_counter() - put)}
        if settings.get("together"):
            rates |= self.keep_together(objects, names, values, calls)
        return rates

    def keep_together(self, objects: ObjectStore, names: list[str], values: Array, calls: int) -> Mapping[str, Any]:
        began = time.perf_counter()
        for _ in range(0, calls, NAMES):
            objects.put_all(names, values)
        put = time.perf_counter()
        for _ in range(0, calls, NAMES):
            objects.get_all(names)
        return {"batched": calls / (put - began), "batched_gets": calls / (time.perf_counter() - put)}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        points = (trial.point, self.together(trial)) if trial.contender == "staithe" else (trial.point,)
        return tuple(f"{kind}, {point}" for point in points for kind in ("puts", "gets"))

    def together(self, trial: Trial) -> str:
        return f"{PYTHON}, {BATCHES}" if trial.point == PYTHON else BATCHES

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        rates = outcome.writers[0] if outcome.writers else outcome.program
        measured = {f"{kind}, {trial.point}": rates[kind] for kind in ("puts", "gets")}
        if "batched" in rates:
            point = self.together(trial)
            measured |= {f"puts, {point}": rates["batched"], f"gets, {point}": rates["batched_gets"]}
        return measured

    def unit(self, row: str) -> str:
        return "1/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        if row.endswith(CPP):
            return (Target(30_000),)
        if row.endswith(f"{PYTHON}, {BATCHES}"):
            return (Target(150_000),)
        if row.endswith(BATCHES):
            return Target(500_000), Target(2.0, "redis")
        return (Target(5.0, "dragon"),)


CASE = ServersSmall()
