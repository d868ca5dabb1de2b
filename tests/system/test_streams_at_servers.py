"""Streams at placement `servers`: they outlive their writers, and what readers get is what was written."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from at_servers import SHAPE, ended, program, read, shell, values, write
from space_servers import Server, own_run_directory, serving

import staithe
import thoroughness


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def read_to_the_loss(stream: str, kind: type[staithe.PeerLost], why: str) -> list[int]:
    """The numbers of the steps that a reader gets of a stream that was not ended well."""
    numbers: list[int] = []

    def read_all() -> None:
        for step in staithe.reader(stream, timeout=20):
            assert np.array_equal(step["x"][...], values(step.index))
            numbers.append(step.index)

    with pytest.raises(kind, match=why):
        read_all()
    return numbers


@pytest.mark.usefixtures("server")
def test_readers_come_when_the_writer_has_gone() -> None:
    writer = program("""
        with staithe.writer("melt", placement="servers") as out:
            for number in range(5):
                with out.step() as step:
                    step.put("x", values(number))
    """)
    ended(writer)
    for _ in range(3):
        assert read("melt") == [0, 1, 2, 3, 4]
    assert read("melt", start=3) == [3, 4]
    assert read("melt", start="next") == []


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("keep", "left"),
    [(1, [9]), (3, [7, 8, 9]), (None, [6, 7, 8, 9]), ("1 B", [9]), (f"{3 * 12 * 7 * 8} B", [7, 8, 9])],
)
def test_the_newest_steps_stay(keep: int | str | None, left: list[int]) -> None:
    reading = threading.Thread(target=read, args=("melt",))
    reading.start()
    write("melt", 10, keep=keep, queue_steps=4)
    reading.join()
    for _ in range(2):
        assert read("melt") == left
    [description] = json.loads(shell("ls", "--json"))
    assert (description["queue"]["steps"], description["kept"]["steps"]) == (0, len(left))


@pytest.mark.usefixtures("server")
def test_none_stays_where_none_is_kept() -> None:
    reading = threading.Thread(target=read, args=("melt",))
    reading.start()
    write("melt", 10, keep=0)
    reading.join()
    assert read("melt") == []


@pytest.mark.usefixtures("server")
def test_kept_steps_take_no_room_in_the_queue() -> None:
    write("melt", 100, keep=20, readers=0, queue_steps=1)
    assert read("melt") == list(range(80, 100))


@pytest.mark.usefixtures("server")
def test_expected_readers_are_waited_for_with_all_steps() -> None:
    with staithe.writer("melt", placement="servers", queue_steps=3, keep=2) as out:
        for number in range(3):
            with out.step() as step:
                step.put("x", values(number))
        with pytest.raises(staithe.Timeout, match="0 of 1 expected reader groups have joined"):
            out.step(timeout=0.1)
    assert read("melt") == [0, 1, 2]
    assert read("melt") == [1, 2]


@pytest.mark.usefixtures("server")
def test_a_writer_may_be_killed_at_any_moment() -> None:
    chance = random.Random(thoroughness.SEED)
    for attempt in range(thoroughness.examples(12)):
        stream = f"melt-{attempt}"
        writer = program(
            """
            out = staithe.writer(sys.argv[1], placement="servers", keep=5)
            print("open", flush=True)
            while True:
                with out.step() as step:
                    step.put("x", values(step.index))
                    step.put("y", np.zeros(300_000))
            """,
            stream,
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        early = threading.Thread(target=read_to_the_loss, args=(stream, staithe.PeerLost, "died after"))
        early.start()
        time.sleep(chance.uniform(0, 0.05))
        writer.kill()
        writer.communicate()
        early.join()
        # Later ones get the newest steps that were complete, and the same loss.
        why = rf"writer rank 0, .*pid {writer.pid} .* died after"
        got = [read_to_the_loss(stream, staithe.PeerLost, why) for _ in range(2)]
        assert got[0] == got[1]
        assert not got[0] or got[0] == list(range(got[0][0], got[0][-1] + 1))
        assert len(got[0]) <= 5


@pytest.mark.usefixtures("server")
def test_who_fails_says_why_to_those_who_come_later() -> None:
    out = staithe.writer("melt", placement="servers")
    with out.step() as step:
        step.put("x", values(0))
    out.fail("the lattice melted")
    for _ in range(2):
        assert read_to_the_loss("melt", staithe.WriterFailed, "the lattice melted") == [0]


@pytest.mark.usefixtures("server")
def test_the_next_writer_replaces_what_is_kept() -> None:
    write("melt", 4, seed=1)
    steps = iter(staithe.reader("melt", timeout=10))
    first = next(steps)
    write("melt", 3, seed=2)
    assert read("melt", seed=2) == [0, 1, 2]
    # Who has begun to read the old one goes on with it.
    assert np.array_equal(first["x"][...], values(0, 1))
    assert [(step.index, bool(np.array_equal(step["x"][...], values(step.index, 1)))) for step in steps] == [
        (1, True),
        (2, True),
        (3, True),
    ]


@pytest.mark.usefixtures("server")
def test_a_live_writer_is_not_replaced() -> None:
    complaint = "stream 'melt' has a live writer, which server 'staithe' serves"
    with staithe.writer("melt", placement="servers", readers=0), pytest.raises(staithe.AlreadyExists, match=complaint):
        staithe.writer("melt", placement="servers")
    write("melt", 1)
    with pytest.raises(staithe.AlreadyExists, match=r"is at server 'staithe', .*: write it with placement='servers'"):
        staithe.writer("melt")


def test_streams_that_have_ended_make_room_for_new_ones(server: Server) -> None:
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (256, 256))
    write("awaited", 1, readers=1)
    for number in range(60):
        write(f"melt-{number}", 1, readers=0)
    assert read("melt-59") == read("awaited") == [0]
    with pytest.raises(staithe.Error):
        staithe.reader("melt-0", timeout=0.1)


@pytest.mark.usefixtures("server")
def test_a_killed_writer_comes_back() -> None:
    writer = program("""
        out = staithe.writer("melt", placement="servers", readers=0)
        for number in range(4):
            with out.step() as step:
                step.put("x", values(number))
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    got: list[int] = []
    reading = threading.Thread(target=lambda: got.extend(read("melt", resume=True)))
    reading.start()
    writer.communicate()
    with staithe.writer("melt", placement="servers", resume=True) as out:
        assert out.next_step == 4
        for number in range(4, 7):
            with out.step() as step:
                step.put("x", values(number))
    reading.join()
    assert got[-3:] == [4, 5, 6]
    assert got == list(range(got[0], 7))
    assert read("melt") == [4, 5, 6]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(("writers", "readers"), [(1, 3), (3, 1), (3, 2)])
