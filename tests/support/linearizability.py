"""Whether what clients saw of a thing that they share can be told as one story: their calls one after the other, each
at some moment between its beginning and its end.

This is Wing and Gong's search with the memory that Lowe added: what was reached once, by whichever order of the same
calls, is not looked at again. Things that do not touch each other are better looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Operation:
    """A call of a client, and what it was told."""

    call: tuple[object, ...]
    answer: tuple[object, ...] | None
    """None: it never heard, so the call may have been carried out at any time since, or not at all."""
    began: int
    """Of one clock that all clients read."""
    ended: int
    """The same; of no meaning where there is no answer."""
    who: str = ""

    def __str__(self) -> str:
        told = "no answer" if self.answer is None else " ".join(map(str, self.answer))
        return (
            f"[{self.began}, {self.ended if self.answer else '…'}] {self.who}: {' '.join(map(str, self.call))} → {told}"
        )


# The states in which a call may leave a thing, given its answer; none if it cannot have been answered so.
Model = Callable[[State, Operation], Iterable[State]]


def contradiction(operations: Iterable[Operation], model: Model[State], initial: State) -> str | None:
    """None if there is such a story; else how far one comes, and what cannot be told any more."""
    operations = sorted(operations, key=lambda each: each.began)
    answered = [each for each in operations if each.answer is not None]
    unanswered = [each for each in operations if each.answer is None]
    # Told so far: all of `answered` before a place and some after it, as bits; of `unanswered`, as bits; the state.
    start = (0, 0, 0, initial)
    furthest, most = start, -1
    seen: set[tuple[int, int, int, State]] = {start}
    waiting = [start]
    while waiting:
        place, beyond, lost, state = waiting.pop()
        if place == len(answered):
            return None
        if (told := place + beyond.bit_count()) > most:
            furthest, most = (place, beyond, lost, state), told
        for index in _next(answered, place, beyond):
            for after in model(state, answered[index]):
                reached = (*_told(place, beyond, index), lost, after)
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
        horizon = min(answered[index].ended for index in _untold(answered, place, beyond))
        for index, operation in enumerate(unanswered):
            if operation.began <= horizon and not lost >> index & 1:
                for after in model(state, operation):
                    reached = (place, beyond, lost | 1 << index, after)
                    if after != state and reached not in seen:  # what leaves no trace need not have been
                        seen.add(reached)
                        waiting.append(reached)
    place, beyond, _, state = furthest
    possible = "\n  ".join(str(answered[index]) for index in _next(answered, place, beyond))
    return f"after {most} of {len(answered)} calls there is {state}, and none of these can come next:\n  {possible}"


def _untold(answered: Sequence[Operation], place: int, beyond: int) -> Iterable[int]:
    """Up to the first that began after another one had ended."""
    horizon = answered[place].ended
    for index in range(place, len(answered)):
        if answered[index].began > horizon:
            return
        if not beyond >> (index - place) & 1:
            horizon = min(horizon, answered[index].ended)
            yield index


def _next(answered: Sequence[Operation], place: int, beyond: int) -> list[int]:
    """Those that may come next: no other one that is still to be told had ended when they began."""
    untold = list(_untold(answered, place, beyond))
    horizon = min(answered[index].ended for index in untold)
    return [index for index in untold if answered[index].began <= horizon]


def _told(place: int, beyond: int, index: int) -> tuple[int, int]:
    beyond |= 1 << (index - place)
    while beyond & 1:
        place, beyond = place + 1, beyond >> 1
    return place, beyond
