"""What is stale in a run directory, and what `remove` leaves alone."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from staithe.diagnosis import files
from staithe.diagnosis.files import find_stale_files, find_unfinished, read_contacts, read_notes, remove
from staithe.diagnosis.identity import Identity
from staithe.errors import Timeout


@pytest.fixture
def dead() -> Identity:
    """A process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return replace(mine(), pid=process.pid)


def mine() -> Identity:
    return Identity.here()


def write(path: Path, owner: Identity) -> Path:
    """A contact file or a waiting note, with what both say."""
    content = {"format": 3, "name": "s", "stream": "s", "program": "sim", "host": "node7"} | asdict(owner)
    path.write_text(json.dumps(content))
    return path


def mark(owner: Identity) -> str:
    return f"{owner.pid}.{owner.start_time}.{owner.boot}-{owner.pid_namespace}"


def leave_all(folder: Path, owner: Identity) -> list[Path]:
    """Files of all kinds that a process may leave."""
    paths = [
        write(folder / "s.stream.contact", owner),
        write(folder / f"r.0.{mark(owner)}.waiting", owner),
        folder / f"x.0.{mark(owner)}.new",
        folder / f"{mark(owner)}.socket",
    ]
    paths[2].touch()
    paths[3].touch()
    return paths


def test_nothing_is_stale_where_nothing_is(tmp_path: Path) -> None:
    assert find_stale_files(tmp_path / "none") == []
    assert find_stale_files(tmp_path) == []


def test_files_of_live_processes_are_not_stale(tmp_path: Path) -> None:
    leave_all(tmp_path, mine())
    assert find_stale_files(tmp_path) == []
    assert [contact["name"] for contact in read_contacts(tmp_path)] == ["s"]
    assert [note["pid"] for note in read_notes(tmp_path)] == [os.getpid()]


@pytest.mark.parametrize("elsewhere", [{"boot": "00000001"}, {"pid_namespace": 7}])
def test_files_of_processes_that_cannot_be_seen_are_not_stale(
    tmp_path: Path, dead: Identity, elsewhere: dict[str, Any]
) -> None:
    leave_all(tmp_path, replace(dead, **elsewhere))
    assert find_stale_files(tmp_path) == []
    assert [contact["name"] for contact in read_contacts(tmp_path)] == ["s"]
    assert list(read_notes(tmp_path)) == [], "its pids are others here"


def test_files_of_dead_processes_are_stale_and_can_be_removed(tmp_path: Path, dead: Identity) -> None:
    paths = leave_all(tmp_path, dead)
    (tmp_path / "notes.txt").touch()
    stale = find_stale_files(tmp_path)
    assert {file.path for file in stale} == set(paths)
    assert {file.kind for file in stale} == {"contact file", "waiting note", "unfinished file", "socket"}
    assert list(read_contacts(tmp_path)) == list(read_notes(tmp_path)) == []
    contact = next(file for file in stale if file.kind == "contact file")
    assert contact.finding.what == (
        f"the contact file {paths[0]} was left by sim (pid {dead.pid} on node7), which is gone"
    )
    assert {file.path for file in remove(stale)} == set(paths)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def progress(path: Path, next_step: int) -> Path:
    path.write_bytes(b"STPR" + (1).to_bytes(4, "little") + next_step.to_bytes(8, "little"))
    return path


def test_a_stream_whose_writer_died_can_be_continued_and_is_not_removed(tmp_path: Path, dead: Identity) -> None:
    path = progress(tmp_path / "s.progress", 41)
    write(tmp_path / "s.stream.contact", dead)
    assert remove(find_stale_files(tmp_path)) != [] and path.exists()
    (finding,) = find_unfinished(tmp_path)
    assert finding.what == "stream 's' has come to 41 steps and has not ended, but its writer is gone"
    assert str(path) in finding.advice


@pytest.mark.parametrize("name", ["s.stream.contact", "s.0.{}.waiting"])
def test_a_stream_that_somebody_writes_or_waits_for_is_not_unfinished(tmp_path: Path, name: str) -> None:
    progress(tmp_path / "s.progress", 41)
    write(tmp_path / name.format(mark(mine())), mine())
    assert list(find_unfinished(tmp_path)) == []
    progress(tmp_path / "s.progress", 0)
    assert find_stale_files(tmp_path) == []


def test_progress_of_nothing_is_stale(tmp_path: Path) -> None:
    paths = [progress(tmp_path / "s.progress", 0), tmp_path / "t.progress"]
    paths[1].write_bytes(b"something else")
    assert list(find_unfinished(tmp_path)) == []
    stale = find_stale_files(tmp_path)
    assert [file.path for file in stale] == paths
    assert stale[0].finding.what == f"the progress file {paths[0]} was left by its writer, which is gone"
    assert remove(stale) == stale
    assert list(tmp_path.iterdir()) == []


def test_a_pid_that_was_used_again_is_another_process(tmp_path: Path) -> None:
    paths = leave_all(tmp_path, replace(mine(), start_time=1))
    assert {file.path for file in find_stale_files(tmp_path)} == set(paths)


def test_what_is_no_contact_file_is_left_alone(tmp_path: Path) -> None:
    for number, text in enumerate(["", "[]", "{}", '{"pid": "x"}', "\x00\xff"]):
        (tmp_path / f"s{number}.stream.contact").write_text(text)
    assert find_stale_files(tmp_path) == []
    assert list(read_contacts(tmp_path)) == []


def test_a_file_that_a_new_writer_has_taken_is_not_removed(tmp_path: Path, dead: Identity) -> None:
    path = write(tmp_path / "s.stream.contact", dead)
    stale = find_stale_files(tmp_path)
    write(path, mine())
    assert remove(stale) == []
    assert path.exists()


def test_removing_waits_for_the_lock_but_not_for_ever(
    tmp_path: Path, dead: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "s.stream.contact", dead)
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0.1)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(Timeout, match=r"locked for 0\.1 s"):
        remove(find_stale_files(tmp_path))
    os.close(descriptor)
    assert len(remove(find_stale_files(tmp_path))) == 1
