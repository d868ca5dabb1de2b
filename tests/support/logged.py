"""What Staithe logs, which a thread hands over."""

from __future__ import annotations

import time

import pytest


def assert_logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    deadline = time.monotonic() + 20
    while text not in caplog.text:
        assert time.monotonic() < deadline, caplog.text
        time.sleep(0.05)
