"""What was put to outlive a server that is killed: it is there when the server is started anew, bit for bit."""

from __future__ import annotations

import importlib
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from space_servers import Server, own_run_directory, servers, serving

import staithe


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """For a server; not there yet."""
    return str(tmp_path / "kept" / "here")


def test_versions_outlive_a_server_that_is_killed(folder: str) -> None:
    random = np.random.default_rng(1)
    large = random.normal(size=(300, 400))  # more than goes with others
    by_columns = np.asfortranarray(random.integers(0, 9, (5, 7), "i2"))
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert space.put("T", large, version=7, unit="K", run="a12", persist=True) == 7
        assert space.put("T", large + 1, persist=True) == 8
        space.put("by/columns", by_columns, version=2**62, persist=True)
        for start in (0, 2, 4):  # each lies over those before
            space.put("parts", np.full(6, start), offset=start, shape=10, version=0, persist=True)
        space.put("scalar", np.complex64(3 - 1j), persist=True)
        space.put("empty", np.empty((0, 3)), persist=True)
        space.put("half", np.ones(4), shape=8, version=3, persist=True)
        space.put("described", 1, note="long" * (5 << 20), persist=True)
        space.put("gone", np.ones(4))
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert space.names() == ["T", "by/columns", "described", "empty", "half", "parts", "scalar"]
        np.testing.assert_array_equal(space.get("T", version=7), large)
        np.testing.assert_array_equal(space.get("T"), large + 1)
        [first, _] = space.versions("T")
        assert (first.unit, first.attrs) == ("K", {"run": "a12"})
        kept = space.get("by/columns", version=2**62)
        np.testing.assert_array_equal(kept, by_columns)
        assert kept.dtype == np.int16
        np.testing.assert_array_equal(space.get("parts"), [0, 0, 2, 2, 4, 4, 4, 4, 4, 4])
        assert space.get("scalar") == np.complex64(3 - 1j)
        assert space.get("empty").shape == (0, 3)
        assert space.versions("described")[0].attrs["note"] == "long" * (5 << 20)
        # What was not complete can be completed.
        space.put("half", np.zeros(4), offset=4, shape=8, version=3, persist=True)
    with serving("--spill", folder), staithe.space("campaign") as space:
        np.testing.assert_array_equal(space.get("half"), [1, 1, 1, 1, 0, 0, 0, 0])
        assert space.put("T", large, persist=True) == 9


def test_what_was_acknowledged_is_there_whenever_the_server_is_killed(folder: str) -> None:
    acknowledged: list[int] = []

    def put() -> None:
        with staithe.space("campaign") as space:
            for version in range(100_000):
                space.put("x", np.full(50, version), version=version, persist=True)
                acknowledged.append(version)

    def put_until_it_is_gone() -> None:
        with pytest.raises(staithe.PeerLost):
            put()

    with serving("--spill", folder) as server:
        thread = threading.Thread(target=put_until_it_is_gone)
        thread.start()
        while len(acknowledged) < 50:
            assert thread.is_alive()
        server.process.kill()
        thread.join()
    with serving("--spill", folder), staithe.space("campaign") as space:
        there = [version.number for version in space.versions("x")]
        # The last one may have been written, and its answer lost.
        assert there in (acknowledged, [*acknowledged, len(acknowledged)])
        for version in there:
            assert (space.get("x", version=version) == version).all()


def test_what_was_removed_stays_so(folder: str) -> None:
    with serving("--spill", folder), staithe.space("campaign") as space:
        for version in range(5):
            space.put("T", np.full(3, version), persist=True)
        space.put("all", 1, persist=True)
        space.put("all", 2, persist=True)
        space.remove("T", 1)
        space.remove("all")
        space.set_attributes("run7", owner="kb")
        space.set_attributes("run7/a", owner="kb")
        space.put("run7/T", 1, persist=True)
        space.put("run7/a/T", 2)
        assert space.remove_container("run7") == 2
        space.keep("U", versions=1)
        for version in range(5):
            space.put("U", np.full(3, version), persist=True)
        space.put("T", np.full(3, 10), version=1, persist=True)
        space.put("last", 1, persist=True)  # what the rules have let go is written before it
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert space.names() == ["T", "U", "last"]
        assert space.containers() == [] and space.attributes("run7") == {}
        assert [version.number for version in space.versions("T")] == [0, 1, 2, 3, 4]
        assert space.get("T", version=1)[0] == 10
        assert [version.number for version in space.versions("U")] == [4]