def test_groups_of_ranks(writers: int, readers: int) -> None:
    steps = 20

    def write_rank(rank: int) -> None:
        group = (rank, writers)
        bounds = np.linspace(0, SHAPE[0], writers + 1).astype(int)
        with staithe.writer("melt", placement="servers", group=group, queue_steps=3, keep=2) as out:
            for number in range(steps):
                part = values(number)[bounds[rank] : bounds[rank + 1]]
                with out.step() as step:
                    step.put("x", part, offset=(bounds[rank], 0), shape=SHAPE)

    def read_rank(rank: int, seen: list[int]) -> None:
        with staithe.reader("melt", group=(rank, readers), timeout=20) as reader:
            for step in reader:
                assert np.array_equal(step["x"][...], values(step.index))
                seen.append(step.index)

    seen: list[list[int]] = [[] for _ in range(readers)]
    threads = [threading.Thread(target=write_rank, args=(rank,)) for rank in range(writers)]
    threads += [threading.Thread(target=read_rank, args=(rank, seen[rank])) for rank in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [list(range(steps))] * readers
    assert read("melt") == [steps - 2, steps - 1]


@pytest.mark.usefixtures("server")
def test_two_streams_do_not_meet() -> None:
    write("a", 3, seed=1)
    write("b", 5, seed=2)
    assert read("b", seed=2) == [0, 1, 2, 3, 4]
    assert read("a", seed=1) == [0, 1, 2]


def test_a_server_that_is_killed_is_named_at_once(server: Server) -> None:
    out = staithe.writer("melt", placement="servers")
    with out.step() as step:
        step.put("x", values(0))
    reader = staithe.reader("melt", timeout=20)
    held = next(reader)
    name = rf"server 'staithe', .* \(pid {server.process.pid} on .*\), died"
    server.kill()
    began = time.monotonic()
    with pytest.raises(staithe.PeerLost, match=name):
        next(reader)
    with pytest.raises(staithe.PeerLost, match=name), out.step() as step:
        step.put("x", values(1))
    with pytest.raises(staithe.PeerLost, match=name):
        out.close()
    assert time.monotonic() - began < 1
    assert np.array_equal(held["x"][...], values(0))


def test_a_server_that_ends_fails_what_is_written(server: Server) -> None:
    write("done", 2)
    out = staithe.writer("melt", placement="servers")
    with out.step() as step:
        step.put("x", values(0))
    reader = staithe.reader("melt", timeout=20)
    next(reader)
    server.process.send_signal(signal.SIGTERM)
    with pytest.raises(staithe.WriterFailed, match="server 'staithe' was ended while it was written"):
        next(reader)
    with pytest.raises(staithe.WriterFailed, match="server 'staithe' was ended while it was written"):
        out.close()
    assert server.ends()[0] == 0


def test_no_server_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(staithe.NotFound, match=r"no server is in .*: start one with `staithe serve`"):
        staithe.writer("melt", placement="servers", timeout=0.1)


def test_a_server_may_come_a_moment_later() -> None:
    failures: list[BaseException] = []

    def write_at_once() -> None:
        try:
            write("melt", 2)
        except staithe.Error as error:
            failures.append(error)

    writing = threading.Thread(target=write_at_once)
    writing.start()
    with serving():
        writing.join()
        assert failures == []
        assert read("melt") == [0, 1]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"keep": -1}, "-1 steps cannot be kept"),
        ({"keep": 1 << 17}, "131072 steps cannot be kept: give 0 to 65536"),
        ({"keep": "0 B"}, "0 bytes cannot be kept"),
        ({"overflow": "spill"}, "'spill' cannot be had at placement 'servers'"),
        ({"keep": 2, "placement": "producer"}, "only a server keeps steps"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=re.escape(complaint)):
        staithe.writer("melt", **({"placement": "servers"} | options))


