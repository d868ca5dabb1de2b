"""`staithe doctor`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..diagnosis import Finding, diagnose, diagnose_at, find_stale_files, remove
from ..workflow import stats
from .shown import shown
from .units import duration


def examine(as_json: bool, clean: bool, longest_wait: float, address: str | None = None) -> int:
    """Prints what is wrong with the live streams; returns 1 if anything is."""
    directory = Path(stats.run_directory())
    removed = remove(find_stale_files(directory)) if clean else []
    findings = diagnose(directory, longest_wait) if address is None else diagnose_at(address, longest_wait)
    if as_json:
        print(
            json.dumps(
                {
                    "run_directory": str(directory),
                    "findings": [asdict(finding) for finding in findings],
                    "removed": [str(file.path) for file in removed],
                },
                indent=2,
            )
        )
        return 1 if findings else 0
    for file in removed:
        print(f"removed {shown(str(file.path))}")
    for finding in findings:
        print(_told(finding))
    if not findings:
        print(f"all is well in {shown(stats.where(address))}")
    return 1 if findings else 0


def _told(finding: Finding) -> str:
    since = "" if finding.seconds is None else f" (for {duration(finding.seconds)})"
    return f"{finding.kind}: {shown(finding.what)}{since}\n    -> {shown(finding.advice)}"
