"""The life of servers: how they are found, what is said when they are gone, and what they hold at most."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from space_servers import Server, own_run_directory, servers, serving
from standing_still import stop

import staithe


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


def test_a_server_says_what_it_is() -> None:
    with serving("--name", "depot") as server:
        pid = server.process.pid
        assert server.greeting == (
            f"server 'depot' (pid {pid}) keeps spaces for programs of this user: Ctrl-C ends it\n"
        )
        with staithe.space("campaign") as space:
            assert re.fullmatch(rf"server 'depot', .* \(pid {pid} on .*\)", space.kept_by)
            space.put("x", np.zeros(10))
            [described] = servers()
        assert (described["name"], described["pid"], described["host"]) == ("depot", pid, os.uname().nodename)
        assert described["spaces"] == {"campaign": {"variables": 1, "versions": 1, "blocks": 1, "bytes": 80}}
        assert described["memory"] >= 80
        assert described["clients"] >= 1


def test_without_a_server_this_process_keeps_it() -> None:
    with staithe.space("campaign") as space:
        assert space.kept_by == "this process"
    assert servers() == []
    with pytest.raises(staithe.NotFound, match=r"no server 'depot' in .*: start it with `staithe serve --name depot`"):
        staithe.space("campaign", server="depot")


def test_one_of_several_has_to_be_named() -> None:
    with serving("--name", "a"), serving("--name", "b"):
        with pytest.raises(staithe.InvalidArgument, match=r"2 servers here, 'a' and 'b' among them: .* \(server=\)"):
            staithe.space("campaign")
        with staithe.space("campaign", server="a") as first, staithe.space("campaign", server="b") as second:
            first.put("x", 1)
            assert second.names() == []
        with staithe.space("campaign", server="") as own:
            assert own.kept_by == "this process"
        assert [server["name"] for server in servers()] == ["a", "b"]


def test_a_name_belongs_to_one_server() -> None:
    with serving() as server:
        second = Server()
        assert not second.is_up
        code, errors = second.ends()
        assert code == 1
        assert "staithe" in errors
        assert f"pid {server.process.pid}" in errors
        assert "Traceback" not in errors
        with staithe.space("campaign") as space:
            space.put("x", 1)


def test_a_signal_ends_it_whichever_thread_it_reaches() -> None:
    with serving() as server:
        pid = server.process.pid
        others = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir() if int(task.name) != pid]
        assert others
        ctypes.CDLL(None).tgkill(pid, others[0], signal.SIGTERM)
        assert server.ends() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_leaves_nothing(directory: Path, number: int) -> None:
    with serving() as server:
        files = list(directory.iterdir())
        assert files
        with staithe.space("campaign") as space:
            space.put("x", np.zeros(1000))
            server.process.send_signal(number)
            assert server.ends() == (0, "")
            with pytest.raises(staithe.PeerLost):
                space.get("x")
        assert [file for file in files if file.exists()] == []
    assert servers() == []


def test_a_server_that_was_killed_is_missed() -> None:
    with serving() as server:
        space = staithe.space("campaign")
        space.put("x", np.arange(100_000))
        space.put("y", [1, 2], offset=0, shape=4)
        whole, part = space.get("x"), space.get("x", box=staithe.Box([5], [10]))
        server.kill()
        said = (
            rf"server 'staithe', .* \(pid {server.process.pid} on .*\) is gone, and what it kept in memory with it: "
            r"start it again \(`staithe serve`\), and open the space anew"
        )
        for call in (
            lambda: space.put("z", 1),
            lambda: space.get("x"),
            space.names,
            lambda: space.versions("x"),
            lambda: space.remove("x"),
            lambda: space.keep("x", 1),
        ):
            with pytest.raises(staithe.PeerLost, match=said):
                call()
        np.testing.assert_array_equal(whole, np.arange(100_000))
        np.testing.assert_array_equal(part, np.arange(5, 15))
    with serving(), staithe.space("campaign", server="staithe") as again:
        assert again.names() == []
        again.put("x", 5)
        assert again.get("x") == 5
    np.testing.assert_array_equal(whole, np.arange(100_000))


def test_nobody_waits_longer_for_a_server_that_is_stopped_than_he_wanted_to() -> None:
    """It is asked what became of the call, and need not answer that either."""
    with serving() as server, staithe.space("campaign", timeout=2) as space:
        space.put("x", np.arange(3))
        stop(server.process.pid)
        calls: list[Callable[[], object]] = [
            lambda: space.get("x", timeout=0.2),
            lambda: space.get("y", timeout=0.2),
            lambda: space.put("x", np.zeros(1 << 17)),
            lambda: space.lock("x", timeout=0.2).__enter__(),
        ]
        with ThreadPoolExecutor(len(calls)) as pool:
            for future in [pool.submit(call) for call in calls]:
                with pytest.raises(staithe.Error, match=rf"pid {server.process.pid} .*stopped.*kill -CONT"):
                    future.result(timeout=30)
        server.process.send_signal(signal.SIGCONT)
        assert (space.get("x") == [0, 1, 2]).all()
        with space.lock("x"):  # nobody else has it
            assert [version.number for version in space.versions("x")] == [0]


def test_memory_has_a_limit() -> None:
    with serving("--memory", "64MiB"), staithe.space("campaign", timeout=0.5) as space:
        block = np.zeros(1 << 20)  # 8 MiB

        def fill() -> None:
            for _ in range(64):
                space.put("x", block)

        with pytest.raises(
            staithe.LimitReached,
            match=r"waited 0.5 s: server 'staithe' has no room for 8388608 bytes of 'x'; it holds [\d.]+ MB of the 67."
            r"1 MB that it may: [\d.]+ MB in \d versions? of 'x' in space 'campaign'. Remove versions",
        ):
            fill()
        put = len(space.versions("x"))
        assert 0 < put <= 8
        assert servers()[0]["memory"] <= 64 << 20
        space.remove("x", 0)
        assert space.put("x", block) == put
        np.testing.assert_array_equal(space.get("x"), block)
        with pytest.raises(staithe.LimitReached, match=r"no room for 134217728 bytes of 'y': it may hold 67.1 MB"):
            space.put("y", np.zeros(16 << 20))


def test_a_put_waits_for_room() -> None:
    with serving("--memory", "64MiB"), staithe.space("campaign") as space:
        blocks = [np.full(1 << 20, i) for i in range(64)]  # of 8 MiB

        def put_all() -> None:
            for i in range(64):
                space.put("x", blocks[i], version=i)

        putting = threading.Thread(target=put_all)
        putting.start()
        for i in range(64):
            np.testing.assert_array_equal(space.get("x", version=i), blocks[i])
            space.remove("x", i)
        putting.join()


def test_small_puts_wait_for_room_as_well() -> None:
    with (
        serving("--memory", "8MB"),
        staithe.space("campaign", timeout=0.5) as hasty,
        staithe.space("campaign") as space,
    ):

        def fill() -> None:
            for i in range(20_000):
                hasty.put("x", np.full(128, i), version=i)

        with pytest.raises(
            staithe.LimitReached, match=r"waited 0\.5 s: server 'staithe' has no room for 1024 bytes of 'x'"
        ):
            fill()
        assert len(space.versions("x")) > 1000
        putting = threading.Thread(target=space.put, args=("x", np.full(128, -1)), kwargs={"version": 30_000})
        putting.start()
        space.remove("x")
        putting.join()
        assert space.get("x", version=30_000).sum() == -128


def test_whoever_waits_for_room_holds_up_nobody_else() -> None:
    with serving("--memory", "64MiB"), staithe.space("campaign") as space:
        space.put("x", np.zeros(5 << 20))  # 40 MiB
        putting = threading.Thread(target=space.put, args=("x", np.ones(5 << 20)))
        putting.start()
        for i in range(20):
            space.put("y", np.full(10_000, i))
            assert space.get("y")[0] == i
        space.remove("x", 0)
        putting.join()
        assert space.get("x")[0] == 1


def test_a_limit_that_is_no_amount_is_refused() -> None:
    server = Server("--memory", "much")
    assert not server.is_up
    code, errors = server.ends()
    assert code != 0
    assert "much" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("5", r"was given 5 B of memory, and needs 1 MB at least: write `--memory 4GB`"),
        ("0", r"was given 0 B of memory"),
        (
            "900TB",
            r"was given 900 TB of memory, and \S.* has \S+ \S+: give it less, such as `--memory \d+MB`",
        ),
    ],
)
def test_memory_that_it_cannot_have_is_refused(memory: str, said: str) -> None:
    server = Server("--memory", memory)
    assert not server.is_up
    code, errors = server.ends()
    assert code == 1
    assert re.search(said, " ".join(errors.split())), errors
    assert "Traceback" not in errors


def test_more_memory_than_its_job_has_is_refused() -> None:
    """Of a control group, as batch systems and containers have them."""
    version_1 = Path("/sys/fs/cgroup/memory")
    top = version_1 if version_1.is_dir() else Path("/sys/fs/cgroup")
    group = top / f"staithe-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        limit = group / ("memory.limit_in_bytes" if top == version_1 else "memory.max")
        if not limit.exists():
            pytest.skip("control groups have no limits of memory here")
        limit.write_text(str(256 * 10**6))
        serve = [sys.executable, "-m", "staithe.cli", "serve", "--memory", "1GB"]
        within = f"echo $$ > {group / 'cgroup.procs'} || exit 77; exec {shlex.join(serve)}"
        done = subprocess.run(["sh", "-c", within], capture_output=True, text=True, timeout=30, check=False)
        if done.returncode == 77:
            pytest.skip(f"no process can be in a control group of its own here: {done.stderr}")
        assert done.returncode == 1
        errors = " ".join(done.stderr.split())
        assert f"was given 1 GB of memory, and {group} has 256 MB: give it less, such as `--memory 192MB`" in errors, (
            errors
        )
    finally:
        group.rmdir()


def test_a_name_that_cannot_be_is_refused() -> None:
    server = Server("--name", "a/b")
    assert not server.is_up
    code, errors = server.ends()
    assert code != 0
    assert "'a/b' is no server name" in errors
    assert "Traceback" not in errors
