"""The soak of `make soak`, in a sample for a few seconds: it runs through, and its report and figure come out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thoroughness import IS_LONG

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600 if IS_LONG else 12


@pytest.mark.timeout(SECONDS + 100)
def test_a_soak(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    record_property("seconds of a soak", SECONDS)
    results, figure = tmp_path / "soak.json", tmp_path / "soak.png"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "soak.py"), "--results", str(results), "--figure", str(figure)],
        env=os.environ | {"SOAK_SECONDS": str(SECONDS)},
        capture_output=True,
        text=True,
        timeout=SECONDS + 90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    samples = json.loads(results.read_text())
    assert len(samples) >= SECONDS * 2 / 3
    assert samples[-1]["readers"] >= SECONDS / 2
    assert samples[-1]["killed"] >= SECONDS / 6
    assert figure.read_bytes().startswith(b"\x89PNG")
