"""Circles of processes that wait for each other: nobody in one can go on before its deadline."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .finding import Finding, Who
from .waits import Wait

_IN_A_CIRCLE = (
    "break the circle: let one of them write before it reads, or raise queue_steps so that writers get ahead of readers"
)
_ALONE = "unless another thread of it acts: let it read, or drop views, before it writes on; or raise queue_steps"

# A process is one node, whatever ranks it has in which streams.
_Node = tuple[str, int]


def find_circles(waits: Iterable[Wait]) -> list[tuple[Wait, ...]]:
    """Each circle once, as the waits that make it up, in the order of who waits for whom."""
    leaving: dict[_Node, list[Wait]] = {}
    for wait in waits:
        leaving.setdefault(_node(wait.who), []).append(wait)
    circles: dict[frozenset[_Node], tuple[Wait, ...]] = {}
    for start in leaving:
        circle = _shortest_circle(start, leaving)
        if circle:
            circles.setdefault(frozenset(_node(wait.who) for wait in circle), circle)
    return list(circles.values())


def _shortest_circle(start: _Node, leaving: dict[_Node, list[Wait]]) -> tuple[Wait, ...]:
    paths: deque[tuple[_Node, tuple[Wait, ...]]] = deque([(start, ())])
    seen: set[_Node] = set()
    while paths:
        node, path = paths.popleft()
        for wait in leaving.get(node, ()):
            for other in map(_node, wait.on):
                if other == start:
                    return (*path, wait)
                if other not in seen:
                    seen.add(other)
                    paths.append((other, (*path, wait)))
    return ()


def deadlock(circle: tuple[Wait, ...]) -> Finding:
    """What to say of a circle."""
    steps = [f"{wait.who} waits for {wait.wants} '{wait.stream}'" for wait in circle]
    # The circle is as old as the last wait that closed it.
    seconds = min(wait.seconds for wait in circle)
    if len(circle) == 1:
        what = f"{steps[0]}, and for itself: {circle[0].reason}"
        return Finding("deadlock", what, _ALONE, (circle[0].who,), seconds)
    what = f"{', '.join(steps)}: none of them can go on"
    return Finding("deadlock", what, _IN_A_CIRCLE, tuple(wait.who for wait in circle), seconds)


def _node(who: Who) -> _Node:
    return (who.host, who.pid)
