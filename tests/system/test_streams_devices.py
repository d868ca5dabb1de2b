"""What goes to readers of other hosts, encoded by another process than the writer's: `staithe serve --device`."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

PLUGIN = Path(__file__).resolve().parents[1] / "python" / "codecs" / "plugins" / "naughty.cpp"

WRITER = """
    import numpy as np, os, staithe, sys
    steps = int(sys.argv[1])
    grid = np.meshgrid(*(np.linspace(0, 1, n) for n in (16, 64, 128)), indexing="ij")
    field = (300 + 40 * np.sin(7 * grid[0]) * np.cos(5 * grid[1]) + 3 * grid[2]).astype("f8")
    with staithe.writer("melt", timeout=60, error="1e-2 abs", queue_steps=2) as out:
        print("opened", flush=True)
        for i in range(steps):
            with out.step() as step:
                step.put("T", field + i)
"""
# Says of each step how it and those before it have come, all within their bound.
READER = """
    import json, numpy as np, staithe, sys
    steps = int(sys.argv[1])
    grid = np.meshgrid(*(np.linspace(0, 1, n) for n in (16, 64, 128)), indexing="ij")
    field = (300 + 40 * np.sin(7 * grid[0]) * np.cos(5 * grid[1]) + 3 * grid[2]).astype("f8")
    with staithe.reader("melt", timeout=60, codec="naughty") as stream:
        for step in stream:
            off = np.abs(step["T"][...] - (field + step.index)).max()
            assert off <= 1e-2, (step.index, off)
            if step.index < steps - 3:  # the writer is still there
                [link] = staithe.describe("melt")["readers"][0]["members"][0]["network"]
            print(json.dumps(link["coded"][0]["ways"] if link["coded"] else []), flush=True)
"""


@pytest.fixture
def moody(together: dict[str, str], shared_directory: Path) -> dict[str, str]:
    """An environment with a codec that is as its process's environment says."""
    library = shared_directory / "naughty.so"
    config = [sys.executable, "-m", "staithe.cli", "config", "--cflags"]
    flags = subprocess.run(config, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    subprocess.run(
        ["c++", "-std=c++17", "-O1", "-shared", "-fPIC", "-DNAUGHTY_AS_TOLD", *flags, PLUGIN, "-o", library], check=True
    )
    return together | {"STAITHE_CODEC_PLUGINS": str(library)}


@contextlib.contextmanager
def device(host: Host, env: dict[str, str], *options: str) -> Iterator[Program]:
    """A device on the host, which has said that it is there."""
    program = host.popen([sys.executable, "-m", "staithe.cli", "serve", "--device", *options], env=env)
    try:
        assert "encodes for programs" in line_of(program)
        yield program
    finally:
        program.kill()
        program.wait()


def start(hosts: list[Host], env: dict[str, str], steps: int) -> Program:
    """A writer on the first host, whose cores take long to encode, and a reader on the second."""
    slow = env | {"NAUGHTY_SECONDS": "0.1", "STAITHE_LISTEN": "0.0.0.0:0"}
    writer = hosts[0].python(WRITER, str(steps), env=slow)
    assert line_of(writer) == "opened"
    return hosts[1].python(READER, str(steps), env=env)


def step_of(reader: Program) -> dict[str, dict[str, int]]:
    """The next step, and the ways that it and those before it have gone, by device."""
    return {way["device"]: way for way in json.loads(line_of(reader))}


def finish(reader: Program) -> dict[str, dict[str, int]]:
    """The ways that all has gone, once all steps have come."""
    *_, last = result_of(reader).splitlines()
    return {way["device"]: way for way in json.loads(last)}


def test_a_device_encodes_what_it_has_sooner(hosts: list[Host], moody: dict[str, str]) -> None:
    with device(hosts[0], moody):
        reader = start(hosts, moody, 40)
        ways = finish(reader)
        assert ways["remote"]["tries"] > ways["cpu"]["tries"] > 0
        assert ways["remote"]["failures"] == 0
        devices = hosts[0].run([sys.executable, "-m", "staithe.cli", "servers"], env=moody)
        [heads, cells] = [line.split() for line in devices.splitlines()]
        assert heads[:5] == ["device", "pid", "cores", "clients", "parts"]
        assert cells[0] == "remote" and int(cells[4]) >= ways["remote"]["tries"]


def test_a_device_of_another_host_has_to_be_named(hosts: list[Host], moody: dict[str, str]) -> None:
    with device(hosts[2], moody, "--listen", "0.0.0.0:7800"):
        assert "remote" not in finish(start(hosts, moody, 20))
        assert finish(start(hosts, moody | {"STAITHE_DEVICES": "gamma:7800"}, 40))["remote"]["tries"] > 10


def test_a_device_that_is_killed_is_done_without(hosts: list[Host], moody: dict[str, str]) -> None:
    """And one that comes in its place is found."""
    with device(hosts[0], moody) as first:
        reader = start(hosts, moody, 400)
        while step_of(reader).get("remote", {"tries": 0})["tries"] < 3:
            pass
        first.kill()
        first.wait()
        killed = step_of(reader)
        while (ways := step_of(reader))["cpu"]["tries"] < killed["cpu"]["tries"] + 3:
            pass
        before = ways["remote"]["tries"]
        with device(hosts[0], moody):
            while step_of(reader)["remote"]["tries"] == before:
                pass
            finish(reader)


def test_a_codec_that_crashes_takes_the_device_along_and_nothing_else(hosts: list[Host], moody: dict[str, str]) -> None:
    with device(hosts[0], moody | {"NAUGHTY_CRASHES": "1"}) as program:
        remote = finish(start(hosts, moody, 40))["remote"]
        assert (remote["tries"], remote["failures"]) == (0, 1)
        assert program.wait(20) == -signal.SIGABRT


def test_a_codec_that_hangs_holds_its_device_and_nothing_else(hosts: list[Host], moody: dict[str, str]) -> None:
    with device(hosts[0], moody | {"NAUGHTY_SECONDS": "1000"}):
        remote = finish(start(hosts, moody, 40))["remote"]
        assert (remote["tries"], remote["failures"]) == (0, 1)


def test_a_codec_that_misses_its_bound_is_put_right(hosts: list[Host], moody: dict[str, str]) -> None:
    """Here, and by a device: the reader looks at all values."""
    wrong = moody | {"NAUGHTY_MISSES": "1"}
    assert finish(start(hosts, wrong, 6))["cpu"]["tries"] > 0
    with device(hosts[0], wrong):
        assert finish(start(hosts, wrong, 40))["remote"]["tries"] > 0


def test_a_device_that_hangs_is_waited_for_once(hosts: list[Host], moody: dict[str, str]) -> None:
    with device(hosts[0], moody) as program:
        reader = start(hosts, moody, 400)
        while step_of(reader).get("remote", {"tries": 0})["tries"] < 3:
            pass
        program.send_signal(signal.SIGSTOP)
        while not (ways := step_of(reader))["remote"]["failures"]:
            pass
        told = hosts[0].run([sys.executable, "-m", "staithe.cli", "transforms", "melt"], env=moody)
        assert "naughty on remote, 1 failed" in told
        program.send_signal(signal.SIGCONT)
        while step_of(reader)["remote"]["tries"] == ways["remote"]["tries"]:
            pass
        assert finish(reader)["remote"]["failures"] == 1
