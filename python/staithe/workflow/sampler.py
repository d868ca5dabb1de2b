"""Follows the streams and servers of a run from a thread, so that a slow answer never holds up the supervisor."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType

from .rates import RateMeter, Rates
from .stats import Description, StreamStats

_INTERVAL_SECONDS = 0.5


@dataclass(frozen=True)
class Sample:
    """The last that is known of a stream; `live` is false once it answers no more."""

    stats: StreamStats
    rates: Rates | None
    live: bool = True


@dataclass(frozen=True)
class ServerSample:
    """What a server holds, of how much it may (None: of what there is), and of how many streams and spaces."""

    memory: int
    limit: int | None
    streams: int
    spaces: int

    @staticmethod
    def of(description: Description) -> ServerSample:
        """From what it says of itself."""
        streams = description["streams"]
        return ServerSample(
            memory=description["memory"] + sum(stream["memory"] for stream in streams.values()),
            limit=description["memory_limit"],
            streams=len(streams),
            spaces=len(description["spaces"]),
        )


class Sampler:
    """Asks for each stream, and for servers, twice a second. One that gives no answer may not exist yet: that is
    silent."""

    def __init__(
        self,
        streams: Iterable[str],
        describe: Callable[[str], Description],
        describe_servers: Callable[[], Iterable[Description]] = tuple,
        interval: float = _INTERVAL_SECONDS,
    ) -> None:
        self._meters = {name: RateMeter() for name in streams}
        self._describe = describe
        self._describe_servers = describe_servers
        self._interval = interval
        self._samples: dict[str, Sample] = {}
        self._servers: dict[str, ServerSample] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="staithe stream sampler", daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=10.0)

    def samples(self) -> Mapping[str, Sample]:
        """The last sample of each stream that was ever seen."""
        return dict(self._samples)

    def servers(self) -> Mapping[str, ServerSample]:
        """Those that answered when they were last asked, by their programs' names."""
        return self._servers

    def _run(self) -> None:
        while not self._stop.is_set():
            for name, meter in self._meters.items():
                self._sample(name, meter)
            self._sample_servers()
            self._stop.wait(self._interval)

    def _sample(self, name: str, meter: RateMeter) -> None:
        try:
            stats = StreamStats.of(self._describe(name))
        # Whatever goes wrong in looking at a stream must not disturb the run.
        except Exception:
            if name in self._samples:
                last = self._samples[name]
                self._samples[name] = Sample(last.stats, None, live=False)
            return
        self._samples[name] = Sample(stats, meter.update(stats, time.monotonic()))

    def _sample_servers(self) -> None:
        with contextlib.suppress(Exception):  # as above
            self._servers = {
                server["program"]: ServerSample.of(server)
                for server in self._describe_servers()
                if "error" not in server
            }
