#!/usr/bin/env python3
"""Workflow files, made up by Hypothesis: whatever is in one, `load` returns a workflow or names its problems.

Hypothesis has no time limit of its own, so this draws batch after batch until the seconds are over. Prints `N inputs`.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from staithe.workflow import loader
from staithe.workflow.problems import WorkflowError

EXAMPLES = [path.read_text() for path in sorted((Path(__file__).parents[2] / "examples").glob("*/*.yaml"))]
BATCH = 200

_KEYS = (
    *("name", "parameters", "programs", "streams", "command", "analysis", "ranks", "from", "to", "placement"),
    *("args", "env", "cwd", "timeout"),
    *("queue_steps", "queue_bytes", "readers", "overflow", "spill", "melt", "<<", "*", "&a", "!!python/name:os.system"),
)
_words = st.one_of(
    st.sampled_from(
        (*_KEYS, "inline", "producer", "python sim.py", "256 MiB", "5 min", "inf", "${N}", "${", "$", "it's", "a | b")
    ),
    st.text(max_size=12),
)
_scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.dates(), st.binary(max_size=6), _words)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_words, inner, max_size=5)),
    max_leaves=25,
)
_PROGRAM_KEYS = ("command", "analysis", "args", "ranks", "env", "cwd", "timeout")
_STREAM_KEYS = ("from", "to", "placement", "queue_steps", "queue_bytes", "overflow", "spill_dir", "spill_bytes")


def _entries(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Programs, or streams: right keys with any values."""
    return st.dictionaries(
        st.sampled_from("abc"), st.dictionaries(st.sampled_from(keys), _values, max_size=5), max_size=3
    )


_documents = st.one_of(
    st.dictionaries(st.sampled_from(_KEYS[:4]), _values, max_size=4),
    st.fixed_dictionaries({"programs": _entries(_PROGRAM_KEYS), "streams": _entries(_STREAM_KEYS)}),
).map(lambda document: yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


@st.composite
def _mutated(draw: Any) -> str:
    """A real workflow with some of its text cut out, doubled, or replaced."""
    text: str = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(text)))
        last = min(len(text), first + draw(st.integers(0, 30)))
        put = draw(st.one_of(_words, st.just(text[first:last] * 2), st.sampled_from(list('\n\t :[]{}&*!|>#"%@`-?,'))))
        text = text[:first] + put + text[last:]
    return text


_bytes = st.one_of(
    st.one_of(_documents, _mutated(), st.text(max_size=200)).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=200),
)


def run(seconds: float, seeds: random.Random) -> int:
    """Loads made-up files until the time is over; returns how many. What a loader must not raise passes through."""
    count = 0
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "workflow.yaml"

        def load(content: bytes, setting: list[str]) -> None:
            nonlocal count
            count += 1
            file.write_bytes(content)
            with contextlib.suppress(WorkflowError):
                loader.load(file, setting)

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            number = seeds.randrange(2**32)
            print(f"batch of seed {number}", flush=True)
            strategies = given(_bytes, st.lists(_words, max_size=2))
            quiet = settings(
                max_examples=BATCH,
                database=None,
                deadline=None,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            )
            seed(number)(quiet(strategies(load)))()
    return count


def main() -> int:
    """Runs for the seconds that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{run(options.seconds, random.Random(options.seed))} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
