"""Follows the streams of a run from a thread, so that a slow answer never holds up the supervisor."""

from __future__ import annotations

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


class Sampler:
    """Asks for each stream twice a second. One that gives no answer may not exist yet: that is silent."""

    def __init__(
        self,
        streams: Iterable[str],
        describe: Callable[[str], Description],
        interval: float = _INTERVAL_SECONDS,
    ) -> None:
        self._meters = {name: RateMeter() for name in streams}
        self._describe = describe
        self._interval = interval
        self._samples: dict[str, Sample] = {}
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

    def _run(self) -> None:
        while not self._stop.is_set():
            for name, meter in self._meters.items():
                self._sample(name, meter)
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
