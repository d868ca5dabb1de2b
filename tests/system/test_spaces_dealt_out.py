"""What outlives servers, when there are more or fewer of them the next time."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from space_servers import Server, own_run_directory, servers, serving, serving_together, start_server

import staithe


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the servers are given for what is to outlive them; not there yet."""
    return tmp_path / "kept"


def put_all(space: staithe.Space, run: str) -> None:
    """Variables of that run: whole ones, and one of two blocks that lie over each other."""
    with space.batch() as batch:
        for number in range(50):
            batch.put(f"{run}/{number}", np.full(10, number), run=run, persist=True)
    for version in range(3):
        space.put(f"{run}/T", np.full(40_000, version), version=version, offset=0, shape=50_000, persist=True)
        space.put(f"{run}/T", np.full(20_000, -version), version=version, offset=30_000, shape=50_000, persist=True)
    space.put(f"{run}/gone", 1, persist=True)
    space.remove(f"{run}/gone")
    space.keep(f"{run}/T", 3)
    space.set_attributes(run, title=f"the run {run}")


def check_all(space: staithe.Space, runs: list[str]) -> None:
    """That they are there as they were put."""
    assert len(space.names()) == 51 * len(runs)
    for run in runs:
        assert all((space.get(f"{run}/{number}") == number).all() for number in range(50))
        for version in range(3):
            T = space.get(f"{run}/T", version=version)  # noqa: N806
            assert (T[:30_000] == version).all()
            assert (T[30_000:] == -version).all()
        assert space.attributes(run) == {"title": f"the run {run}"}
        assert space.versions(f"{run}/7")[0].attrs == {"run": run}


def test_any_number_of_servers_has_what_any_other_number_was_told_to_keep(folder: Path) -> None:
    runs: list[str] = []
    for number, size in enumerate([1, 3, 3, 2, 1, 7, 1, 4]):
        with serving_together(size, "--spill", str(folder)), staithe.space("campaign") as space:
            check_all(space, runs)
            runs.append(f"run{number}")
            put_all(space, runs[-1])
            if size > 1:  # each has its share
                counts = [server["spaces"]["campaign"]["variables"] for server in servers()]
                assert min(counts) > 0.4 * sum(counts) / size
                assert sorted(path.name for path in folder.iterdir()) == ["lock", f"of-{size}"]
    with serving("--spill", str(folder)), staithe.space("campaign") as space:
        check_all(space, runs)
        space.put("run2/T", np.zeros(5), version=3, persist=True)  # by a rule that several servers were told
        assert [version.number for version in space.versions("run2/T")] == [1, 2, 3]


def test_who_comes_first_deals_out_and_the_others_wait(folder: Path) -> None:
    with serving("--spill", str(folder)), staithe.space("campaign") as space:
        put_all(space, "run")
    with ThreadPoolExecutor(4) as threads:
        started = list(
            threads.map(lambda rank: Server("--rank", str(rank), "--size", "4", "--spill", str(folder)), range(4))
        )
    try:
        assert all(server.is_up for server in started)
        with staithe.space("campaign") as space:
            check_all(space, ["run"])
    finally:
        for server in started:
            server.kill()


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 3)])
def test_who_is_killed_in_the_middle_loses_nothing(folder: Path, before: int, after: int) -> None:
    with serving_together(before, "--spill", str(folder)), staithe.space("campaign") as space:
        put_all(space, "run")
        space.put("large", np.arange(3_000_000), persist=True)
    chosen = random.Random(before)
    started = time.monotonic()
    with serving("--name", "other", "--spill", str(folder.with_name("other"))):
        start_up = time.monotonic() - started
    for _ in range(12):
        starting = start_server("--rank", "0", "--size", str(after), "--spill", str(folder))
        time.sleep(start_up * chosen.uniform(0.5, 1.2))
        starting.kill()
        starting.communicate()
    with serving_together(after, "--spill", str(folder)), staithe.space("campaign") as space:
        assert (space.get("large") == np.arange(3_000_000)).all()
        space.remove("large")
        check_all(space, ["run"])


@pytest.mark.parametrize("moved", [False, True])
def test_a_crash_between_the_old_and_the_new_is_finished(folder: Path, moved: bool) -> None:
    with serving_together(2, "--spill", str(folder)), staithe.space("campaign") as space:
        put_all(space, "run")
    old = folder / "of-2"
    shutil.copytree(old, folder.with_name("copy"))
    with serving_together(3, "--spill", str(folder)):
        pass
    shutil.move(folder.with_name("copy"), folder / "of-2.old")
    if not moved:
        (folder / "of-3").rename(folder / "of-3.new")
    with serving_together(3, "--spill", str(folder)), staithe.space("campaign") as space:
        check_all(space, ["run"])
        assert sorted(path.name for path in folder.iterdir()) == ["lock", "of-3"]


def test_what_was_not_dealt_out_to_its_end_is_dealt_out_anew(folder: Path) -> None:
    with serving_together(2, "--spill", str(folder)), staithe.space("campaign") as space:
        put_all(space, "run")
    (folder / "of-3.new" / "0").mkdir(parents=True)
    (folder / "of-3.new" / "0" / "log.000001").write_bytes(b"half a log")
    with serving_together(3, "--spill", str(folder)), staithe.space("campaign") as space:
        check_all(space, ["run"])


def test_a_version_that_is_damaged_is_lost_and_no_other(folder: Path) -> None:
    with serving("--spill", str(folder)), staithe.space("campaign") as space:
        for version in range(4):
            for half in (0, 1):
                block = np.full(1000, 1_000_000 + version, "i8")
                space.put("x", block, version=version, offset=1000 * half, shape=2000, persist=True)
    [log] = folder.glob("log.*")
    content = bytearray(log.read_bytes())
    at = content.find(np.int64(1_000_002).tobytes())
    content[at] ^= 1
    log.write_bytes(content)
    with serving_together(2, "--spill", str(folder)), staithe.space("campaign") as space:
        assert [version.number for version in space.versions("x")] == [0, 1, 3]
        assert all((space.get("x", version=version) == 1_000_000 + version).all() for version in (0, 1, 3))


def test_what_is_in_use_or_not_clear_is_refused(folder: Path) -> None:
    with serving_together(2, "--spill", str(folder)), staithe.space("campaign") as space:
        put_all(space, "run")
        other = Server("--name", "other", "--spill", str(folder))
        assert not other.is_up
        assert "another server writes to" in other.ends()[1]
        check_all(space, ["run"])
    shutil.copytree(folder / "of-2", folder / "of-3")
    other = Server("--spill", str(folder))
    assert not other.is_up
    errors = other.ends()[1]
    assert "what 2 servers were told to keep, and what 3 were" in errors
    assert "Traceback" not in errors
    shutil.rmtree(folder / "of-3")
    with serving_together(2, "--spill", str(folder)), staithe.space("campaign") as space:
        check_all(space, ["run"])
