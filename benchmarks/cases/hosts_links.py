"""Links that are not a cable between neighbours: slow ones, long ones, and ones that cap each connection.

The limit is the best of iperf3 with either congestion control, and with one process or as many as are worth it.
"""

from collections.abc import Mapping
from typing import Any

from ..contenders.base import Contender
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case
from .hosts_throughput import NETWORK, field_trial, read_steps, write_steps

GIGABIT, LONG, LOSSY, CAPPED = "1 Gbit/s", "1 ms delay", "1 ms delay, 1 % loss", "1 Gbit/s a connection"
LINKS: Mapping[str, Mapping[str, Any]] = {
    GIGABIT: {"rate": 1e9},
    LONG: {"delay": 0.001},
    LOSSY: {"delay": 0.001, "loss": 0.01},
    CAPPED: {"flow_rate": 1e9},
}
# MiB a step, steps that count, and those before: about a second, which iperf3 leaves out, too.
SIZES = {GIGABIT: (8, 25, 15), LONG: (64, 20, 25), LOSSY: (8, 40, 30), CAPPED: (64, 20, 20)}
CONNECTIONS = {GIGABIT: (1,), LONG: (1, 4), LOSSY: (1, 4), CAPPED: (8, 16)}
SEARCH = f"{CAPPED}: steps until the rate is found"
# Busy for 20 ms with each step of 8 MiB, though no core is: what is fetched ahead should hide a delay from it.
BUSY, BUSY_LONG = "no delay, a busy reader", "1 ms delay, a busy reader"
PAUSES = {"steps": 60, "warmup": 30, "pause": 0.02}


class HostsLinks(Case):
    name = "hosts_links"
    title = "Between hosts, by the kind of link: 1 writer, 1 reader, who only fetches"
    note = "iperf3: the best of cubic and bbr with 1 and 4 connections; 8 and 16 where each is capped."

    def trials(self, quick: bool) -> list[Trial]:
        links = [
            field_trial(
                self.name,
                contender,
                link,
                SIZES[link][0],
                steps=SIZES[link][1],
                warmup=SIZES[link][2],
                network={**NETWORK, **LINKS[link]},
                default_queue=True,  # of two steps none is there to be asked for while one comes and one is held
                **settings,
            )
            for link in LINKS
            for contender, settings in [
                ("staithe", {}),
                *(
                    ("iperf3", {"connections": connections, "congestion": congestion})
                    for connections in CONNECTIONS[link]
                    for congestion in ("cubic", "bbr")
                ),
            ]
        ]
        busy: Mapping[str, Mapping[str, Any]] = {BUSY: {}, BUSY_LONG: LINKS[LONG]}
        return links + [
            field_trial(self.name, OURS, point, 8, network={**NETWORK, **link}, default_queue=True, **PAUSES)
            for point, link in busy.items()
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return write_steps(contender, seat)

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return read_steps(contender, seat)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        searches = trial.point == CAPPED and trial.contender == OURS
        return (trial.point, SEARCH) if searches else (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        total = 8 * trial.settings["items"] * trial.settings["steps"]
        if outcome.program:
            return {trial.point: outcome.program["bytes_per_second"] / 1e9}
        [reader] = outcome.readers
        return {trial.point: total / reader["seconds"] / 1e9, SEARCH: reader["slow_steps"]}

    def better_of(self, row: str) -> Better:
        return "lower" if row == SEARCH else "higher"

    def unit(self, row: str) -> str:
        return "steps" if row == SEARCH else "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        others: Mapping[str, tuple[Target, ...]] = {
            # Of the link: what its frames carry beside their headers is 0.941 of it.
            GIGABIT: (Target(0.95 * 0.125),),
            SEARCH: (Target(3, sense="at most"),),
            BUSY: (),
            BUSY_LONG: (Target(0.95, BUSY),),
        }
        return others.get(row, (Target(0.9, "iperf3"),))


CASE = HostsLinks()
