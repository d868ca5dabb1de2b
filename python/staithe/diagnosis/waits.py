"""Who waits for whom, as the streams' directors and the waiting notes tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .finding import Finding, Who, listed

Description = Mapping[str, Any]

_OPENING = "somebody to open"  # as the notes have it


@dataclass(frozen=True)
class Wait:
    """One process that waits in one stream. All of those that it waits `on` must act before it can go on."""

    who: Who
    stream: str
    seconds: float
    wants: str  # what it waits for: "room in", "the next step of", …
    reason: str
    advice: str
    on: tuple[Who, ...] = ()

    @property
    def finding(self) -> Finding:
        """What to say of it."""
        what = f"{self.who} waits for {self.wants} '{self.stream}': {self.reason}"
        return Finding("wait", what, self.advice, (self.who, *self.on), self.seconds)


def waits_in(stream: Description) -> Iterator[Wait]:
    """Everyone who waits in an open stream."""
    yield from _writers(stream)
    yield from _readers(stream)
    yield from _joining(stream)


def _writers(stream: Description) -> Iterator[Wait]:
    for writer in stream["writers"]:
        closing = stream["closing_seconds"] if writer["rank"] == 0 else None
        if closing is not None:
            yield _closing(stream, Who.of(writer), closing)
        elif writer["waiting_seconds"] is not None:
            yield _wanting_room(stream, Who.of(writer), writer["waiting_seconds"])


def _wanting_room(stream: Description, who: Who, seconds: float) -> Wait:
    def wait(reason: str, advice: str, on: Iterable[Who] = ()) -> Wait:
        return Wait(who, stream["name"], seconds, "room in the queue of", reason, advice, tuple(on))

    if stream["readers_seen"] < stream["expected_readers"]:
        return wait(*_no_readers(stream))
    holders = [member for member in _members(stream) if member["held"] > 0]
    if holders:
        longest = max(holders, key=lambda member: float(member["holding_seconds"]))
        steps = "1 step" if longest["held"] == 1 else f"{longest['held']} steps, the oldest"
        return wait(
            f"{Who.of(longest)} has held {steps} for {longest['holding_seconds']:.1f} s",
            f"see what {longest['program']} does; views that it keeps pin their steps, a larger queue_steps rides out "
            "slow phases, an overflow policy drops steps instead of waiting",
            (Who.of(member) for member in holders),
        )
    missing = _missing_writers(stream)
    return wait(
        f"step {stream['incomplete']['step']} lacks the part of {listed([str(rank) for rank in missing])}"
        if missing
        else "its steps are on their way back",
        "all ranks of the writer group must end the same steps",
        (rank for rank in missing if rank != who),
    )


def _closing(stream: Description, who: Who, seconds: float) -> Wait:
    def wait(reason: str, advice: str, on: Iterable[Who] = ()) -> Wait:
        return Wait(who, stream["name"], seconds, "the end of", reason, advice, tuple(on))

    late = [Who.of(writer) for writer in stream["writers"] if writer["rank"] != 0 and not writer["finished"]]
    if late:
        return wait(
            f"{listed([str(rank) for rank in late])} has not closed it",
            "all ranks of the writer group must call close(), or leave their `with` block",
            late,
        )
    return wait(*_no_readers(stream))


def _no_readers(stream: Description) -> tuple[str, str]:
    seen, expected = stream["readers_seen"], stream["expected_readers"]
    return (
        f"{seen} of {expected} expected reader groups have joined",
        "start the readers, or open the writer with fewer `readers`",
    )


def _readers(stream: Description) -> Iterator[Wait]:
    writers = [Who.of(writer) for writer in stream["writers"] if not writer["finished"]]
    for group in stream["readers"]:
        here = {member["rank"] for member in group["members"]}
        absent = [str(rank) for rank in range(group["ranks"]) if rank not in here]
        for member in group["members"]:
            if member["waiting_seconds"] is None:
                continue
            on = _missing_writers(stream) or writers
            reason = f"{listed([str(rank) for rank in on])} has not ended it" if on else "it is about to come"
            advice = f"see what {on[0].program} does" if on else "look again"
            if absent:
                on = []
                reason = f"rank {listed(absent)} of its own group has not joined"
                advice = "all ranks of a reader group must open the stream"
            elif member["held"] >= stream["queue"]["limit_steps"]:
                on = []
                reason = f"it holds all {member['held']} steps of the queue itself"
                advice = "copy what you keep and drop the views, or raise queue_steps"
            who = Who.of(member)
            yield Wait(who, stream["name"], member["waiting_seconds"], "the next step of", reason, advice, tuple(on))


def _joining(stream: Description) -> Iterator[Wait]:
    absent = [str(writer["rank"]) for writer in stream["writers"] if not writer["joined"]]
    for joining in stream["joining"]:
        yield Wait(
            Who.of(joining),
            stream["name"],
            joining["seconds"],
            "all ranks to open",
            f"rank {listed(absent)} of the writer group has not opened it",
            "start all ranks of the writer; each must open the stream with the same group",
        )


def _members(stream: Description) -> list[Mapping[str, Any]]:
    return [member for group in stream["readers"] for member in group["members"]]


def _missing_writers(stream: Description) -> list[Who]:
    """The ranks whose part of the oldest unfinished step is not there."""
    incomplete = stream["incomplete"]
    return [Who.of(stream["writers"][rank]) for rank in incomplete["missing"]] if incomplete else []


def waits_for_opening(
    notes: Iterable[Mapping[str, Any]], writers_to_be: Mapping[str, Sequence[Who]], now: float
) -> Iterator[Wait]:
    """Those that wait for a stream that nobody has opened; `writers_to_be` are those that a workflow names for it."""
    for note in notes:
        # Of those that wait for anything else, the stream's director tells.
        if note.get("wants") != _OPENING:
            continue
        on = tuple(writers_to_be.get(note["stream"], ()))
        yield Wait(
            Who.of(note),
            note["stream"],
            max(0.0, now - note["since"]),
            _OPENING,
            f"{listed([str(who) for who in on])} is to write it" if on else "no live process has opened it for writing",
            "start its writer, and check the name; a program that both writes and reads opens its writer first",
            on,
        )
