"""A process that is stopped (SIGSTOP) is neither dead nor well: others are told who keeps them waiting; when it goes
on, all goes on."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from fork_server import Child

import staithe

Play = Callable[..., Child]

READER = """
    reader = staithe.reader(name, program="slowpoke")
    tell("joined")
    for step in reader:
        tell("got", int(step["x"][()]))
"""
WRITER = """
    with staithe.writer(name, queue_steps=3) as out:
        tell("opened")
        for number in range(count):
            with out.step() as step:
                step.put("x", number)
            tell("wrote", number)
            if number == pause_after:
                stage.wait_for_word()
"""

STAYS = """
    with staithe.writer(name):
        tell("opened")
        stage.wait_for_word()
"""


def write_until_full(out: staithe.Writer, number: int) -> tuple[int, str]:
    """Writes steps from `number` on until the queue stays full; the next number, and what was said."""
    for next_number in range(number, number + 100):
        try:
            step = out.step(timeout=0.5)
        except staithe.Timeout as timeout:
            return next_number, str(timeout)
        with step:
            step.put("x", next_number)
    raise AssertionError("the queue has no bound")


def test_a_stopped_reader(play: Play, stream: str) -> None:
    reader = play(READER, name=stream)
    with staithe.writer(stream, queue_steps=2) as out:
        with out.step() as step:
            step.put("x", 0)
        reader.wait_for("got", 0)
        reader.stop()
        number, message = write_until_full(out, 1)
        assert re.search(rf"slowpoke.*rank 0.*pid {reader.pid} on .* 2 steps", message)
        (described,) = staithe.describe(stream)["readers"]
        assert (described["program"], described["pid"], described["lag"]) == ("slowpoke", reader.pid, 2)
        reader.resume()
        for more in range(number, number + 20):
            with out.step() as step:
                step.put("x", more)
    reader.wait()
    assert [event.details[0] for event in reader.all("got")] == list(range(number + 20))
    assert reader.has("done")


def test_another_group_gets_its_steps_beside_a_stopped_one(play: Play, stream: str) -> None:
    stopped = play(READER, name=stream)
    with staithe.writer(stream, queue_steps=4, readers=2) as out, staithe.reader(stream) as other:
        stopped.wait_for("joined")
        stopped.stop()
        for number in range(4):
            with out.step() as step:
                step.put("x", number)
            assert next(other)["x"][()] == number
        stopped.resume()
    assert len(stopped.wait().all("got")) == 4


def test_a_stopped_writer(play: Play, stream: str) -> None:
    writer = play(WRITER, name=stream, count=6, pause_after=1)
    reader = staithe.reader(stream)
    assert [int(next(reader)["x"][()]) for _ in range(2)] == [0, 1]
    writer.stop()
    with pytest.raises(staithe.Timeout, match=rf"after 2 steps: .*pid {writer.pid} on "):
        reader.next(timeout=0.3)
    with pytest.raises(staithe.Timeout, match=rf"pid {writer.pid} on .*0.3 s"):
        staithe.reader(stream, timeout=0.3, program="late")
    with pytest.raises(staithe.AlreadyExists, match=f"pid {writer.pid} on "):
        staithe.writer(stream)
    with pytest.raises(staithe.Timeout, match=f"pid {writer.pid} on "):
        staithe.describe(stream, timeout=0.3)
    assert stream not in [found["name"] for found in staithe.streams()], "it does not answer"
    writer.resume()
    writer.say()
    assert [int(step["x"][()]) for step in reader] == [2, 3, 4, 5]
    writer.wait_for("done")


def test_a_stopped_writer_rank(play: Play, stream: str) -> None:
    rank = """
        with staithe.writer(name, group=(rank, 2), queue_steps=2, timeout=timeout) as out:
            for number in range(8):
                with out.step() as step:
                    step.put("x", [number], offset=rank, shape=2)
                tell("wrote", number)
                if (rank, number) == (1, 2):
                    stage.wait_for_word()
    """
    zero = play(rank, name=stream, rank=0, timeout=1.0)
    one = play(rank, name=stream, rank=1, timeout=30.0)
    reader = staithe.reader(stream)
    assert [next(reader)["x"][...].tolist() for _ in range(3)] == [[n, n] for n in range(3)]
    one.stop()
    with pytest.raises(staithe.Timeout, match="no step came"):
        reader.next(timeout=0.3)
    kind, message = zero.wait_for("raises").details
    assert kind == "Timeout"
    assert re.search(rf"writer rank 1, \S+ \(pid {one.pid} on .* has not ended step 3", message)
    one.resume()


def test_leaving_a_stopped_writer_waits_at_most_the_timeout(play: Play, stream: str) -> None:
    writer = play(WRITER, name=stream, count=2, pause_after=1)
    reader = staithe.reader(stream, timeout=0.5)
    view = next(reader)["x"][...]
    writer.wait_for("wrote", 1)
    writer.stop()
    reader.close()
    assert view == 0
    writer.resume()
    writer.say()
    writer.wait_for("done")


@pytest.fixture
def deaf_writer(play: Play, stream: str, run_directory: Path) -> Child:
    """A stopped writer that so many have tried to connect to that the kernel lets no more wait."""
    writer = play(STAYS, name=stream)
    writer.wait_for("opened")
    (address,) = run_directory.glob(f"{writer.pid}.*.socket")
    writer.stop()
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as caller:
            try:
                caller.connect(str(address))  # it stays in the queue when the caller is gone
            except BlockingIOError:
                return writer


CALL = """
    try:
        call(name)
    except staithe.Error as error:
        tell(type(error).__name__, str(error))
"""


@pytest.mark.parametrize("function", ["reader", "describe"])
def test_connecting_to_a_stopped_writer_ends_with_the_timeout(
    play: Play, stream: str, deaf_writer: Child, function: str
) -> None:
    caller = play(CALL.replace("call(name)", f"staithe.{function}(name, timeout=1)"), name=stream)
    message = caller.wait_for("Timeout").details[0]
    assert re.search(rf"pid {deaf_writer.pid} on .*does not answer.*1 s", message), message
    assert f"kill -CONT {deaf_writer.pid}" in message


def test_a_name_is_taken_though_its_stopped_writer_cannot_be_connected_to(
    play: Play, stream: str, deaf_writer: Child
) -> None:
    caller = play(CALL.replace("call(name)", "staithe.writer(name)"), name=stream)
    assert f"pid {deaf_writer.pid} on" in caller.wait_for("AlreadyExists").details[0]
