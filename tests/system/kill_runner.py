"""Carries out one case of the kill matrix: raises the cast, kills, sees who comes to rest, looks at what is left."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fork_server import Child, ForkServer, watch
from kill_cases import Case
from kill_verdict import Verdict, back, judge

WATCHDOG = 30.0  # seconds for the cast of a case to come to rest
NEVER = float("inf")

Cast = dict[str, Child]
Servers = Mapping[str | None, ForkServer]  # by host; of None where all are on one


class Hung(AssertionError):
    """Somebody waits on and on."""


def run_case(servers: Servers, case: Case, place: Path, stream: str) -> Verdict:
    directory, spilled = place / "run", place / "spilled"
    for made in (place, directory, spilled):
        made.mkdir(mode=0o700)
    environment = {"STAITHE_RUN_DIR": str(directory), "STAITHE_SPILL_DIRECTORY": str(spilled)}
    if case.hosts:
        environment["STAITHE_LISTEN"] = "0.0.0.0:0"
    dice = random.Random(repr(case))
    play = Play(servers, case, stream, environment, dice)
    director_host = case.hosts.get("writer 0")
    verdict = Verdict()
    try:
        verdict = judge(case, play.cast, play.perform())
        looks_first = dice.random() < 0.5
        # Survivors still hold views of the run that is over. Those of them who were heard no more could be writers.
        if not looks_first:
            _run_again(servers[director_host], stream, environment, verdict)
        for child in play.cast.values():
            child.say()
        for name, child in play.cast.items():
            child.wait()
            if child.has("breaks") and not verdict.faults:
                verdict.faults.append(f"{name}: {child.all('breaks')[0].details[0]}")
        # What the dead have left is removed by whoever looks on their host.
        for host in [director_host, *({*case.hosts.values()} - {director_host})]:
            look = servers[host].start("kill_roles", "look", environment=environment, output=True).wait()
            if look.lines != [f"no live streams in {directory}"]:
                verdict.faults.append(f"`staithe ls` still shows {look.lines} {look.story()}")
        left = {file.name for file in directory.iterdir()}
        if looks_first:
            # For a writer that resumes, and for readers that come too late; the next writer removes both.
            left -= {f"{stream}.progress", f"{stream}.ended"}
            _run_again(servers[director_host], stream, environment, verdict)
            left |= {file.name for file in directory.iterdir()}
        left |= {file.name for file in spilled.iterdir()}
        if case.hosts:
            left -= {"key"}  # for the next ones
        if left:
            verdict.faults.append(f"the run directory or that of spilled steps still holds {sorted(left)}")
    except Hung as hung:
        verdict.faults.append(str(hung))
    finally:
        for child in play.cast.values():
            child.kill()
            child.wait()
    if verdict.faults:
        verdict.faults += [str(case), *(child.story() for child in play.cast.values())]
    return verdict


class Play:
    """A case as it is played: its cast, and what the test does to it."""

    def __init__(
        self, servers: Servers, case: Case, stream: str, environment: dict[str, str], dice: random.Random
    ) -> None:
        self.case = case
        self.cast: Cast = {}
        self._servers, self._stream, self._environment, self._dice = servers, stream, environment, dice
        self._gate_is_shut = case.gate
        self._death = self._kill_at = NEVER
        starts = {f"writer {rank}": self._writer(rank) for rank in range(case.ranks)}
        for group in range(len(case.groups)):
            starts |= {f"reader {group}.{rank}": self._reader(group, rank) for rank in range(case.groups[group].size)}
        self._raise(starts)

    def perform(self) -> float:
        """Until the victim is dead and all others rest; returns when it was killed."""
        watchdog = time.monotonic() + WATCHDOG
        while not all(child.gone or child.has("rests") for child in self.cast.values()):
            if time.monotonic() > watchdog:
                raise Hung(f"after {WATCHDOG:g} s somebody still waits")
            watch(list(self.cast.values()), min(watchdog, self._kill_at))
            if self._gate_is_shut and all(child.has("joined") for child in self.cast.values()):
                self._gate_is_shut = False
                for child in self.cast.values():
                    child.say()
            if self._death == NEVER:
                self._strike(self.cast[self.case.victim])
            if self._death != NEVER and self.case.comes_back and back(0) not in self.cast:
                self._bring_back()  # what raises may be through already
        return self._death

    def _strike(self, victim: Child) -> None:
        for event in victim.all("dies"):
            self._death = event.at
        for event in victim.all("is to die"):
            self._kill_at = event.at + (self.case.delay or 0.0)
        if time.monotonic() >= self._kill_at:
            self._death = time.monotonic()
            victim.kill()
            self._kill_at = NEVER

    def _bring_back(self) -> None:
        """Starts all writer ranks anew, once those of the first life are through."""
        ranks = range(self.case.ranks)
        if all(child.gone or child.has("rests") for child in (self.cast[f"writer {rank}"] for rank in ranks)):
            self._raise({back(rank): self._writer(rank, gate=False) for rank in ranks})

    def _raise(self, starts: dict[str, dict[str, Any]]) -> None:
        """Programs may start in any order."""
        for name in self._dice.sample(sorted(starts), len(starts)):
            self.cast[name] = self._servers[self.case.hosts.get(name.partition(",")[0])].start(
                "kill_roles",
                called=name,
                environment=self._environment,
                death=self.case.death if name == self.case.victim else None,
                stream=self._stream,
                ranks=self.case.ranks,
                rows=self.case.rows,
                **starts[name],
            )

    def _writer(self, rank: int, gate: bool | None = None) -> dict[str, Any]:
        case = self.case
        return {
            "function": "write",
            "rank": rank,
            "steps": case.steps,
            "abandoned": case.abandoned[rank],
            "pauses": case.slow_writer,
            "lend": case.lend,
            "inline": case.inline,
            "gate": case.gate if gate is None else gate,
            "comes_back": case.comes_back,
            "options": case.writer_options(),
        }

    def _reader(self, group: int, rank: int) -> dict[str, Any]:
        case = self.case
        return {
            "function": "read",
            "rank": rank,
            "size": case.groups[group].size,
            "keep": case.groups[group].keep,
            "pauses": case.groups[group].pauses,
            "gate": case.gate,
            "options": case.reader_options(group),
        }


def _run_again(server: ForkServer, stream: str, environment: dict[str, str], verdict: Verdict) -> None:
    again = server.start("kill_roles", "run_again", environment=environment, stream=stream).wait()
    if not again.has("ran"):
        verdict.faults.append(f"the next run under the same name fails: {again.story()}")
