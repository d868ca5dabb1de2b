"""What `staithe servers` makes of descriptions that it did not make itself."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from staithe.cli.servers_command import list_servers
from staithe.cli.units import NOTHING
from staithe.workflow import stats

DEVICES: list[dict[str, Any]] = [
    {"name": "spare", "pid": 7, "cores": 2, "clients": 1, "parts": 3, "bytes": 8000, "coded": 1000, "seconds": 2.0},
    {"name": "silent", "pid": 8, "error": "it says nothing"},
    {"name": "gone", "error": "it has ended"},
    {"name": "of a later version", "pid": 9, "cores": "many", "parts": None, "bytes": 5000},
    {"name": "strange", "pid": 10, "cores": True, "parts": -1, "bytes": math.inf, "coded": 1.0, "seconds": math.nan},
]


@pytest.fixture(autouse=True)
def described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "describe_servers", lambda address: iter([]))
    monkeypatch.setattr(stats, "describe_devices", lambda address: DEVICES)


def test_devices_say_what_they_say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    list_servers(as_json=False, address=None)
    _, spare, silent, gone, later, strange = capsys.readouterr().out.splitlines()
    assert spare.split()[:5] == ["spare", "7", "2", "1", "3"] and "8" in spare.split()
    assert "it says nothing" in silent and "it has ended" in gone
    assert later.startswith("of a later version") and "many" not in later
    assert strange.split() == ["strange", "10", *[NOTHING] * 6]


def test_json_has_the_devices(capsys: pytest.CaptureFixture[str]) -> None:
    list_servers(as_json=True, address=None)
    said = json.loads(capsys.readouterr().out)
    assert repr(said) == repr([{**device, "kind": "device"} for device in DEVICES])  # so that nan is like nan