def test_a_folder_does_not_grow_with_what_is_removed(folder: str) -> None:
    with serving("--spill", folder) as server, staithe.space("campaign") as space:
        space.put("stays", np.arange(10), persist=True)
        space.keep("T", versions=2)
        for _ in range(12):
            space.put("T", np.zeros(3 << 20), persist=True)  # 24 MiB
        [described] = servers()
        assert described["persisted"]["folder"] == folder
        assert described["persisted"]["bytes"] < 10 * (24 << 20)
        assert server.process.poll() is None
    with serving("--spill", folder), staithe.space("campaign") as space:
        np.testing.assert_array_equal(space.get("stays"), np.arange(10))
        assert len(space.versions("T")) == 2


def test_blocks_of_batches_views_and_futures_outlive_it_too(folder: str) -> None:
    with serving("--spill", folder), staithe.space("campaign") as space:
        with space.batch() as batch:
            for number in range(1000):
                batch.put("many", np.full(3, number), version=number, persist=number % 2 == 0)
        future = space.put_async("later", [1, 2], persist=True)
        assert future.result(timeout=30) == 0
        with space.view("view", "write", shape=(4,), dtype="f8", persist=True) as view:
            view[:] = 5
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert [version.number for version in space.versions("many")] == list(range(0, 1000, 2))
        assert space.get("many", version=998)[2] == 998
        assert list(space.get("later")) == [1, 2]
        assert list(space.get("view")) == [5] * 4


def test_what_was_said_of_variables_and_containers_outlives_it_too(folder: str) -> None:
    with serving("--spill", folder), staithe.space("campaign") as space:
        space.keep("T", versions=5)
        space.keep("T", versions=3)  # the last one counts
        space.keep("later", versions=1)
        space.set_attributes(project="first")
        space.set_attributes("run/a", temperature=300.0, by="hand")
        space.set_attributes("run/a", by=None, ended=True)
        space.set_attributes("run/b", gone=1)
        space.set_attributes("run/b", gone=None)
        for version in range(4):
            space.put("T", np.full(3, version), persist=True)
    for life in range(2):
        with serving("--spill", folder), staithe.space("campaign") as space:
            assert space.attributes("") == {"project": "first"}
            assert space.attributes("run/a") == {"temperature": 300.0, "ended": True}
            assert space.containers("run/*") == ["run/a"]
            numbers = [1 + life, 2 + life, 3 + life]
            assert [version.number for version in space.versions("T")] == numbers
            space.put("T", np.full(3, 9), persist=True)
            assert [version.number for version in space.versions("T")] == [*numbers[1:], 4 + life]
            space.put("later", 1)
            space.put("later", 2)
            assert [version.number for version in space.versions("later")] == [1]


def test_rules_drop_at_the_start_what_was_held_before(folder: str) -> None:
    """Arrays of 8 KiB at most hold nothing: they are copies."""
    with serving("--spill", folder), staithe.space("campaign") as space:
        space.put("T", np.full(3000, 0), persist=True)
        held = space.get("T")
        space.put("T", np.full(3000, 1), persist=True)
        space.keep("T", versions=1)
        assert len(space.versions("T")) == 2
        assert list(held) == [0] * 3000
        del held
    for _ in range(2):
        with serving("--spill", folder), staithe.space("campaign") as space:
            assert [version.number for version in space.versions("T")] == [1]


def test_datasets_outlive_it(folder: str) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("dask.array")
    importlib.import_module("staithe.xarray")
    dataset = xarray.Dataset(
        {"T": (("y", "x"), np.arange(12.0).reshape(3, 4), {"units": "K"})}, {"x": [1, 2, 4, 8]}, {"run": "a12"}
    )
    with serving("--spill", folder):
        dataset.chunk({"y": 1}).staithe.put("campaign", group="first", persist=True)
        dataset.staithe.put("campaign", group="second")
    with serving("--spill", folder):
        with xarray.open_dataset("campaign", engine="staithe", group="first") as opened:
            xarray.testing.assert_identical(opened.load(), dataset)
        with staithe.space("campaign") as space:
            assert space.names() == ["first/T", "first/x"]


