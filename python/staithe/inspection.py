"""Looking at live streams from outside: nothing here joins a stream or slows one."""

from __future__ import annotations

from typing import Any

from . import _core
from .arguments import explained
from .errors import NotFound, PeerLost, Timeout


@explained
def describe(name: str, timeout: float = 5.0) -> dict[str, Any]:
    """What a live stream is like now.

    Args:
        name: the stream.
        timeout: seconds to wait for its writer's answer.

    Returns:
        ``name``, ``placement``, ``program``, ``pid``, ``host``, ``ranks`` of the writer; ``started`` (seconds since
        1970), ``ended`` (likewise, None while it is open), ``version`` of Staithe; ``steps`` and ``bytes`` published by
        all ranks; ``queue`` (``steps``, ``limit_steps``, ``bytes``, ``limit_bytes``); ``stall_seconds`` (the writer
        waited for room); ``readers``, for each group ``program``, ``pid``, ``ranks``, ``joined`` (seconds since 1970),
        ``steps`` released by all its ranks, ``lag`` (steps it has not released), ``overflow``, ``dropped``, ``paused``,
        ``members``; ``variables``, for each ``name``, ``dtype``, ``shape`` (None for local arrays), ``unit``,
        ``blocks``; ``state``: "open" or "closed".

        Who waits, and since when: ``writers``, for each rank ``rank``, ``program``, ``pid``, ``host``, ``version``,
        ``joined``, ``finished``, ``waiting_seconds`` (asleep for so long, None: awake); likewise the ``members`` of a
        reader group, with ``held`` (steps announced to it that it has not released) and ``holding_seconds`` (the
        oldest of them), and ``ways``: how a member on another host gets blocks, over TCP and why or by which provider
        of libfabric, by the name of who holds them; ``joining``, who wants to read before all writer ranks are there,
        for ``seconds``; ``incomplete``, the oldest ``step`` that lacks the part of the ranks ``missing``, for
        ``seconds``, or None; ``closing_seconds``, how long rank 0 has been waiting to close; ``expected_readers`` and
        ``readers_seen``.

    Raises:
        NotFound: there is no such stream.
        Timeout: the writer did not answer.
    """
    return _core.describe(name, timeout)


def streams() -> list[dict[str, Any]]:
    """All live streams of this user's run directory, each as by `describe`; less those whose writer does not answer."""
    found = []
    for name in _core.stream_names():
        try:
            found.append(describe(name, timeout=1.0))
        except (NotFound, PeerLost, Timeout):  # it ended just now, or its process is stopped
            continue
    return found
