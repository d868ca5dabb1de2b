"""How much of the tests runs, and what chance they are drawn by: decided here, for all of them.

`make test` runs a sample of what is slow and thorough, `make test-long` (STAITHE_TEST_LONG=1) all of it. Whatever is
drawn at random is drawn from one seed: always the same, so that users get the same tests every time; in CI the day's
date (UTC), so that samples differ from day to day; or STAITHE_TEST_SEED.
"""

from __future__ import annotations

import os
import random
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, date, datetime

USERS_SEED = 1
EXAMPLES_IN_A_SAMPLE = 0.2  # of those that Hypothesis draws in the long tests


def seed_of(environment: Mapping[str, str], today: date) -> int:
    """The seed that an environment asks for, on a day."""
    if given := environment.get("STAITHE_TEST_SEED"):
        return int(given)
    return int(f"{today:%Y%m%d}") if environment.get("CI") else USERS_SEED


SEED = seed_of(os.environ, datetime.now(UTC).date())
IS_LONG = bool(os.environ.get("STAITHE_TEST_LONG"))


def settings() -> dict[str, str]:
    """The environment variables by which another process draws and runs the same."""
    return {"STAITHE_TEST_SEED": str(SEED)} | ({"STAITHE_TEST_LONG": "1"} if IS_LONG else {})


def extent() -> str:
    """What runs, in words."""
    return f"{'all' if IS_LONG else 'a sample'}, drawn by seed {SEED}"


def again(command: str) -> str:
    """The line that runs a command once more with what was drawn now."""
    return " ".join([*(f"{name}={value}" for name, value in settings().items()), command])


def examples(number: int) -> int:
    """How many examples Hypothesis draws for a test that draws `number` in the long tests."""
    return number if IS_LONG else max(1, round(number * EXAMPLES_IN_A_SAMPLE))


def has_its_turn(what: str, days: int) -> bool:
    """Whether one of the slowest tests runs: one seed in so many asks for it, as do the long tests."""
    return IS_LONG or random.Random(f"{SEED} {what}").randrange(days) == 0


def sample(cases: Sequence[Mapping[str, Hashable]], what: str) -> list[int]:
    """Which of the cases run: in the long tests all, else a few in which every value of every field is met.

    A case is described by its fields; `what` is drawn independently of other samples.
    """
    everything = range(len(cases))
    if IS_LONG:
        return list(everything)
    met: set[tuple[str, Hashable]] = set()
    chosen = []
    for number in random.Random(f"{SEED} {what}").sample(everything, len(cases)):
        if not met.issuperset(cases[number].items()):
            met.update(cases[number].items())
            chosen.append(number)
    return sorted(chosen)
