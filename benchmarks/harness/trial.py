"""What one run does, and which part of it one process plays. Plain values that travel as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Role = Literal["writer", "reader"]


@dataclass(frozen=True)
class Trial:
    """One contender at one point of a case: a cell of its table, run once per repeat."""

    case: str
    contender: str
    point: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    writers: int = 1
    readers: int = 1
    timeout: float = 60.0
    watch_memory: bool = False
    # A program of its own that prints its result as JSON, in place of Python writers and readers.
    program: tuple[str, ...] = ()
    # On hosts of their own: the names of the `writers`' and `readers`' hosts, which ranks take in turn, what network()
    # of tests/support/hosts.py takes besides, and the `rate` of each cable in bit/s. Empty: on this machine.
    network: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)  # added to that of every process

    def host_of(self, role: Role, rank: int) -> str:
        """The name of the host that a rank runs on; empty: this machine."""
        names = self.network.get(f"{role}s", ("",))
        return str(names[rank % len(names)])


@dataclass(frozen=True)
class Seat:
    """The place of one process in a trial: all that its code is told."""

    trial: Trial
    role: Role
    rank: int
    core: int
    stream: str
    directory: str
    control: str

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.trial.settings

    @property
    def queue(self) -> int:
        """Steps that may be under way at once."""
        return int(self.settings.get("queue", 2))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of a step; each is a one-dimensional float64 array of `items` values."""
        count = int(self.settings.get("variables", 1))
        return ("x",) if count == 1 else tuple(f"v{index}" for index in range(count))

    @property
    def items(self) -> int:
        return int(self.settings["items"])

    @property
    def step_bytes(self) -> int:
        return 8 * self.items * len(self.names)

    @property
    def steps(self) -> int:
        """Steps in all: those that warm up, those that count, and those that keep both sides busy to the end."""
        return self.warmup + self.counted + int(self.settings.get("cooldown", 0))

    @property
    def warmup(self) -> int:
        return int(self.settings.get("warmup", 0))

    @property
    def counted(self) -> int:
        return int(self.settings["steps"])

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Seat":
        fields = json.loads(text)
        trial = fields.pop("trial")
        trial["program"] = tuple(trial["program"])
        return Seat(trial=Trial(**trial), **fields)


@dataclass(frozen=True)
class Outcome:
    """What came of a trial: what each process reported, or why there is nothing."""

    writers: tuple[Mapping[str, Any], ...] = ()
    readers: tuple[Mapping[str, Any], ...] = ()
    program: Mapping[str, Any] = field(default_factory=dict)
    peak_bytes: int = 0  # of all processes together
    readers_peak_bytes: int = 0
    failure: str = ""
