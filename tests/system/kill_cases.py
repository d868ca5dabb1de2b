"""Cases of the kill matrix: how they are drawn, and what must hold when they are over."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from fork_server import Child, Event

# Points of a process's life: "at" it dies right there; "in" it is in a call that waits, when the test kills it.
WRITER_POINTS = (
    ("before open", "at"),
    ("open", "in"),
    ("between", "at"),
    ("begin", "in"),
    ("begun", "at"),
    ("in the loan", "at"),
    ("after a put", "at"),
    ("end", "in"),
    ("before close", "at"),
    ("close", "in"),
    ("closed", "at"),
    ("full queue", "in"),
    ("anywhere", "in"),
)
READER_POINTS = (
    ("before open", "at"),
    ("open", "in"),
    ("between", "at"),
    ("next", "in"),
    ("waiting for a step", "in"),
    ("holding views", "at"),
    ("before close", "at"),
    ("close", "in"),
    ("closed", "at"),
    ("anywhere", "in"),
)
# Nobody can tell a process that died before it joined from one that is still to come: then others wait until their
# timeout, which is short in such cases.
BEFORE_JOINING = ("before open", "open")
PATIENT, IMPATIENT = 60.0, 1.5  # seconds; the watchdog of a case ends before the patient ones do


@dataclass
class Case:
    """One case: the cast of a stream, and who dies where."""

    number: int
    who: str  # "reader", "writer" (a rank above 0), "rank 0"
    point: str
    at: int  # step or turn
    delay: float | None  # seconds after the point; None: at once, by its own hand
    rank: int  # of the victim
    group: int  # of a reader that is the victim
    ranks: int
    sizes: list[int]  # of the reader groups
    rows: int
    steps: int
    queue_steps: int
    keep: list[int]  # views, by reader group
    lend: bool
    inline: bool
    gate: bool  # nobody goes on before all have joined
    abandoned: list[list[int]]  # steps, by writer rank
    slow_writer: dict[str, float] = field(default_factory=dict)
    slow_reader: dict[str, float] = field(default_factory=dict)

    @property
    def victim(self) -> str:
        return f"reader {self.group}.{self.rank}" if self.who == "reader" else f"writer {self.rank}"

    @property
    def patience(self) -> float:
        return PATIENT if self.gate else IMPATIENT

    @property
    def death(self) -> dict[str, Any]:
        named = {"full queue": "begin", "waiting for a step": "next", "anywhere": "between"}
        return {"point": named.get(self.point, self.point), "number": self.at, "delay": self.delay}

    def dropped(self) -> set[int]:
        return {number for steps in self.abandoned for number in steps}


def draw(who: str, seed: int, number: int) -> Case:
    """The case of that number; each can be drawn by itself."""
    dice = random.Random(f"{seed} {who} {number}")
    point, how = dice.choice(READER_POINTS if who == "reader" else WRITER_POINTS)
    inline = who != "reader" and dice.random() < 0.12
    ranks = dice.randint(2, 3) if who == "writer" else dice.randint(1, 3)
    sizes = [] if inline else [dice.randint(1, 2) for _ in range(dice.randint(1, 3))]
    queue_steps = dice.randint(1, 4)
    steps = dice.randint(4, 10)
    group = dice.randrange(len(sizes)) if who == "reader" else 0
    case = Case(
        number=number,
        who=who,
        point=point,
        at=0,
        delay={"at": None, "in": dice.choice((0.0, 0.0003, 0.003, 0.03)) * dice.random()}[how],
        rank={"reader": dice.randrange(sizes[group]) if sizes else 0, "rank 0": 0}.get(who, dice.randrange(1, 4)),
        group=group,
        ranks=ranks,
        sizes=sizes,
        rows=dice.choice((1, 100, 5000, 30000)),
        steps=steps,
        queue_steps=queue_steps,
        keep=[dice.randrange(queue_steps) for _ in sizes],
        lend=point == "in the loan" or dice.random() < 0.3,
        inline=inline,
        gate=point not in BEFORE_JOINING and dice.random() < 0.75,
        abandoned=[dice.sample(range(steps), dice.choice((0, 0, 0, 1, 2))) for _ in range(ranks)],
    )
    if who == "writer":
        case.rank = 1 + case.rank % (ranks - 1)
    if point not in ("before open", "open", "before close", "close", "closed"):
        turns = steps - len(case.dropped()) if who == "reader" else steps
        case.at = dice.randrange(max(turns, 1))
    if point == "end" and case.at in case.abandoned[case.rank]:
        case.abandoned[case.rank].remove(case.at)  # it is to come there
    if point == "full queue" and not inline:
        # The readers rest on the first steps, so that the writer meets a full queue.
        case.at = min(queue_steps + 1, steps - 1)
        case.slow_reader = {str(turn): 0.15 for turn in range(2)}
        case.delay = 0.03 + 0.1 * dice.random()
    if point == "waiting for a step":
        case.slow_writer = {str(number): 0.08 for number in range(steps)}
        case.delay = 0.07 * dice.random()
    return case


# What must hold ----------------------------------------------------------------------------------------------


@dataclass
class Verdict:
    """What a case showed: what went wrong, and how long survivors took to learn of the death."""

    faults: list[str] = field(default_factory=list)
    notice: list[float] = field(default_factory=list)


def judge(case: Case, cast: dict[str, Child], death: float) -> Verdict:
    """Looks at what all processes told. `death`: when the victim was killed; it may have gone on a moment before."""
    verdict = Verdict()
    for name, child in cast.items():
        for event in child.all("breaks"):
            verdict.faults.append(f"{name}: {event.details[0]}")
        if name == case.victim:
            continue
        if not child.has("rests"):
            verdict.faults.append(f"{name} did not come to its end")
        for event in child.all("fails"):
            _judge_failure(case, cast, name, event, death, verdict)
        if name.startswith("reader"):
            _judge_reader(case, cast, name, death, verdict)
        elif case.who == "reader" and case.gate and not child.has("returns", "close"):
            verdict.faults.append(f"{name} did not go on after the death of a reader")
    _judge_groups(case, cast, verdict)
    return verdict


def _judge_failure(case: Case, cast: dict[str, Child], name: str, event: Event, death: float, verdict: Verdict) -> None:
    call, number, kind, message = event.details
    # A rank that comes to its next call after rank 0 has given the stream up finds it closed.
    given_up = kind == "Closed" and name.startswith("writer") and (case.who == "writer" or not case.gate)
    if given_up or (kind == "Timeout" and not case.gate):
        return
    if kind != "PeerLost":
        verdict.faults.append(f"{name}, {call} {number}: {kind}: {message}")
        return
    if case.who == "reader":
        verdict.faults.append(f"{name}, {call} {number}: the death of a reader became {kind}: {message}")
        return
    began = max(found.at for found in cast[name].all("calls", call, number) if found.at <= event.at)
    if case.gate:  # else it may have waited for others to join, first
        verdict.notice.append(event.at - max(death, began))
    # Who has not joined knows the process that went away, but not yet what it was to be.
    known = [f"(pid {cast[case.victim].pid} on "] + ([] if call == "open" else [f"writer rank {case.rank}, "])
    if not all(part in message for part in known):
        verdict.faults.append(f"{name}, {call} {number}: is not told who died: {message}")


def _judge_reader(case: Case, cast: dict[str, Child], name: str, death: float, verdict: Verdict) -> None:
    child = cast[name]
    got = [int(event.details[0]) for event in child.all("got")]
    visible = [number for number in range(case.steps) if number not in case.dropped()]
    if got != visible[: len(got)]:
        verdict.faults.append(f"{name} got the steps {got} of {visible}")
    group = int(name.removeprefix("reader ").partition(".")[0])
    mates = [cast[f"reader {group}.{rank}"] for rank in range(case.sizes[group])]
    joined = all(mate.all("returns", "open") and mate.all("returns", "open")[0].at < death for mate in mates)
    missing = [number for number in _surely_complete(case, cast, death) if number not in got]
    if joined and missing and not (case.who == "reader" and not case.gate):
        verdict.faults.append(f"{name} lacks the steps {missing}, which were complete")
    if case.who == "reader":
        if case.gate and (not child.has("ends") or got != visible):
            verdict.faults.append(f"{name} did not read to the end: {got} of {visible}")
        return
    victim = cast[case.victim]
    if child.has("ends") and not victim.has("calls", "close"):
        verdict.faults.append(f"{name} came to a normal end, although {case.victim} died")
    if victim.has("returns", "close") and not child.has("ends"):
        verdict.faults.append(f"{name} came to no normal end, although {case.victim} had closed the stream")


def _surely_complete(case: Case, cast: dict[str, Child], death: float) -> list[int]:
    """Steps that all ranks had ended, and that the director had heard of, before the death."""
    writers = [cast[f"writer {rank}"] for rank in range(case.ranks)]
    ended = []
    for number in range(case.steps):
        ends = [writer.all("returns", "end", number) for writer in writers]
        if number not in case.dropped() and all(ends):
            ended.append((number, max(end[0].at for end in ends)))
    if case.who != "rank 0" or case.ranks == 1:
        return [number for number, at in ended if at < death]
    # Rank 0 looks at what the others have sent when it begins a step.
    begun = [event.details[1] for event in writers[0].all("returns", "begin") if event.at < death]
    looked = [event.at for event in writers[0].all("calls", "begin") if event.details[1] in begun]
    return [number for number, at in ended if looked and at < max(looked)]


def _judge_groups(case: Case, cast: dict[str, Child], verdict: Verdict) -> None:
    """All ranks of a group see the same steps (but the dead one, and at the death of the director itself)."""
    if case.who == "rank 0":
        return
    for group, size in enumerate(case.sizes):
        names = [f"reader {group}.{rank}" for rank in range(size)]
        seen = {tuple(e.details[0] for e in cast[name].all("got")) for name in names if name != case.victim}
        if len(seen) > 1 and not (case.who == "reader" and not case.gate):
            verdict.faults.append(f"the ranks of group {group} saw different steps: {seen}")
