"""Who waits for something of a server, and which server does not answer."""

from __future__ import annotations

from ..errors import NotFound, PeerLost
from ..workflow import stats
from .finding import Finding, Who

_ANSWER_SECONDS = 1.0

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
    for server in stats.describe_servers(address, _ANSWER_SECONDS):
        error = server.get("error")
        if error is not None and not isinstance(error, PeerLost | NotFound):  # these say that it has just ended
            silent.append(Finding("silent", f"server '{server['name']}' does not answer", str(error)))
        waits += [_wait(wait) for wait in server.get("waits", ()) if wait["seconds"] >= longest_wait]
    return sorted(waits, key=lambda wait: -(wait.seconds or 0)) + silent


def _wait(wait: stats.Description) -> Finding:
    who = Who.of(wait)
    what = f"{who} waits for {wait['wants']}: {wait['reason']}"
    return Finding("wait", what, _ADVICE[wait["kind"]], (who,), wait["seconds"])
