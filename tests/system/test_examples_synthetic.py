"""examples/synthetic: whatever is asked for arrives, and whatever arrives wrong is found."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SYNTHETIC = Path(__file__).parents[2] / "examples" / "synthetic"


def run(**settings: object) -> None:
    command = [sys.executable, "-m", "staithe.cli", "run", str(SYNTHETIC / "synthetic.yaml")]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("dtype", ["i1", "f2", "f8", "f16", "c8"])
@pytest.mark.parametrize("shape", [(1000,), (0,), (7, 300), (5, 0, 3), (3, 4, 5, 6)])
@pytest.mark.parametrize("along", [slice(None), slice(1, None, 2), slice(None, None, -1)])
def test_patterns_follow_the_index(shape: tuple[int, ...], along: slice, dtype: str) -> None:
    pattern = runpy.run_path(str(SYNTHETIC / "pattern.py"))
    part = (along,) * len(shape)
    index = np.arange(np.prod(shape)).reshape(shape)[part]
    patterns = pattern["patterns"](shape, part, dtype)
    for variable, step in [(0, 0), (3, 5), (200, 99_999)]:
        expected = ((index + 31 * variable + 17 * step) % 127).astype(dtype)
        np.testing.assert_array_equal(patterns[pattern["phase"](variable, step)], expected, strict=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"SHARE": "block", "SIZE": "60x50", "WRITERS": 3},
        {"SHARE": "count", "SIZE": "17x3x5", "WRITERS": 3, "DTYPE": "c16"},
        {"SHARE": "round", "SIZE": "101x7", "WRITERS": 3, "DTYPE": "i2"},
        {"SHARE": "process", "SIZE": "50000", "WRITERS": 3, "DTYPE": "f4"},
        {"SIZE": "1 KiB", "VARIABLES": 100, "WRITERS": 1, "READERS": 1},
        {"SIZE": "3x1000", "READERS": 5, "WRITERS": 1, "PRODUCER_OPTIONS": "--loan"},
        {"SIZE": "100", "RATE": 100, "CONSUMER_OPTIONS": "--no-check"},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_everything_arrives(tmp_path: Path, settings: dict[str, object]) -> None:
    for program in ("PRODUCER", "CONSUMER"):
        option = f"{settings.get(program + '_OPTIONS', '')} --out {tmp_path / program}"
        settings = settings | {program + "_OPTIONS": option}
    run(STEPS=20, **settings)
    produced, consumed = (json.loads((tmp_path / name).read_text()) for name in ("PRODUCER", "CONSUMER"))
    assert produced["steps"] == consumed["steps"] == 20
    assert produced["bytes"] == consumed["bytes"]
    if "RATE" in settings:
        assert produced["seconds"] >= 19 / float(str(settings["RATE"]))


def test_a_wrong_value_is_found(tmp_path: Path) -> None:
    write = "with staithe.writer('synthetic') as out, out.step() as step: step.put('v0', np.arange(10.0) * 1.1)"
    environment = os.environ | {"STAITHE_RUN_DIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", f"import numpy as np, staithe\n{write}"], env=environment):
        consumer = subprocess.run(
            [sys.executable, SYNTHETIC / "consumer.py"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert consumer.returncode == 1
    assert "9 of 10 values are wrong" in consumer.stderr
