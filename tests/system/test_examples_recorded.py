"""examples/, recorded while they run: what is replayed is what was seen live, bit by bit or within an error."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from example_runs import copy_of
from numpy.typing import NDArray

import staithe

Step = tuple[int, dict[str, Any], dict[str, NDArray[Any]]]

STAITHE = [sys.executable, "-m", "staithe.cli"]
ERROR = 1e-3
# A number of steps, the stream, and how the workflow is made small.
WORKFLOWS = {
    "melt": (31, {"STEPS": 300, "CELLS": 6}),
    "laplace": (11, {"POINTS": 61, "SWEEPS": 200, "EVERY": 20}),
    "synthetic": (15, {"STEPS": 15, "SIZE": "70x90", "DTYPE": "f4"}),
}

KEEP = """
import pickle

import numpy as np

import staithe


class Keep(staithe.Analysis):
    def start(self, group, stream_attrs):
        self.steps = []

    def step(self, step):
        values = {name: np.array(step[name][...]) for name in step}
        self.steps.append((step.index, dict(step.attrs), values))

    def finish(self):
        with open("live.pickle", "wb") as file:
            pickle.dump(self.steps, file)
"""


def run_recorded(workflow: Path, settings: dict[str, object], files: dict[str, str]) -> list[Step]:
    """Its steps, as a reader sees them that does not know of the recorders; `files` are recorded, with such options."""
    (workflow.parent / "keep.py").write_text(KEEP)
    document = yaml.safe_load(workflow.read_text())
    [(stream, links)] = document["streams"].items()
    document["programs"]["keep"] = {"analysis": "keep.py"}
    links["to"].append("keep")
    for number, (file, options) in enumerate(files.items()):
        document["programs"][f"record{number}"] = {
            "command": f"python -m staithe.cli record {stream} -o {file} {options}"
        }
        links["to"].append(f"record{number}")
    workflow.write_text(yaml.safe_dump(document))
    chosen = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run([*STAITHE, "run", str(workflow), *chosen], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    steps: list[Step] = pickle.loads((workflow.parent / "live.pickle").read_bytes())
    return steps


def replayed(path: Path, run_dir: Path) -> Iterator[Step]:
    environment = os.environ | {"STAITHE_RUN_DIR": str(run_dir)}
    again = f"again-{path.name.replace('.', '-')}"  # not the name of a file
    with subprocess.Popen([*STAITHE, "replay", str(path), "--as", again], env=environment) as replay:
        with staithe.reader(again, timeout=60) as steps:
            for step in steps:
                yield step.index, dict(step.attrs), {name: np.array(step[name][...]) for name in step}
        assert replay.wait(60) == 0


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_is_replayed_is_what_was_seen_live(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, settings = WORKFLOWS[name]
    exact, rounded = ("exact.zarr", "exact.h5"), ("rounded.zarr", "rounded.h5", "dq.h5")
    options = dict.fromkeys(exact, "") | dict.fromkeys(rounded, f'--error "{ERROR} rel"')
    options["dq.h5"] += " --codec dq"
    folder = copy_of(name, tmp_path)
    live = run_recorded(folder / f"{name}.yaml", settings, options)
    assert len(live) == count

    monkeypatch.setenv("STAITHE_RUN_DIR", str(tmp_path))
    for file in (*exact, *rounded):
        for (index, attrs, values), (_, again_attrs, again) in zip(
            live, replayed(folder / file, tmp_path), strict=True
        ):
            assert again_attrs == attrs, (file, index)
            assert list(again) == list(values)
            for variable, expected in values.items():
                got = again[variable]
                assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
                if file in exact or expected.dtype.kind != "f":
                    assert got.tobytes() == expected.tobytes(), (file, index, variable)
                else:
                    allowed = ERROR * np.ptp(expected.astype(float)) * (1 + 1e-12)
                    off = np.abs(got.astype(float) - expected.astype(float)).max()
                    assert off <= allowed, (file, index, variable)
