"""Dragon: its dictionary that is spread over processes (DDict), with one manager, from one Python program."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..harness.trial import Trial
from .base import Contender

# For `dragon`, which starts what the dictionary needs and then the program.
PROGRAM = """
import json, sys, time
import dragon
import multiprocessing
import numpy
from dragon.data.ddict import DDict

if __name__ == "__main__":
    multiprocessing.set_start_method("dragon")
    items, calls = int(sys.argv[1]), int(sys.argv[2])
    values = numpy.ones(items)
    kept = DDict(1, 1, 1 << 28)
    rates = {}
    for name in ("warm up", "puts"):
        began = time.perf_counter()
        for number in range(calls):
            kept[number] = values
        rates[name] = calls / (time.perf_counter() - began)
    began = time.perf_counter()
    for number in range(calls):
        assert kept[number].size == items
    rates["gets"] = calls / (time.perf_counter() - began)
    kept.destroy()
    print(json.dumps(rates), flush=True)
"""


class Dragon(Contender):
    """The run-time of distributed Python on supercomputers."""

    name = "dragon"
    package = "dragonhpc"
    runs_itself = True
    most_repeats = 2

    def run(self, trial: Trial, hosts: Mapping[str, Any], cores: Sequence[int]) -> Mapping[str, Any]:
        binaries = Path(sys.executable).parent
        with tempfile.TemporaryDirectory(prefix="staithe-dragon-", dir="/tmp") as directory:
            program = Path(directory) / "objects.py"
            program.write_text(PROGRAM)
            numbers = [str(trial.settings["items"]), str(trial.settings["calls"])]
            done = subprocess.run(
                [binaries / "dragon", "-s", program, *numbers],  # on this machine alone
                env={**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=False,
                timeout=trial.timeout,
            )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[-1])
        rates: Mapping[str, Any] = json.loads(lines[-1])
        return rates


CONTENDER = Dragon()