def test_without_a_folder_it_says_how_to_have_one() -> None:
    with staithe.space("own", server="") as space:
        with pytest.raises(staithe.InvalidArgument, match=r"'x' cannot outlive this process.*serve --spill FOLDER"):
            space.put("x", 1, persist=True)
        assert space.names() == []
    with serving(), staithe.space("campaign") as space:
        for put in (space.put, space.batch().put):
            with pytest.raises(staithe.InvalidArgument, match=r"server 'staithe', which was given no folder.*--spill"):
                put("x", np.zeros(100_000), persist=True)
        batch = space.batch()
        batch.put("x", 1, persist=True)
        batch.put("y", 1)
        with pytest.raises(staithe.InvalidArgument, match=r"1 of 2 blocks of a batch was refused.*--spill"):
            batch.send()
        assert space.names() == ["y"]


def test_a_folder_belongs_to_one_server(folder: str) -> None:
    with serving("--spill", folder):
        second = Server("--name", "second", "--spill", folder)
        assert not second.is_up
        code, errors = second.ends()
        assert code == 1
        assert f"another server writes to {folder}: end it, or choose another folder" in errors
        assert "Traceback" not in errors


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    server = Server("--spill", str(tmp_path / "file" / "folder"))
    assert not server.is_up
    code, errors = server.ends()
    assert code == 1
    assert "Not a directory" in errors
    assert "Traceback" not in errors


def test_more_than_memory_and_disk_may_hold_is_refused_at_the_start(folder: str) -> None:
    with serving("--spill", folder), staithe.space("campaign") as space:
        for version in range(4):
            space.put("T", np.zeros(1 << 20), version=version, persist=True)
    server = Server("--spill", folder, "--memory", "20MiB", "--spill-bytes", "8MB")
    assert not server.is_up
    code, errors = server.ends()
    assert code == 1
    assert "no room for what it was told to keep, such as version 2 of 'T'" in errors
    assert "more memory" in errors
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert len(space.versions("T")) == 4


def test_a_damaged_version_is_named_and_the_rest_is_there(folder: str) -> None:
    with serving("--spill", folder), staithe.space("campaign") as space:
        for version in range(3):
            space.put("T", np.full(1000, 1.5 + version), shape=2000, version=version, persist=True)
            space.put("T", np.full(1000, 9.5), offset=1000, shape=2000, version=version, persist=True)
        space.put("last", 1, persist=True)
    [log] = Path(folder).iterdir()
    content = bytearray(log.read_bytes())
    content[content.index(np.full(10, 2.5).tobytes()) + 100] ^= 1
    log.write_bytes(content)
    for life in range(2):
        with serving("--spill", folder) as server, staithe.space("campaign") as space:
            assert [version.number for version in space.versions("T")] == [0, 2]
            np.testing.assert_array_equal(space.get("T", version=2)[:1000], np.full(1000, 3.5))
            server.process.terminate()
            _, errors = server.ends()
        is_said = "version 1 of 'T' in space 'campaign' is lost" in errors
        assert is_said == (life == 0), errors
    with serving("--spill", folder), staithe.space("campaign") as space:
        space.put("T", np.full(2000, 7.5), version=1, persist=True)
    with serving("--spill", folder), staithe.space("campaign") as space:
        np.testing.assert_array_equal(space.get("T", version=1), np.full(2000, 7.5))


def test_a_full_disk_is_an_error_and_what_was_acknowledged_is_there(small_disk: Path) -> None:
    folder = str(small_disk / "kept")
    with serving("--spill", folder), staithe.space("campaign") as space:
        space.set_attributes(note="short")
        space.put("T", np.full(100_000, 1.0), persist=True)
        with pytest.raises(staithe.Error, match=r"server 'staithe' has done it, but not on disk: .*No space left"):
            space.put("T", np.full(400_000, 2.0), persist=True)
        with pytest.raises(staithe.Error, match=r"server 'staithe' has done it, but not on disk: .*No space left"):
            space.set_attributes(note="long" * 500_000)
        space.put("T", np.full(10_000, 3.0), persist=True)
        assert [version.number for version in space.versions("T")] == [0, 1, 2]
    with serving("--spill", folder), staithe.space("campaign") as space:
        assert [version.number for version in space.versions("T")] == [0, 2]
        assert (space.get("T") == 3.0).all()
        assert space.attributes() == {"note": "short"}


def test_any_server_serves_a_folder_that_was_copied(folder: str, tmp_path: Path) -> None:
    with serving("--name", "here", "--spill", folder), staithe.space("campaign") as space:
        space.put("T", np.arange(5), persist=True)
    shutil.copytree(folder, tmp_path / "elsewhere")
    with serving("--name", "there", "--spill", str(tmp_path / "elsewhere")), staithe.space("campaign") as space:
        assert list(space.get("T")) == [0, 1, 2, 3, 4]
