"""Threads of one program that write and read different streams at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from fork_server import Child

import staithe

Play = Callable[..., Child]


def test_threads_put_and_read_at_the_same_time(stream: str) -> None:
    """Half of the threads write a stream of their own, the others read one; a main program writes and reads as well."""
    failures: list[BaseException] = []

    def guarded(work: Callable[[int], None], index: int) -> None:
        try:
            work(index)
        except BaseException as error:
            failures.append(error)

    def write(index: int) -> None:
        with staithe.writer(f"{stream}.{index}", queue_steps=3) as out:
            for number in range(200):
                with out.step() as step:
                    step.put("x", np.full(20_000, number * 100 + index))
                    with step.loan("y", count=100, dtype="i8") as lent:
                        lent[...] = number

    def read(index: int) -> None:
        for step in staithe.reader(f"{stream}.{index}"):
            assert (step["x"][...] == step.index * 100 + index).all()
            assert (step["y"].read(out=np.empty(100, "i8")) == step.index).all()

    threads = [threading.Thread(target=guarded, args=(work, index)) for index in range(4) for work in (write, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_views_die_in_other_threads_while_steps_go_on(stream: str) -> None:
    with staithe.writer(stream, queue_steps=6) as out, staithe.reader(stream) as reader:
        droppers = []
        for number in range(300):
            with out.step() as step:
                step.put("x", np.full(2000, number))
            kept = [next(reader)["x"][...]]

            def drop(views: list[object] = kept, number: int = number) -> None:
                assert (views[0] == number).all()  # type: ignore[attr-defined]
                views.clear()

            del kept
            droppers.append(threading.Thread(target=drop))
            droppers[-1].start()
        for thread in droppers:
            thread.join()
        assert reader.stats()["pinned"] == 1  # the step that was read last
