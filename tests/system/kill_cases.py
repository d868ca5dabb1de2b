"""Cases of the kill matrix: how they are drawn. What must hold when they are over is in kill_verdict.py."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

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
# Where an exception of the program's own leaves the `with` block of its writer.
WITHIN_THE_BLOCK = ("between", "begun", "in the loan", "after a put", "before close")
OUTSIDE_OF_STEPS = (*BEFORE_JOINING, "before close", "close", "closed")
PATIENT, IMPATIENT = 60.0, 1.5  # seconds; the watchdog of a case ends before the patient ones do

HOSTS = ("alpha", "beta", "gamma")
LOSSY = ("drop-oldest", "drop-newest", "keep-every-2", "keep-every-3", "latest")


@dataclass
class ReaderGroup:
    """One group of readers."""

    size: int
    overflow: str | None  # None: the stream's
    keep: int = 0  # views, of its last steps
    pauses: dict[str, float] = field(default_factory=dict)  # seconds, by turn


@dataclass
class Case:
    """One case: the cast of a stream, and who dies where."""

    number: int
    who: str  # "reader", "writer" (a rank above 0), "rank 0"
    point: str
    at: int  # step or turn
    delay: float | None  # seconds after the point; None: at once, by its own hand
    raises: bool  # it is not killed: an exception ends its part in the stream
    rank: int  # of the victim
    group: int  # of a reader that is the victim
    ranks: int
    groups: list[ReaderGroup]
    rows: int
    steps: int
    queue_steps: int
    overflow: str
    lend: bool
    inline: bool  # the writer ranks run an analysis
    gate: bool  # nobody goes on before all have joined
    comes_back: bool  # all writer ranks are started again, and the readers wait for them
    abandoned: list[list[int]]  # steps, by writer rank
    slow_writer: dict[str, float] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)  # of each of the cast, where they are apart

    @property
    def victim(self) -> str:
        return f"reader {self.group}.{self.rank}" if self.who == "reader" else f"writer {self.rank}"

    @property
    def patience(self) -> float:
        return PATIENT if self.gate else IMPATIENT

    @property
    def death(self) -> dict[str, Any]:
        named = {"full queue": "begin", "waiting for a step": "next", "anywhere": "between"}
        return {
            "point": named.get(self.point, self.point),
            "number": self.at,
            "delay": self.delay,
            "raises": self.raises,
        }

    def kind(self) -> dict[str, Hashable]:
        """What kind of case it is, in every respect that a sample must meet."""
        return {
            "point": self.point,
            "overflow": self.overflow,
            "overflow of a group": next((group.overflow for group in self.groups if group.overflow), None),
            "ranks": self.ranks,
            "groups": len(self.groups),
            "lend": self.lend,
            "inline": self.inline,
            "gate": self.gate,
            "comes back": self.comes_back,
            "raises": self.raises,
            "hosts": len(set(self.hosts.values())),
        }

    def sees_what_dies(self, name: str) -> bool:
        """Whether it shares memory with all who write, which outlives them; else it may be too late to fetch a step."""
        writers = (f"writer {rank}" for rank in range(self.ranks))
        return all(self.hosts.get(writer) == self.hosts.get(name) for writer in writers)

    def visible(self) -> list[int]:
        """Steps that no writer rank abandons."""
        dropped = {number for steps in self.abandoned for number in steps}
        return [number for number in range(self.steps) if number not in dropped]

    def policy(self, group: int) -> str:
        return self.groups[group].overflow or self.overflow

    def is_lossy(self, group: int) -> bool:
        return self.policy(group) in LOSSY

    def writer_options(self) -> dict[str, Any]:
        return {
            "queue_steps": self.queue_steps,
            "readers": len(self.groups) + self.inline,
            "overflow": self.overflow,
            "resume": self.comes_back,
            "timeout": self.patience,
        }

    def reader_options(self, group: int) -> dict[str, Any]:
        return {
            "program": f"group {group}",
            "overflow": self.groups[group].overflow,
            "resume": self.comes_back,
            "timeout": self.patience,
        }


def draw(who: str, seed: int, number: int, *, apart: bool = False) -> Case:
    """The case of that number, on one host, or with the cast on several; each can be drawn by itself."""
    dice = random.Random(f"{seed} {who}{' apart' if apart else ''} {number}")
    point, how = dice.choice(READER_POINTS if who == "reader" else WRITER_POINTS)
    inline = dice.random() < 0.2
    ranks = dice.randint(2, 3) if who == "writer" else dice.randint(1, 3)
    overflow = dice.choice(("block", "block", "block", "spill", dice.choice(LOSSY)))
    groups = _draw_groups(dice, at_least=0 if inline and who != "reader" and not apart else 1)
    is_lossy = any((group.overflow or overflow) in LOSSY for group in groups)
    steps = dice.randint(4, 16 if is_lossy or overflow == "spill" else 10)
    gate = point not in BEFORE_JOINING and dice.random() < 0.75
    # Until a group has joined again, it loses what the stream's policy says.
    may_come_back = who != "reader" and gate and point not in ("close", "closed")
    may_come_back &= overflow not in LOSSY or all(group.overflow != "block" for group in groups)
    group = dice.randrange(len(groups)) if who == "reader" else 0
    rank = 0
    if who != "rank 0":
        rank = dice.randrange(1, ranks) if who == "writer" else dice.randrange(groups[group].size)
    case = Case(
        number=number,
        who=who,
        point=point,
        at=0,
        delay={"at": None, "in": dice.choice((0.0, 0.0003, 0.003, 0.03)) * dice.random()}[how],
        raises=who != "reader" and point in WITHIN_THE_BLOCK and dice.random() < 0.4,
        rank=rank,
        group=group,
        ranks=ranks,
        groups=groups,
        rows=dice.choice((1, 100, 5000, 30000)),
        steps=steps,
        queue_steps=dice.randint(2 if is_lossy or overflow in LOSSY else 1, 4),
        overflow=overflow,
        lend=point == "in the loan" or dice.random() < 0.3,
        inline=inline,
        gate=gate,
        comes_back=may_come_back and dice.random() < 0.4,
        abandoned=[dice.sample(range(steps), dice.choice((0, 0, 0, 1, 2))) for _ in range(ranks)],
    )
    _draw_keeps(case, dice)
    _draw_pace(case, dice)
    _draw_moment(case, dice)
    if apart:
        _draw_hosts(case, dice)
    return case


def _draw_groups(dice: random.Random, at_least: int) -> list[ReaderGroup]:
    """Most have the policy of the stream."""
    count = max(at_least, dice.choice((0, 1, 1, 2, 3)))
    own = (None, None, None, "block", dice.choice(LOSSY))
    return [ReaderGroup(size=dice.randint(1, 2), overflow=dice.choice(own)) for _ in range(count)]


def _draw_keeps(case: Case, dice: random.Random) -> None:
    """Not so many views that they would hold up the stream: of groups that may lose steps each can hold steps of its
    own, and another one must find room beside all of them."""
    groups = range(len(case.groups))
    room = case.queue_steps - 1
    if any(case.is_lossy(group) for group in groups):
        for group in groups:
            if case.is_lossy(group):
                case.groups[group].keep = dice.randrange(room)
                room -= case.groups[group].keep
    for group in groups:
        if not case.is_lossy(group):
            case.groups[group].keep = dice.randrange(room + 1)


def _draw_pace(case: Case, dice: random.Random) -> None:
    """Where the queue may overflow, some readers are slow, so that it does."""
    for number, group in enumerate(case.groups):
        if (case.is_lossy(number) or case.overflow == "spill") and dice.random() < 0.7:
            slow = dice.choice((0.001, 0.004))
            group.pauses = {str(turn): slow for turn in range(case.steps)}


def _draw_moment(case: Case, dice: random.Random) -> None:
    """When in its life the victim dies, and what must happen for it to come there."""
    if case.point not in OUTSIDE_OF_STEPS:
        turns = case.steps
        if case.who == "reader":
            turns = min(len(case.visible()), 3 if case.is_lossy(case.group) else case.steps)
        case.at = dice.randrange(max(turns, 1))
    if case.point == "end" and case.at in case.abandoned[case.rank]:
        case.abandoned[case.rank].remove(case.at)
    if case.point == "full queue" and case.groups:
        # The readers rest on the first steps, so that the writer meets a full queue.
        case.at = min(case.queue_steps + 1, case.steps - 1)
        for group in case.groups:
            group.pauses |= {str(turn): 0.15 for turn in range(2)}
        case.delay = 0.03 + 0.1 * dice.random()
    if case.point == "waiting for a step":
        case.slow_writer = {str(number): 0.08 for number in range(case.steps)}
        case.delay = 0.07 * dice.random()


def _draw_hosts(case: Case, dice: random.Random) -> None:
    """One reader at least is on another host than the writer's rank 0. Who has memory of some ranks before it, and not
    of all, keeps no views: with one it keeps the step, and ranks of other hosts stay for that as long as they may."""
    readers = [f"reader {number}.{rank}" for number, group in enumerate(case.groups) for rank in range(group.size)]
    cast = [*(f"writer {rank}" for rank in range(case.ranks)), *readers]
    case.hosts = {name: dice.choice(HOSTS) for name in cast}
    others = [host for host in HOSTS if host != case.hosts["writer 0"]]
    case.hosts[dice.choice(readers)] = dice.choice(others)
    writers = {case.hosts[f"writer {rank}"] for rank in range(case.ranks)}
    for number, group in enumerate(case.groups):
        if any(
            len(writers - {case.hosts[f"reader {number}.{rank}"]}) in range(1, len(writers))
            for rank in range(group.size)
        ):
            group.keep = 0
