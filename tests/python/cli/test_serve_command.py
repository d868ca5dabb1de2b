"""`staithe serve` starts at once: without what it does not need, and by the options that all commands have."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest
import typer

from staithe.cli.app import app
from staithe.cli.options import Option, plain_values
from staithe.cli.serve_command import OPTIONS
from staithe.workflow.stats import describe_devices


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--memory 4GB", "a device keeps nothing"),
        ("--replicas 2", "a device keeps nothing"),
        ("--name cpu", "cannot be called 'cpu'"),
        ("--name cuda", "cannot be called 'cuda'"),
        ("--name a/b", "a/b"),
        ("--cores 5000", "not 5000"),
    ],
)
def test_a_device_takes_what_makes_sense_of_it(line: str, says: str) -> None:
    command = [sys.executable, "-m", "staithe.cli", "serve", "--device", *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and says in done.stderr.replace("\n", " ")


def test_a_process_is_one_device() -> None:
    program = """
        from staithe import _core
        from staithe.errors import AlreadyExists
        device = _core.open_device("spare")
        try:
            _core.open_device("another")
        except AlreadyExists as error:
            print(error)
        assert [each["name"] for each in _core.describe_devices()] == ["spare"]
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "this process encodes for others already" in done.stdout


def test_a_device_at_a_port_that_is_taken_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "staithe.cli", "serve", "--device", "--listen", place]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = " ".join(done.stderr.split())
    assert done.returncode == 1 and "the port is taken" in said and "encodes for others already" not in said


def test_devices_are_asked_all_at_once() -> None:
    """One that says nothing costs the others nothing."""
    program = (
        "from staithe import _core; import sys; device = _core.open_device(sys.argv[1]); print(flush=True); input()"
    )
    with contextlib.ExitStack() as stack:
        devices = {}
        for name in ("first", "second", "third"):
            command = [sys.executable, "-c", program, name]
            devices[name] = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            assert devices[name].stdout.readline() == "\n"
        for name in ("first", "second"):
            devices[name].send_signal(signal.SIGSTOP)
        try:
            said = {each["name"]: each for each in describe_devices(timeout=2)}
        finally:
            for each in devices.values():
                each.kill()
    assert "error" in said["first"] and "error" in said["second"]
    assert said["third"]["parts"] == 0


def test_who_waits_for_devices_may_interrupt() -> None:
    hangs = "from staithe import _core; device = _core.open_device('silent'); print(flush=True); input()"
    asks = textwrap.dedent("""
        from staithe import _core
        print(flush=True)
        try:
            _core.describe_devices(timeout=1000)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", hangs], **pipes) as silent:
        assert silent.stdout.readline() == "\n"
        silent.send_signal(signal.SIGSTOP)
        try:
            with subprocess.Popen([sys.executable, "-c", asks], **pipes) as asking:
                assert asking.stdout.readline() == "\n"
                time.sleep(0.5)  # it asks by then, most likely
                asking.send_signal(signal.SIGINT)
                said, _ = asking.communicate(timeout=60)
        finally:
            silent.kill()
    assert said == "interrupted\n"


def test_nothing_is_loaded_for_it_that_a_server_does_not_need() -> None:
    large = ("asyncio", "inspect", "logging", "numpy", "rich", "socket", "typer", "typing", "xarray", "yaml")
    program = (
        "import sys; before = {*sys.modules}; sys.argv = ['staithe', 'serve', '--memory=1']; import staithe.cli; "
        f"sys.exit = lambda code: print(code, [name for name in {large} if name in {{*sys.modules}} - before]); "
        "staithe.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "1 []\n"
    assert "--memory 4GB" in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--name a",
        "--name=a",
        "--name=",
        "--name a=b --listen=:7700",
        "--memory 4GiB --spill /tmp/s --spill-bytes 1TB",
        "--cores 1 --replicas 2 --rank 0 --size 2",
        "--name a --name b",
        "--device --name a --cores 1",
    ],
)
def test_plain_command_lines_mean_what_typer_makes_of_them(line: str) -> None:
    serve = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    assert plain_values(OPTIONS, line.split()) == serve.make_context("serve", line.split()).params


@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "-h",
        "a",
        "--name",
        "--name --memory",
        "--name -a",
        "--name a\x1b",
        "--nam a",
        "--cores 0",
        "--device=1",
        "--device yes",
        "--cores 1_0",
        "--cores 01",
        "--cores \u0661",
        "--cores a",
        "--rank -1",
        "--replicas 3",
        "--replicas=",
        "-- --name a",
    ],
)
def test_others_are_left_to_it(line: str) -> None:
    assert plain_values(OPTIONS, line.split(" ")) is None


def test_limits_belong_to_the_numbers() -> None:
    option = Option("n", int, "", least=2, most=3)
    assert [option.plain_value(text) for text in "1234"] == [None, 2, 3, None]
