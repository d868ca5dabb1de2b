"""A run directory that several hosts or pid namespaces share: nobody takes another's live process for dead."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fork_server import Child
from hosts import Host, line_of, network, pid_inside, result_of, skip_reason

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


@dataclass(frozen=True)
class Writer:
    """A writer on another host: what messages call it, and the file that tells of it."""

    called: str
    contact: Path


def contact_of(run_directory: Path, name: str) -> Path:
    (path,) = run_directory.glob(f"{name}.*contact")
    return path


@pytest.fixture
def hosts(run_directory: Path) -> Iterator[list[Host]]:
    """Two hosts, with which this one shares the run directory."""
    if (reason := skip_reason()) is not None:
        pytest.skip(reason)
    with network("faraway", "beyond", shared=run_directory) as made:
        yield made


@pytest.fixture
def elsewhere(hosts: list[Host], stream: str, run_directory: Path) -> Iterator[Writer]:
    """A writer on the first of them."""
    text = """
        import staithe, sys
        with staithe.writer(sys.argv[1]):
            print("opened", flush=True)
            sys.stdin.readline()
    """
    environment = {"STAITHE_RUN_DIR": str(run_directory), "STAITHE_PROGRAM": "sim"}
    program = hosts[0].python(text, stream, env=environment)
    assert line_of(program) == "opened"
    contact = contact_of(run_directory, stream)
    yield Writer(f"pid {pid_inside(program)} on faraway", contact)
    contact.unlink(missing_ok=True)


def test_a_writer_on_another_host_is_named_and_left_alone(elsewhere: Writer, stream: str) -> None:
    for open_stream in (staithe.reader, staithe.describe):
        with pytest.raises(
            staithe.Error, match=rf"{elsewhere.called}.*does not listen for processes of other hosts"
        ) as raised:
            open_stream(stream, timeout=1.0)
        assert socket.gethostname() in str(raised.value)
        assert not isinstance(raised.value, (staithe.Timeout, staithe.NotFound))
        assert elsewhere.contact.exists()


def test_a_reader_on_a_third_host_is_told_so_too(
    hosts: list[Host], elsewhere: Writer, stream: str, run_directory: Path
) -> None:
    text = """
        import staithe, sys
        try:
            staithe.reader(sys.argv[1], timeout=20)
        except staithe.Error as error:
            print(type(error).__name__, error)
    """
    reader = hosts[1].python(text, stream, env={"STAITHE_RUN_DIR": str(run_directory)})
    output = result_of(reader, timeout=15)
    assert elsewhere.called in output and "beyond" in output
    assert not output.startswith(("Timeout", "NotFound"))


def test_the_name_of_a_writer_on_another_host_is_taken(elsewhere: Writer, stream: str) -> None:
    with pytest.raises(staithe.AlreadyExists, match=elsewhere.called) as raised:
        staithe.writer(stream)
    assert f"remove {elsewhere.contact}" in str(raised.value)
    assert elsewhere.contact.exists()
    elsewhere.contact.unlink()
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


def test_doctor_tells_of_contacts_of_other_hosts(elsewhere: Writer, run_directory: Path, stream: str) -> None:
    (finding,) = (found for found in diagnose(run_directory, watch_cores=0) if found.kind == "elsewhere")
    assert finding.what == f"sim ({elsewhere.called}), which writes '{stream}', cannot be seen from this host"
    assert f"remove {elsewhere.contact}" in finding.advice
    assert stream not in [found["name"] for found in staithe.streams()]
