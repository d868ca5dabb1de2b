"""A run directory that several hosts or pid namespaces share: nobody takes another's live process for dead."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fork_server import Child

import staithe
from staithe.diagnosis.diagnose import diagnose

Play = Callable[..., Child]
Start = Callable[..., "subprocess.Popen[str]"]

WRITER = """
    with staithe.writer(name) as out:
        tell("opened")
        stage.wait_for_word()
        with out.step() as step:
            step.put("x", 7)
"""
IN_A_NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def contact_of(run_directory: Path, name: str) -> Path:
    (path,) = run_directory.glob(f"{name}.*contact")
    return path


@pytest.fixture
def elsewhere(play: Play, stream: str, run_directory: Path) -> Iterator[Path]:
    """The contact file of a writer on another host, made of one of this host."""
    writer = play(WRITER, name=f"{stream}-here")
    writer.wait_for("opened")
    source = contact_of(run_directory, f"{stream}-here")
    fields: dict[str, Any] = json.loads(source.read_text())
    fields |= {
        "program": "sim",
        "host": "faraway",
        "machine": "of another",
        "boot": "12345678",
        "pid": 2**22 + 1,
        "start_time": 99,
    }
    fields |= {key: stream for key in ("stream", "name") if key in fields}
    path = run_directory / source.name.replace(f"{stream}-here", stream)
    path.write_text(json.dumps(fields))
    yield path
    path.unlink(missing_ok=True)


def test_a_writer_on_another_host_is_named_and_left_alone(elsewhere: Path, stream: str) -> None:
    for open_stream in (staithe.reader, staithe.describe):
        with pytest.raises(staithe.Error, match=r"pid 4194305 on faraway.*does not listen for processes of other hosts") as raised:
            open_stream(stream, timeout=1.0)
        assert socket.gethostname() in str(raised.value)
        assert not isinstance(raised.value, (staithe.Timeout, staithe.NotFound))
        assert elsewhere.exists()


def test_the_name_of_a_writer_on_another_host_is_taken(elsewhere: Path, stream: str) -> None:
    with pytest.raises(staithe.AlreadyExists, match="pid 4194305 on faraway") as raised:
        staithe.writer(stream)
    assert f"remove {elsewhere}" in str(raised.value)
    assert elsewhere.exists()
    elsewhere.unlink()
    staithe.writer(stream, readers=0).close()


def test_files_of_processes_of_another_host_are_left_alone(run_directory: Path, play: Play, stream: str) -> None:
    mark = "4194305.99.12345678-4026531836"
    theirs = [run_directory / name for name in (f"{mark}.socket", f"s.0.{mark}.waiting", f"s.contact.0.{mark}.new")]
    for path in theirs:
        path.touch()
    staithe.writer(stream, readers=0).close()
    staithe.streams()
    assert all(path.exists() for path in theirs)
    for path in theirs:
        path.unlink()


@pytest.fixture
def in_a_namespace() -> list[str]:
    """How to begin a command so that it runs in a pid namespace of its own."""
    if subprocess.run([*IN_A_NAMESPACE, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may make no pid namespace")
    return IN_A_NAMESPACE


def test_a_writer_in_another_pid_namespace_is_read(
    in_a_namespace: list[str], start_python: Start, stream: str, run_directory: Path
) -> None:
    text = """
import staithe, sys
with staithe.writer(sys.argv[1]) as out:
    print("opened", flush=True)
    sys.stdin.readline()
    with out.step() as step:
        step.put("x", 7)
"""
    writer = start_python(text, stream, command=in_a_namespace)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "opened\n"
    with pytest.raises(staithe.AlreadyExists):
        staithe.writer(stream)
    assert stream in [found["name"] for found in staithe.streams()]
    with staithe.reader(stream, timeout=20) as reader:
        writer.communicate("go\n", timeout=20)
        assert [int(step["x"][()]) for step in reader] == [7]
    assert writer.returncode == 0


def test_a_reader_in_another_pid_namespace_reads(
    in_a_namespace: list[str], start_python: Start, play: Play, stream: str
) -> None:
    writer = play(WRITER, name=stream)
    writer.wait_for("opened")
    text = """
import staithe, sys
with staithe.reader(sys.argv[1], timeout=20) as steps:
    print("joined", flush=True)
    print([int(step["x"][()]) for step in steps])
"""
    reader = start_python(text, stream, command=in_a_namespace)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "joined\n", reader.communicate()
    writer.say()
    assert reader.communicate(timeout=20)[0] == "[7]\n"


def test_what_a_process_that_died_in_another_pid_namespace_left_is_removed(
    in_a_namespace: list[str], start_python: Start, stream: str, run_directory: Path
) -> None:
    text = """
import os, staithe, sys
out = staithe.writer(sys.argv[1])
print("opened", flush=True)
sys.stdin.readline()
os._exit(0)  # nobody kills the first process of a namespace from inside
"""
    writer = start_python(text, stream, command=in_a_namespace)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "opened\n"
    left = json.loads(contact_of(run_directory, stream).read_text())["addresses"][0]
    assert (run_directory / left).exists()
    writer.communicate("go\n", timeout=20)
    staithe.writer(stream, readers=0).close()
    assert not (run_directory / left).exists()


def test_doctor_tells_of_contacts_of_other_hosts(elsewhere: Path, run_directory: Path, stream: str) -> None:
    (finding,) = (found for found in diagnose(run_directory, watch_cores=0) if found.kind == "elsewhere")
    assert finding.what == f"sim (pid 4194305 on faraway), which writes '{stream}', cannot be seen from this host"
    assert f"remove {elsewhere}" in finding.advice
    assert stream not in [found["name"] for found in staithe.streams()]
