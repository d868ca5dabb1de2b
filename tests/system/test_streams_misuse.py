"""Programs that do not go together: they are told so, by name, and nobody waits in vain."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import numpy as np
import pytest
from fork_server import Child

import staithe

Play = Callable[..., Child]

# A rank of a writer group; `puts` are the keywords and arrays of one step each.
RANK = """
    with staithe.writer(name, group=(rank, size), queue_steps=queue_steps, timeout=timeout) as out:
        tell("opened")
        if gate:
            stage.wait_for_word()
        for number in range(count):
            with out.step() as step:
                step.put("x", np.full(length, number, dtype), offset=offset, shape=shape)
            tell("wrote", number)
"""


def rank(play: Play, name: str, rank: int, **changes: object) -> Child:
    arguments = {"name": name, "rank": rank, "offset": 4 * rank, "length": 4, "shape": 8, "dtype": "f8"}
    options = {"size": 2, "queue_steps": 4, "timeout": 20.0, "count": 2, "gate": False}
    return play(RANK, **(arguments | options | changes))


def test_two_writers_of_one_name(play: Play, stream: str) -> None:
    first = play("with staithe.writer(name, readers=0): tell('opened'); stage.wait_for_word()", name=stream)
    first.wait_for("opened")
    second = play("staithe.writer(name)", name=stream)
    kind, message = second.wait_for("raises").details
    assert kind == "AlreadyExists"
    assert f"pid {first.pid} on " in message
    first.say()
    first.wait_for("done")
    play("with staithe.writer(name, readers=0): pass", name=stream).wait_for("done")


def test_a_reader_without_a_writer(play: Play, stream: str) -> None:
    kind, message = play("staithe.reader(name, timeout=0.3)", name=stream).wait_for("raises").details
    assert kind == "Timeout"
    assert f"no program has opened stream '{stream}' for writing within 0.3 s" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": 9}, r"disagree on the shape of 'x': rank 0 says \(8\), rank 1 says \(9\)"),
        ({"dtype": "f4"}, r"disagree on the dtype of 'x': rank 0 says f8, rank 1 says f4"),
        ({"offset": 2}, r"'x'.*rank 0.*\[0:4\].*rank 1.*\[2:6\].*overlap"),
    ],
)
def test_ranks_that_disagree(play: Play, stream: str, changes: dict[str, object], message: str) -> None:
    rank(play, stream, 0)
    rank(play, stream, 1, **changes)
    with staithe.reader(stream) as reader:
        for _ in range(2):
            with pytest.raises(staithe.InvalidArgument, match=message):
                next(reader)
        assert reader.next() is None


def test_ranks_that_disagree_on_the_number_of_steps(play: Play, stream: str) -> None:
    long = rank(play, stream, 0, count=4)
    rank(play, stream, 1, count=2)
    with staithe.reader(stream) as reader:
        assert [next(reader)["x"][...].tolist() for _ in range(2)] == [[0] * 8, [1] * 8], "the complete steps"
        with pytest.raises(staithe.WriterFailed, match="its ranks went through different numbers of steps"):
            next(reader)
    kind, message = long.wait_for("raises").details
    assert kind == "InvalidArgument"
    assert re.search("rank 1, .* closed after 2 steps", message)


def test_a_rank_that_closed_early_does_not_keep_the_others_waiting(play: Play, stream: str) -> None:
    long = rank(play, stream, 0, count=10, queue_steps=2, gate=True)
    rank(play, stream, 1, count=2, queue_steps=2)
    with staithe.reader(stream) as reader:
        long.say()
        assert [next(reader).index for _ in range(2)] == [0, 1]
        with pytest.raises(staithe.WriterFailed, match=r"rank 1, .* closed after 2 steps"):
            next(reader)
    kind, message = long.wait_for("raises", seconds=10).details  # long before its timeout of 20 s
    assert kind == "InvalidArgument"
    assert re.search("rank 1, .* closed after 2 steps", message)


def test_a_missing_rank(play: Play, stream: str) -> None:
    lonely = rank(play, stream, 0, count=5, queue_steps=2, timeout=1.0)
    lonely.wait_for("opened")
    with pytest.raises(staithe.Timeout, match=rf"pid {lonely.pid} on .*not all its ranks came"):
        staithe.reader(stream, timeout=0.3)
    kind, message = lonely.wait_for("raises").details
    assert kind == "Timeout"
    assert "writer rank 1 has not joined" in message


def test_a_missing_rank_of_a_reader_group(play: Play, stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream, group=(0, 2)) as lonely:
        with out.step() as step:
            step.put("x", 1)
        with pytest.raises(staithe.Timeout):
            lonely.next(timeout=0.3)
        with staithe.reader(stream, group=(1, 2)) as other:
            assert next(lonely)["x"][()] == next(other)["x"][()] == 1


def test_an_exception_abandons_the_step_of_all_ranks(play: Play, stream: str) -> None:
    rank_text = """
        with staithe.writer(name, group=(rank, 2)) as out:
            for number in range(4):
                try:
                    with out.step() as step:
                        step.put("x", [number] * 4, offset=4 * rank, shape=8)
                        if (rank, number) == (1, 2):
                            raise ArithmeticError("diverged")
                except ArithmeticError:
                    pass
    """
    ranks = [play(rank_text, name=stream, rank=number) for number in range(2)]
    with staithe.reader(stream) as reader:
        assert [(step.index, step["x"][...].tolist()) for step in reader] == [(n, [n] * 8) for n in (0, 1, 3)]
    for child in ranks:
        child.wait_for("done")


def test_an_exception_that_ends_the_program_publishes_nothing_of_its_step(play: Play, stream: str) -> None:
    failing = play(
        """
        with staithe.writer(name) as out:
            stage.wait_for_word()  # else the stream could be gone before its reader is there
            for number in range(3):
                with out.step() as step:
                    step.put("x", np.full(1000, number))
                    if number == 2:
                        raise ArithmeticError("diverged")
        """,
        name=stream,
    )
    with staithe.reader(stream) as reader:
        failing.say()
        assert [np.unique(next(reader)["x"][...]).tolist() for _ in range(2)] == [[0], [1]]
        with pytest.raises(staithe.WriterFailed, match="ArithmeticError: diverged"):
            next(reader)
    assert "ArithmeticError: diverged" in failing.wait_for("breaks").details[0]


def test_a_writer_that_becomes_another_program_is_lost(play: Play, stream: str) -> None:
    changed = play(
        """
        import os
        out = staithe.writer(name)
        with out.step() as step:
            step.put("x", 1)
        stage.wait_for_word()
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)"])
        """,
        name=stream,
    )
    with staithe.reader(stream) as reader:
        assert next(reader)["x"][()] == 1
        changed.say()
        with pytest.raises(staithe.PeerLost, match=f"pid {changed.pid} on "):
            next(reader)
    with open_when_free(stream):  # the process lives, but writes nothing any more
        assert stream in [found["name"] for found in staithe.streams()]


def open_when_free(stream: str) -> staithe.Writer:
    """The kernel closes what a program had open one by one: its socket may be the last."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return staithe.writer(stream, readers=0)
        except staithe.AlreadyExists:
            assert time.monotonic() < deadline
            time.sleep(0.001)
