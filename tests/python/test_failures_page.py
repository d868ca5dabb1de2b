"""docs/guide/failures.md promises what tests prove: every test that it names exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "failures.md"


def rows() -> Iterator[list[str]]:
    for line in PAGE.read_text().splitlines():
        if line.startswith("| ") and not line.startswith("| what happens"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def known_tests() -> set[str]:
    found: set[str] = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        found.update(re.findall(r"^def (test_\w+)\(", file.read_text(), re.MULTILINE))
    for file in (ROOT / "tests").rglob("*.cpp"):
        for suite, name in re.findall(r"^TEST\w*\((\w+),\s*(\w+)\)", file.read_text(), re.MULTILINE):
            found.add(f"{suite}.{name}")
    return found


def test_every_row_names_tests_that_exist() -> None:
    there_are = known_tests()
    count = 0
    for row in rows():
        assert len(row) in {3, 4}, row  # of which one may be of what is seen from another host
        named = re.findall(r"`([^`]+)`", row[-1])
        assert named, f"no test proves: {row[0]}"
        assert not (missing := set(named) - there_are), f"{row[0]}: there is no {missing}"
        count += 1
    assert count > 30