@pytest.mark.usefixtures("server")
def test_the_environment_places_a_program() -> None:
    environment = os.environ | {"STAITHE_STREAMS": json.dumps({"melt": {"placement": "servers", "keep_steps": 2}})}
    text = """
        import numpy as np
        import staithe
        with staithe.writer("melt", readers=0) as out:
            assert out.placement == "servers"
            for number in range(6):
                with out.step() as step:
                    step.put("x", np.random.default_rng([0, number]).random((12, 7)))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(text)], check=True, env=environment, timeout=20)
    assert read("melt") == [4, 5]


@pytest.mark.usefixtures("server")
def test_commands_show_what_a_server_has() -> None:
    write("melt", 3)
    assert re.search(r"^staithe +melt +closed +1 +3 +3 +0 +\d", shell("servers"), re.MULTILINE)
    assert re.search(r"stream +melt \(closed, placement servers\)\n.*\n.*\n", shell("show", "melt"))
    assert re.search(r"^server +staithe, has 0 steps for readers to come, 0 B", shell("show", "melt"), re.MULTILINE)
    read("melt")
    assert re.search(r"^server +staithe, has 3 steps for readers to come, 2.02", shell("show", "melt"), re.MULTILINE)
    assert re.search(r"^melt .* servers: staithe", shell("ls"), re.MULTILINE)


@pytest.mark.usefixtures("server")
def test_readers_come_while_the_stream_is_opened_anew() -> None:
    """Whichever of the streams of one name they meet, they read it, or the one that has come in its place."""
    ended = threading.Event()
    seen: list[int] = []
    failures: list[BaseException] = []

    def read_on() -> None:
        while not ended.is_set():
            try:
                with staithe.reader("melt", timeout=20) as reader:
                    seen.extend(step.index for step in reader)
            except BaseException as error:
                failures.append(error)
                return

    with staithe.writer("melt", placement="servers", readers=0) as out, out.step() as step:
        step.put("x", 0)
    readers = [threading.Thread(target=read_on) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(60):
        with staithe.writer("melt", placement="servers", readers=0) as out, out.step() as step:
            step.put("x", 1)
    ended.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert set(seen) == {0}
