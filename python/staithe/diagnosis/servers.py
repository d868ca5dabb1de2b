"""Who waits for something of a server, which server does not answer, and which of several is not there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ..errors import NotFound, PeerLost
from ..workflow import stats
from .finding import Finding, Who, listed

_ANSWER_SECONDS = 1.0
_MEMBER = re.compile(r"(.+)\.(\d+)-of-(\d+)")  # as src/space/member_name.hpp has it

_ADVICE = {
    "version": "see what is to put it; `Space.names` and `Space.versions` tell what is there, if a name is wrong",
    "room": "remove versions, keep fewer of them (Space.keep), let go of arrays of removed ones, or start the server "
    "with more memory (`staithe serve --memory`)",
    "lock": "see what its holder does; a lock is best held for no longer than it takes to put",
}


def of_servers(address: str | None, longest_wait: float) -> list[Finding]:
    """What is wrong at servers of spaces; waits first, the longest ahead.

    Args:
        address: "host:port", of which the servers are looked at alone; None: all that can be found.
        longest_wait: waits that are shorter, in seconds, are no finding.
    """
    waits: list[Finding] = []
    silent: list[Finding] = []
    there: list[str] = []
    for server in stats.describe_servers(address, _ANSWER_SECONDS):
        error = server.get("error")
        if not isinstance(error, PeerLost | NotFound):
            there.append(server["name"])
        if error is not None and not isinstance(error, PeerLost | NotFound):  # these say that it has just ended
            silent.append(Finding("silent", f"server '{server['name']}' does not answer", str(error)))
        waits += [_wait(wait) for wait in server.get("waits", ()) if wait["seconds"] >= longest_wait]
    missing = _missing(there) if address is None else []  # those of an address are not all
    return sorted(waits, key=lambda wait: -(wait.seconds or 0)) + silent + missing


def _missing(names: Iterable[str]) -> list[Finding]:
    """Of servers that keep spaces together those that are not there, while others are."""
    ranks: dict[tuple[str, int], set[int]] = defaultdict(set)
    for name in names:
        if member := _MEMBER.fullmatch(name):
            ranks[member[1], int(member[3])].add(int(member[2]))
    findings = []
    for (name, size), found in sorted(ranks.items()):
        if absent := [rank for rank in range(size) if rank not in found]:
            what = f"of the {size} servers '{name}' rank {listed([str(rank) for rank in absent])} cannot be found"
            start = f"start it again: `staithe serve --name {name} --rank {absent[0]} --size {size}`"
            findings.append(Finding("missing", what, start))
    return findings


def _wait(wait: stats.Description) -> Finding:
    who = Who.of(wait)
    what = f"{who} waits for {wait['wants']}: {wait['reason']}"
    return Finding("wait", what, _ADVICE[wait["kind"]], (who,), wait["seconds"])
