"""Streams at servers that go on for each other (`--replicas 2`): any one is killed, and no step is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from space_servers import own_run_directory, servers, serving_together

import staithe

WRITES = """
import sys, time
import numpy as np
import staithe
rank, ranks, steps, pause, lends = (float(text) for text in sys.argv[1:])
rank, ranks, steps = int(rank), int(ranks), int(steps)
with staithe.writer("melt", group=(rank, ranks), placement="servers", keep=4, attrs={"of": "tests"}) as writer:
    for number in range(steps):
        with writer.step() as step:
            values = np.arange(40000.0) + 1000 * number + 7 * rank
            where = {"offset": (rank * 40000,), "shape": (ranks * 40000,)}
            if lends:
                with step.loan("x", count=(40000,), **where) as array:
                    array[:] = values
            else:
                step.put("x", values, **where)
            step.put("small", np.array([number]), **({"offset": (rank,), "shape": (ranks,)}))
            step.attrs["number"] = number
        print(number, flush=True)
        time.sleep(pause)
"""

READS = """
import sys, time
import numpy as np
import staithe
rank, ranks, writers, resume = (int(text) for text in sys.argv[1:])
held, longest, last = [], 0.0, time.monotonic()
with staithe.reader("melt", group=(rank, ranks), resume=bool(resume)) as reader:
    for step in reader:
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
        whole = step["x"][...].reshape(writers, 40000)
        expected = np.arange(40000.0) + 1000 * step.index + 7 * np.arange(writers)[:, None]
        np.testing.assert_array_equal(whole, expected)
        np.testing.assert_array_equal(step["small"][...], np.full(writers, step.index))
        assert step.attrs["number"] == step.index
        held = [*held[-1:], step["x"][:10]]  # a view, while servers die
        print(step.index, flush=True)
print("end", longest, flush=True)
"""


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


def directing() -> tuple[int, int]:
    """The ranks of the servers that direct the stream and its twin."""
    listed = [server["streams"] for server in servers()]
    first, second = (next(i for i, streams in enumerate(listed) if name in streams) for name in ("melt", "melt.twin"))
    return first, second


def started(
    start_python: Callable[..., Any], steps: int, pause: float, writers: int, readers: int, **options: int
) -> Any:
    writing = [
        start_python(WRITES, *map(str, (rank, writers, steps, pause, options.get("lends", 0))))
        for rank in range(writers)
    ]
    reading = [
        start_python(READS, *map(str, (rank, readers, writers, options.get("resume", 0)))) for rank in range(readers)
    ]
    return writing, reading


def ended(program: Any) -> str:
    out, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    return str(out)


@pytest.mark.parametrize("which", ["the first", "the second"])
@pytest.mark.parametrize(("writers", "readers", "lends"), [(1, 1, 0), (1, 1, 1), (2, 3, 0)])
@pytest.mark.parametrize("resume", [0, 1])
def test_no_step_is_lost_with_a_server(
    start_python: Callable[..., Any], which: str, writers: int, readers: int, lends: int, resume: int
) -> None:
    steps = 60
    with serving_together(3, "--replicas", "2") as serving:
        writing, reading = started(start_python, steps, 0.005, writers, readers, lends=lends, resume=resume)
        while int(reading[0].stdout.readline()) < steps // 3:
            pass
        first, second = directing()
        assert first != second
        serving[first if which == "the first" else second].kill()
        for program in writing:
            assert ended(program).splitlines()[-1] == str(steps - 1)
        for rank, program in enumerate(reading):
            *numbers, end = ended(program).splitlines()
            assert end.startswith("end")
            first_seen = 0 if rank > 0 else int(numbers[0])
            assert [int(number) for number in numbers] == list(range(first_seen, steps))


@pytest.mark.parametrize("which", ["the first", "the second"])
def test_who_comes_when_the_writer_has_gone_and_a_server_too_gets_what_was_kept(
    start_python: Callable[..., Any], which: str
) -> None:
    with serving_together(2, "--replicas", "2") as serving:
        [writer], _ = started(start_python, 6, 0, 1, 0)
        ended(writer)
        first, second = directing()
        serving[first if which == "the first" else second].kill()
        with staithe.reader("melt", timeout=20) as reader:
            assert dict(reader.attrs) == {"of": "tests"}
            steps = [(step.index, float(step["x"][0])) for step in reader]
        assert steps[-4:] == [(i, 1000.0 * i) for i in range(2, 6)]
