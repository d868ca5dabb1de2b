"""What each piece of a field was chosen to be, and for how long that was expected to take: of a trace of the writer.

Not a case of its own, but the trials that `choices.py` draws.
"""

import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..contenders.base import Contender
from ..harness.trial import Seat, Trial
from .in_flight_predictions import HALF_NOISE, InFlightPredictions

RATE = 5e9
FIELDS = ("gray-scott", "turbulence", HALF_NOISE)
TRACED = 1.0  # seconds in which what was traced last is in the file


class InFlightChoices(InFlightPredictions):
    name = "in_flight_choices"

    def trials(self, quick: bool) -> list[Trial]:
        return [self.trial(field, RATE, steps=20 if quick else 60, shifts=1) for field in FIELDS]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return {"pieces": once_learnt(self.pieces_written(contender, seat))}

    def pieces_written(self, contender: Contender, seat: Seat) -> list[dict[str, Any]]:
        """In the order in which they went: `args` of their spans."""
        with tempfile.TemporaryDirectory() as folder:
            os.environ["STAITHE_TRACE"] = folder
            super().write(contender, seat)
            time.sleep(TRACED)
            [file] = Path(folder).glob("*.json")
            lines = (line.strip().rstrip(",") for line in file.read_text().splitlines())
            spans = [json.loads(line) for line in lines if line.startswith('{"ph":"X"')]
        return [span["args"] for span in spans if span["name"] == "encode"]


def once_learnt(pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the first ones, by which ways are learnt."""
    return pieces[len(pieces) // 4 :]


CASE = InFlightChoices()
