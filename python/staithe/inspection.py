"""Looking at live streams from outside: nothing here joins a stream or slows one."""

from __future__ import annotations

from typing import Any

from . import _core
from .arguments import explained
from .errors import NotFound, PeerLost, SystemFailure, Timeout


@explained
def describe(name: str, timeout: float = 5.0) -> dict[str, Any]:
    """What a live stream is like now.

    Args:
        name: the stream, or its URL, ``"staithe://node7:7700/melt"``: the stream of that name which the process at
            this address knows of.
        timeout: seconds to wait for its writer's answer.

    Returns:
        ``name``, ``placement``, ``program``, ``pid``, ``host``, ``ranks`` of the writer; ``started`` (seconds since
        1970), ``ended`` (likewise, None while it is open), ``version`` of Staithe; ``steps`` and ``bytes`` published by
        all ranks; ``queue`` (``steps``, ``limit_steps``, ``bytes``, ``limit_bytes``); ``stall_seconds`` (the writer
        waited for room); ``readers``, for each group ``program``, ``pid``, ``ranks``, ``joined`` (seconds since 1970),
        ``steps`` released by all its ranks, ``lag`` (steps it has not released), ``overflow``, ``dropped``, ``paused``,
        ``members``; ``variables``, for each ``name``, ``dtype``, ``shape`` (None for local arrays), ``unit``,
        ``blocks``; ``state``: "open", "closed", or of a stream that a server has, "failed"; ``server``, its name or
        None, and ``kept``, the steps that stay there for readers to come (like ``queue``).

        Who waits, and since when: ``writers``, for each rank ``rank``, ``program``, ``pid``, ``host``, ``version``,
        ``joined``, ``finished``, ``waiting_seconds`` (asleep for so long, None: awake), ``silent_seconds`` (on another
        host, and not heard for so long, None: it is heard); likewise the ``members`` of a reader group, with ``held``
        (steps announced to it that it has not released) and ``holding_seconds`` (the oldest of them), and ``network``,
        a list of the writer ranks of other hosts that it asks for large blocks: ``way``, by which provider of libfabric
        or over TCP and why, and for rank 0 ``connections``, ``congestion_control``, ``bytes`` and ``bytes_per_second``
        while it fetched, ``link_bytes_per_second``, as far as that was needed, and ``coded``, for each
        variable that may be encoded on its way ``variable``, ``error``, ``wanted`` (the codec, or None: any),
        ``decode_seconds_per_byte`` at the reader, and ``ways``: ``codec`` (None: as it is), ``mode``, how many pieces
        went that way (``tries``), their ``bytes``, those of them that had been encoded for another reader (``reused``),
        as how many bytes of code (``coded``, with ``reused_coded`` of those; of the others as was expected,
        ``expected_coded``), the ``seconds`` of processors that encoding took (of another device: until it was back) and
        was expected to take (``expected_seconds``), ``within`` (what values were off at most, absolute; 0: exact, or a
        share of each value), of how many ``tiles`` some were stored as they were (``raw_tiles``) and some by dq, since
        the codec could not keep the error or makes nothing exact (``fallback_tiles``), and ``predictions`` of single
        pieces (None: of none yet), how many (``count``), by what share they were off on average (``seconds_off``,
        ``coded_off``), and the share of them that took a time within the interval that 95 of 100 should have been in
        (``within_95``);
        ``joining``, who wants to read before all writer ranks are there, for ``seconds``; ``incomplete``, the oldest
        ``step`` that lacks the part of the ranks ``missing``, for ``seconds``, or None; ``closing_seconds``, how long
        rank 0 has been waiting to close; ``expected_readers`` and ``readers_seen``.

    Raises:
        NotFound: there is no such stream.
        Timeout: the writer did not answer.
    """
    return _core.describe(name, timeout)


@explained
def streams(address: str | None = None) -> list[dict[str, Any]]:
    """All live streams that can be found, each as by `describe`; less those whose writer does not answer.

    Args:
        address: "node7:7700": those that the process there knows of. If None, those of this user's run directory, and
            those that the processes at the addresses of STAITHE_ADDRESS know of.

    Raises:
        NotFound: nobody listens at the address.
    """
    found = []
    for name in _core.stream_names(address):
        try:
            found.append(describe(name if address is None else f"staithe://{address}/{name}", timeout=1.0))
        # It ended just now, its process is stopped, or it is of another host and does not listen for this one.
        except (NotFound, PeerLost, SystemFailure, Timeout):
            continue
    return found
