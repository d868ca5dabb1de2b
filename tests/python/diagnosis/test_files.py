"""What is stale in a run directory, and what `remove` leaves alone."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from staithe.diagnosis import files
from staithe.diagnosis.files import find_stale_files, find_unfinished, read_contacts, read_notes, remove
from staithe.diagnosis.processes import Process
from staithe.errors import Timeout


@pytest.fixture
def dead() -> int:
    """The pid of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def write(path: Path, pid: int, start_time: int | None, **fields: object) -> Path:
    content = {"format": 1, "stream": "s", "program": "sim", "host": "node7", "pid": pid, "start_time": start_time}
    path.write_text(json.dumps(content | fields))
    return path


def test_nothing_is_stale_where_nothing_is(tmp_path: Path) -> None:
    assert find_stale_files(tmp_path / "none") == []
    assert find_stale_files(tmp_path) == []


def test_files_of_live_processes_are_not_stale(tmp_path: Path) -> None:
    mine = Process(os.getpid()).start_time
    write(tmp_path / "s.contact", os.getpid(), mine)
    write(tmp_path / "r.7.0.waiting", os.getpid(), mine)
    (tmp_path / f"x.{os.getpid()}.0.new").touch()
    (tmp_path / f"{os.getpid()}.{mine}.socket").touch()
    assert find_stale_files(tmp_path) == []
    assert [contact["stream"] for contact in read_contacts(tmp_path)] == ["s"]
    assert [note["pid"] for note in read_notes(tmp_path)] == [os.getpid()]


def test_files_of_dead_processes_are_stale_and_can_be_removed(tmp_path: Path, dead: int) -> None:
    paths = [
        write(tmp_path / "s.contact", dead, 12345),
        write(tmp_path / "r.7.0.waiting", dead, 12345),
        tmp_path / f"x.{dead}.0.new",
        tmp_path / f"{dead}.12345.socket",
    ]
    paths[2].touch()
    paths[3].touch()
    (tmp_path / "notes.txt").touch()
    stale = find_stale_files(tmp_path)
    assert {file.path for file in stale} == set(paths)
    assert {file.kind for file in stale} == {"contact file", "waiting note", "unfinished file", "socket"}
    assert list(read_contacts(tmp_path)) == list(read_notes(tmp_path)) == []
    contact = next(file for file in stale if file.kind == "contact file")
    assert contact.finding.what == (f"the contact file {paths[0]} was left by sim (pid {dead} on node7), which is gone")
    assert {file.path for file in remove(stale)} == set(paths)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def progress(path: Path, next_step: int) -> Path:
    path.write_bytes(b"STPR" + (1).to_bytes(4, "little") + next_step.to_bytes(8, "little"))
    return path


def test_a_stream_whose_writer_died_can_be_continued_and_is_not_removed(tmp_path: Path, dead: int) -> None:
    path = progress(tmp_path / "s.progress", 41)
    write(tmp_path / "s.contact", dead, 12345)
    assert remove(find_stale_files(tmp_path)) != [] and path.exists()
    (finding,) = find_unfinished(tmp_path)
    assert finding.what == "stream 's' has come to 41 steps and has not ended, but its writer is gone"
    assert str(path) in finding.advice


@pytest.mark.parametrize("name", ["s.contact", "s.7.0.waiting"])
def test_a_stream_that_somebody_writes_or_waits_for_is_not_unfinished(tmp_path: Path, name: str) -> None:
    progress(tmp_path / "s.progress", 41)
    write(tmp_path / name, os.getpid(), Process(os.getpid()).start_time)
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
    write(tmp_path / "s.contact", os.getpid(), 1)
    (tmp_path / f"{os.getpid()}.1.socket").touch()
    assert {file.path.suffix for file in find_stale_files(tmp_path)} == {".contact", ".socket"}


def test_what_is_no_contact_file_is_left_alone(tmp_path: Path) -> None:
    for number, text in enumerate(["", "[]", "{}", '{"pid": "x"}', "\x00\xff"]):
        (tmp_path / f"s{number}.contact").write_text(text)
    assert find_stale_files(tmp_path) == []
    assert list(read_contacts(tmp_path)) == []


def test_a_file_that_a_new_writer_has_taken_is_not_removed(tmp_path: Path, dead: int) -> None:
    path = write(tmp_path / "s.contact", dead, 12345)
    stale = find_stale_files(tmp_path)
    write(path, os.getpid(), Process(os.getpid()).start_time)
    assert remove(stale) == []
    assert path.exists()


def test_removing_waits_for_the_lock_but_not_for_ever(
    tmp_path: Path, dead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "s.contact", dead, 12345)
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0.1)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(Timeout, match=r"locked for 0\.1 s"):
        remove(find_stale_files(tmp_path))
    os.close(descriptor)
    assert len(remove(find_stale_files(tmp_path))) == 1
