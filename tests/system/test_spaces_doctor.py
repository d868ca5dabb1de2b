"""What the doctor tells of servers: who waits there for what, and which of them does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from space_servers import own_run_directory, servers, serving, serving_together
from standing_still import stop

import staithe
from staithe.diagnosis import Finding, diagnose

LARGE = np.zeros(5 << 20)  # 40 MiB


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    """For calls that wait."""
    with ThreadPoolExecutor() as pool:
        yield pool


def findings(directory: Path, kind: str, longest_wait: float = 0.0) -> list[Finding]:
    """Those of the kind, of now."""
    return [each for each in diagnose(directory, longest_wait, watch_cores=0) if each.kind == kind]


def finding(directory: Path, kind: str) -> Finding:
    """The one of that kind, once it is there."""
    for _ in range(200):
        found = findings(directory, kind)
        if found:
            assert len(found) == 1
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"no {kind}")


def get(space: staithe.Space, **options: Any) -> Callable[[], Any]:
    return lambda: space.get("T", timeout=60, **options)


@pytest.mark.parametrize(
    ("options", "wants", "reason"),
    [
        ({"version": 7}, "version 7", "'T' has no version 7; it has 1, from 3 to 3"),
        ({}, "the newest version", "version 3 of 'T' is not complete: 50 % of its elements were put"),
    ],
)
def test_who_waits_for_a_version_is_named(
    directory: Path, threads: ThreadPoolExecutor, options: dict[str, int], wants: str, reason: str
) -> None:
    with serving(), staithe.space("campaign") as space:
        space.put("T", np.zeros(5), shape=10, version=3)
        getting = threads.submit(get(space, **options))
        found = finding(directory, "wait")
        assert found.what.endswith(f" waits for {wants} of 'T' in space 'campaign': {reason}")
        assert [who.pid for who in found.who] == [os.getpid()]
        assert found.seconds is not None and found.seconds >= 0
        assert "`Space.names`" in found.advice
        assert findings(directory, "wait", longest_wait=3600) == []
        space.put("T", np.ones(5), offset=5, shape=10, version=3)
        space.put("T", np.zeros(10), version=7)
        getting.result(60)
        assert findings(directory, "wait") == []


def test_who_waits_for_a_lock_is_named_and_its_holder(directory: Path, threads: ThreadPoolExecutor) -> None:
    def lock_and_release(space: staithe.Space) -> None:
        with space.lock("T", "read", box=staithe.Box([2], [3])):
            pass

    with serving(), staithe.space("campaign") as space:
        with space.lock("T"):
            waiting = threads.submit(lock_and_release, space)
            found = finding(directory, "wait")
            assert " waits for the lock on 'campaign/T' [2:5] to read at server 'staithe': " in found.what
            assert "has held 'campaign/T' to write for" in found.what
            assert "holder" in found.advice
        waiting.result(60)


def test_who_waits_for_room_is_named_and_what_takes_it(directory: Path, threads: ThreadPoolExecutor) -> None:
    with serving("--memory", "64MiB"), staithe.space("campaign") as space:
        space.put("T", LARGE)
        waiting = threads.submit(space.put, "T", LARGE)
        found = finding(directory, "wait")
        assert " waits for room for 41.9 MB of 'T' in server 'staithe': it holds " in found.what
        assert "41.9 MB in 1 version of 'T' in space 'campaign'" in found.what
        assert "--memory" in found.advice
        space.remove("T", 0)
        waiting.result(60)


def test_who_asks_a_server_that_was_stopped_is_told(directory: Path) -> None:
    with serving() as server, staithe.space("campaign", timeout=1) as space:
        space.put("T", 1.0)
        stop(server.process.pid)
        try:
            with pytest.raises(staithe.Timeout, match=f"kill -CONT {server.process.pid}"):
                space.put("T", 2.0, version=1)
        finally:
            server.process.send_signal(signal.SIGCONT)


def test_a_stopped_server_is_named(directory: Path) -> None:
    with serving() as server:
        stop(server.process.pid)
        try:
            found = finding(directory, "silent")
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert found.what == "server 'staithe' does not answer"
        assert f"kill -CONT {server.process.pid}" in found.advice


def test_a_server_that_is_missing_among_several_is_named(directory: Path) -> None:
    with serving_together(3) as together:
        assert diagnose(directory, 0, watch_cores=0) == []
        together[1].kill()
        found = finding(directory, "missing")
        assert found.what == "of the 3 servers 'staithe' rank 1 cannot be found"
        assert found.advice.endswith("`staithe serve --name staithe --rank 1 --size 3`")
        with serving("--rank", "1", "--size", "3"):
            assert diagnose(directory, 0, watch_cores=0) == []


def test_of_many_who_wait_some_are_told(threads: ThreadPoolExecutor) -> None:
    with serving(), staithe.space("campaign") as space:
        space.put("T", 0)
        asked = [space.get_async("T", version=7, timeout=60) for _ in range(100)]
        for _ in range(200):
            waits = servers()[0]["waits"]
            if len(waits) == 64:
                break
            time.sleep(0.05)
        assert len(waits) == 64
        assert sorted(waits, key=lambda wait: -wait["seconds"]) == waits
        space.put("T", 1, version=7)
        for future in asked:
            future.result(60)
        assert servers()[0]["waits"] == []


def test_a_space_that_was_only_looked_at_is_forgotten() -> None:
    def names_of_spaces() -> list[str]:
        return sorted(servers()[0]["spaces"])

    with serving(), staithe.space("campaign") as space:
        space.put("T", 1)
        looking = "import staithe\nfor name in ('typo', 'campaign'): staithe.space(name).names()"
        assert subprocess.call([sys.executable, "-c", looking]) == 0
        for _ in range(200):
            if names_of_spaces() == ["campaign"]:
                break
            time.sleep(0.05)
        assert names_of_spaces() == ["campaign"]
        with staithe.space("empty"):
            assert names_of_spaces() == ["campaign", "empty"]


def test_who_only_looks_on_is_no_client() -> None:
    with serving():
        assert servers()[0]["clients"] == 0
        with staithe.space("campaign") as space:
            with suppress(staithe.Timeout):
                space.get("T", timeout=0)
            assert servers()[0]["clients"] == 1
