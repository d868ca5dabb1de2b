"""What one table of speeds cannot show: two threads, one box out of a large array, and whether `probe` is right."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from staithe import Box, codecs

from . import simulated
from .coders import MODES, title_of
from .fields import Field, Unavailable
from .targets import Verdict, at_least, at_most

SHARES = (1e-2, 1e-3, 1e-4, 1e-5)
PROBED = 0.05


@dataclass(frozen=True)
class Row:
    """One line: what was measured, and what it should be."""

    label: str
    text: str
    verdicts: tuple[Verdict, ...] = ()


def threads(cores: Sequence[int], repeats: int) -> list[Row]:
    """Both by the clock on the wall: whoever else uses the machine slows two threads down more than one."""
    array = simulated.turbulence(256)
    bound = 1e-3 * float(np.ptp(array))
    out = np.zeros_like(array)
    payload = codecs.encode(array, abs=bound)
    encoding: dict[int, list[float]] = {1: [], 2: []}
    decoding: dict[int, list[float]] = {1: [], 2: []}
    os.sched_setaffinity(0, set(cores[:2]))
    try:
        for _ in range(repeats):
            for count in (1, 2):
                encoding[count].append(_wall(partial(codecs.encode, array, abs=bound, threads=count)))
                decoding[count].append(_wall(partial(codecs.decode, payload, out=out, threads=count)))
    finally:
        os.sched_setaffinity(0, {cores[0]})
    rows = []
    for label, times in (("in", encoding), ("out", decoding)):
        faster = median(one / two for one, two in zip(times[1], times[2], strict=True))
        speeds = " and ".join(f"{array.nbytes / median(times[count]) / 1e9:.2f}" for count in (1, 2))
        rows.append(Row(f"two threads, {label}, 256³", f"{speeds} GB/s", (at_least(1.7, faster, "× one thread"),)))
    return rows


def boxes(repeats: int) -> list[Row]:
    """A box of 32³ out of 512³ anywhere, and where it takes part in the most tiles."""
    array = np.tile(simulated.turbulence(128), (4, 4, 4))
    payload = codecs.encode(array, abs=1e-3 * float(np.ptp(array)))
    side = codecs.inspect(payload).tile[0]
    generator = np.random.default_rng(5)
    anywhere = [tuple(place) for place in generator.integers(0, 512 - 32, (20 * repeats, 3))]
    corner = [tuple(side * place - 16) for place in generator.integers(1, 512 // side, (5 * repeats, 3))]
    out = np.zeros((32, 32, 32), "f4")
    rows = []
    for label, places in (("anywhere", anywhere), ("in a corner of eight tiles", corner)):
        took = [_wall(partial(codecs.decode, payload, Box(place, (32, 32, 32)), out)) for place in places]
        wanted = (at_most(1.0, 1e3 * median(took), "ms"),) if label == "anywhere" else ()
        rows.append(Row(f"a box of 32³ out of 512³, {label}", f"{1e3 * median(took):.3g} ms", wanted))
    return rows


def probes(sources: Sequence[Field], progress: Callable[[str], None]) -> list[Row]:
    """How far the ratio that `probe` tells is from the true one, over fields and bounds."""
    rows = []
    for codec in [codec for codec in codecs.list() if not codec.missing]:
        for mode in MODES:
            errors: dict[str, float] = {}
            for source in sources:
                try:
                    array = source.load()
                except Unavailable:
                    continue
                for share in SHARES if codec.lossy else (0.0,):
                    bound, fill = share * source.span(array), source.fill
                    true = array.nbytes / codecs.encode(array, codec.name, mode, abs=bound, fill=fill).nbytes
                    told = codecs.probe(array, codec.name, mode, abs=bound, fill=fill, share=PROBED).ratio
                    errors[f"{source.name} {title_of(share)}"] = abs(told / true - 1)
                progress(f"probe, {codec.name} {mode}: {source.name}")
            worst = max(errors, key=lambda name: errors[name])
            found = np.array(list(errors.values()))
            verdicts = (
                at_most(6, 100 * float(np.median(found)), "% median"),
                at_most(20, 100 * float(np.quantile(found, 0.9)), "% in nine of ten"),
            )
            label = f"error of probe, {codec.name} {mode}, a share of {PROBED:g}"
            rows.append(Row(label, f"worst: {100 * errors[worst]:.0f} %, {worst}", verdicts))
    return rows


def _wall(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
