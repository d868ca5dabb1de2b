"""The soak of `make soak`, for a few seconds: it runs through, and its report and figure come out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_short_soak(tmp_path: Path) -> None:
    results, figure = tmp_path / "soak.json", tmp_path / "soak.png"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "soak.py"), "--results", str(results), "--figure", str(figure)],
        env=os.environ | {"SOAK_SECONDS": "12"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    samples = json.loads(results.read_text())
    assert len(samples) >= 8
    assert samples[-1]["readers"] >= 6
    assert samples[-1]["killed"] >= 2
    assert figure.read_bytes().startswith(b"\x89PNG")
