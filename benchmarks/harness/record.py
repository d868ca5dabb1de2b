"""The results as JSON, for whoever wants to compare runs."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .machine import Machine
from .results import Row, Table


def write(path: Path, machine: Machine, tables: list[Table]) -> None:
    document = {"machine": asdict(machine), "cases": [_case(table) for table in tables]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")


def _case(table: Table) -> dict[str, Any]:
    return {"name": table.case, "title": table.title, "note": table.note, "rows": [_row(row) for row in table.rows]}


def _row(row: Row) -> dict[str, Any]:
    return {
        "row": row.label,
        "unit": row.unit,
        "better": row.better,
        "contenders": {
            name: {
                "median": _plain(cell.median),
                "values": [_plain(value) for value in cell.values],
                **({"failure": cell.failure} if cell.failure else {}),
            }
            for name, cell in row.cells.items()
        },
        "targets": [
            {"target": verdict.target.text(row.unit), "value": _plain(verdict.value), "verdict": verdict.word}
            for verdict in row.verdicts()
        ],
    }


def _plain(value: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value) else float(f"{value:.6g}")
