"""A variable of 8192 ranks that 256 servers keep, of which 4096 ranks read, simulated in one process.

The order of servers, the catalogue and the messages are the real ones (simulation/spread_simulation.cpp); there are no
other processes. Balance: the greatest of the bytes that a server holds as a share of their mean, after any of the
versions; of cells of one size, and of parts that are cut in two again and again, within a tenth of the middle.
"""

from collections.abc import Mapping

from ..harness.trial import Trial
from .scale import Simulated

WRITERS, READERS, SERVERS, VERSIONS = 8192, 4096, 256, 8
ROWS: Mapping[str, tuple[str, str, float | None]] = {
    "greatest share of a server, equal blocks": ("even_share", "× mean", 1.1),
    "greatest share of a server, unequal blocks": ("uneven_share", "× mean", 1.1),
    "home: all puts of a version": ("puts_ms", "ms", None),
    "home: what one reader wants": ("find_ms", "ms", 1),
    "home: all blocks of a version": ("find_all_ms", "ms", None),
    "message about a block": ("message_bytes", "B", 100),
    "index of a block": ("index_bytes", "B", 200),
}


class ServersScale(Simulated):
    name = "servers_scale"
    title = f"Scale: {WRITERS} writer ranks × {SERVERS} servers × {READERS} reader ranks, simulated"
    note = "Where blocks go, and what the variable's home does and remembers; no data is moved."
    figures = ROWS

    def trials(self, quick: bool) -> list[Trial]:
        program = ("spread_simulation", *map(str, (WRITERS, READERS, SERVERS, VERSIONS)))
        return [Trial(case=self.name, contender="staithe", point="simulated", program=program)]


CASE = ServersScale()
