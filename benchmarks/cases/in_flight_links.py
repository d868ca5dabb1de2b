"""Fields that may be off by a thousandth of their range, over links of several speeds, on a core for each side.

The limits are the link itself, over which they go as they are, and each codec by itself, whatever the link: those of
others (zfp, SZ3, Zstandard) and our own. Nobody knows beforehand which is the best of them for a field and a link.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..coding.fields import FIELDS, Field
from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, Stopwatch
from .hosts_throughput import NETWORK

ERROR = 1e-3
WARMUP, LEARNING = 4, 16  # steps that do not count; more of them where it is learnt what ways take
FIELDS_SENT = ("miranda", "gray-scott", "turbulence", "positions", "rain")
LINKS = {"1 Gbit/s": 1e9, "5 Gbit/s": 5e9, "10 Gbit/s": 1e10}
STEPS = {"1 Gbit/s": 60, "5 Gbit/s": 160, "10 Gbit/s": 240}
CHOSEN, AS_IT_IS = "as is chosen", "as it is"
OTHERS = ("shuffle+zstd", "zfp", "sz3")
OWN = "dq"
WAYS = (CHOSEN, AS_IT_IS, OWN, *OTHERS)
CODECS = {CHOSEN: None, AS_IT_IS: "none"}
FEWER = {AS_IT_IS: 4, "shuffle+zstd": 2, "sz3": 12, "zfp": 12}  # by such a factor: each step takes longer


def field_named(name: str) -> Field:
    return next(field for field in FIELDS if field.name == name)


def writer_at(seat: Seat) -> Any:
    """Whose values may be off."""
    return untyped("staithe").writer(
        seat.stream, queue_steps=seat.queue, queue_bytes=1 << 40, error=f"{ERROR} rel", timeout=seat.trial.timeout
    )


class InFlightLinks(Case):
    name = "in_flight_links"
    title = "Between hosts, error 1e-3 of the range, by link and field: 1 writer, 1 reader, who only fetches"
    note = "Bytes of values a second. Other rows than those that are chosen: the same codec for all."

    def trials(self, quick: bool) -> list[Trial]:
        fields = FIELDS_SENT[1:3] if quick else FIELDS_SENT
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=f"{link}, {field}: {way}",
                settings={
                    "field": field,
                    "codec": CODECS.get(way, way),
                    "steps": STEPS[link] // FEWER.get(way, 1) + LEARNING,
                    "warmup": LEARNING if way == CHOSEN else WARMUP,
                    "cooldown": 2,
                    "items": 1,
                    "queue": 3,
                },
                network={**NETWORK, "rate": rate},
            )
            for link, rate in LINKS.items()
            for field in fields
            for way in WAYS
        ]

    def fields(self, trial: Trial) -> tuple[Field, ...]:
        return (field_named(trial.settings["field"]),)

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        field = field_named(seat.settings["field"])
        values = field.load()
        with writer_at(seat) as out:
            for _ in range(seat.steps):
                with out.step() as step:
                    step.put("x", values, fill=field.fill)
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        """What comes last must be within the error."""
        field = field_named(seat.settings["field"])
        values = field.load()
        watch = Stopwatch(seat)
        with untyped("staithe").reader(seat.stream, codec=seat.settings["codec"], timeout=seat.trial.timeout) as steps:
            for step in steps:
                got = step["x"][...]
                watch.done()
        counts = field.counts(values)
        off = float(np.abs(got.astype("f8") - values)[counts].max())
        if off > ERROR * field.span(values) * (1 + 1e-9):
            raise ValueError(f"off by {off:g}")
        return {"seconds": watch.seconds, "bytes": values.nbytes * seat.counted}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [reader] = outcome.readers
        return {trial.point: reader["bytes"] / reader["seconds"] / 1e9}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        of, way = row.split(": ")
        if way != CHOSEN:
            return ()
        others = tuple(Target(4.0, f"{of}: {codec}") for codec in OTHERS) if of.startswith("5 Gbit/s") else ()
        return (Target(1.0, f"{of}: {AS_IT_IS}"), Target(0.99, f"{of}: {OWN}"), *others)


CASE = InFlightLinks()
