"""Carries out one case of the kill matrix: raises the cast, kills, sees who comes to rest, looks at what is left."""

from __future__ import annotations

import random
import time
from pathlib import Path

from fork_server import Child, ForkServer, watch
from kill_cases import Case, Verdict, judge

WATCHDOG = 30.0  # seconds for the cast of a case to come to rest


class Hung(AssertionError):
    """Somebody waits on and on."""


def run_case(server: ForkServer, case: Case, directory: Path, stream: str) -> Verdict:
    directory.mkdir(mode=0o700)
    environment = {"STAITHE_RUN_DIR": str(directory)}
    dice = random.Random(f"{stream} {case.number}")
    cast = _raise_cast(server, case, stream, environment, dice)
    try:
        death = _play(case, cast)
        verdict = judge(case, cast, death)
        looks_first = dice.random() < 0.5
        # Survivors still hold views of the run that is over. Those of them who were heard no more could be writers.
        if not looks_first:
            _run_again(server, stream, environment, verdict)
        for child in cast.values():
            child.say()
        for name, child in cast.items():
            child.wait()
            if child.has("breaks") and not verdict.faults:
                verdict.faults.append(f"{name}: {child.all('breaks')[0].details[0]}")
        look = server.start("kill_roles", "look", environment=environment, output=True).wait()
        if look.lines != [f"no live streams in {directory}"]:
            verdict.faults.append(f"`staithe ls` still shows {look.lines} {look.story()}")
        left = {file.name for file in directory.iterdir()}
        if looks_first:
            left.discard(f"{stream}.progress")  # for a writer that resumes; the next one that does not removes it
            _run_again(server, stream, environment, verdict)
            left |= {file.name for file in directory.iterdir()}
        if left:
            verdict.faults.append(f"the run directory still holds {sorted(left)}")
    finally:
        for child in cast.values():
            child.kill()
            child.wait()
    if verdict.faults:
        verdict.faults.append("\n".join(child.story() for child in cast.values()))
    return verdict


def _raise_cast(
    server: ForkServer, case: Case, stream: str, environment: dict[str, str], dice: random.Random
) -> dict[str, Child]:
    starts = {}
    for rank in range(case.ranks):
        options = {
            "queue_steps": case.queue_steps,
            "readers": 1 if case.inline else len(case.sizes),
            "timeout": case.patience,
        }
        starts[f"writer {rank}"] = (
            "write",
            {
                "rank": rank,
                "steps": case.steps,
                "abandoned": case.abandoned[rank],
                "pauses": case.slow_writer,
                "lend": case.lend,
                "inline": case.inline,
                "options": options,
            },
        )
    for group, size in enumerate(case.sizes):
        for rank in range(size):
            starts[f"reader {group}.{rank}"] = (
                "read",
                {
                    "rank": rank,
                    "size": size,
                    "program": f"group {group}",
                    "keep": case.keep[group],
                    "pauses": case.slow_reader,
                    "timeout": case.patience,
                },
            )
    cast = {}
    for name in dice.sample(sorted(starts), len(starts)):  # programs may start in any order
        function, arguments = starts[name]
        cast[name] = server.start(
            "kill_roles",
            function,
            called=name,
            environment=environment,
            death=case.death if name == case.victim else None,
            stream=stream,
            ranks=case.ranks,
            rows=case.rows,
            gate=case.gate,
            **arguments,
        )
    return cast


def _play(case: Case, cast: dict[str, Child]) -> float:
    """Until the victim is dead and all others rest; returns when it was killed."""
    victim = cast[case.victim]
    watchdog = time.monotonic() + WATCHDOG
    death = kill_at = float("inf")
    gate_is_shut = case.gate
    while not all(child.gone or child.has("rests") for child in cast.values()):
        if time.monotonic() > watchdog:
            stories = "\n".join(child.story() for child in cast.values())
            raise Hung(f"after {WATCHDOG:g} s somebody still waits: {case}\n{stories}")
        watch(list(cast.values()), min(watchdog, kill_at))
        if gate_is_shut and all(child.has("joined") for child in cast.values()):
            gate_is_shut = False
            for child in cast.values():
                child.say()
        if death == float("inf"):
            for event in victim.all("dies"):
                death = event.at
            for event in victim.all("is to die"):
                kill_at = event.at + (case.delay or 0.0)
            if time.monotonic() >= kill_at:
                death = time.monotonic()
                victim.kill()
                kill_at = float("inf")
    return death


def _run_again(server: ForkServer, stream: str, environment: dict[str, str], verdict: Verdict) -> None:
    again = server.start("kill_roles", "run_again", environment=environment, stream=stream).wait()
    if not again.has("ran"):
        verdict.faults.append(f"the next run under the same name fails: {again.story()}")
