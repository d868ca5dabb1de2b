"""Streams at servers that have no memory for all that ranks write: they go on, a step after the other."""

from __future__ import annotations

import time

import pytest
from between_hosts import PLACED, WHOLE, serving, steps_of
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


def test_a_server_without_memory_says_so(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    with serving(beta, together | {"STAITHE_LISTEN": "0.0.0.0:0"}, "--memory", "8 MiB"):
        text = """
            import numpy, staithe
            with staithe.writer("melt", timeout=30, readers=0) as out, out.step() as step:
                step.put("T", numpy.zeros(2 << 20))
        """
        errors = alpha.python(text, env=together | PLACED).communicate(timeout=30)[1]
        assert "WriterFailed" in errors and "has no more memory for stream 'melt'" in errors


# Steps of 2 MiB, which no codec makes smaller, as fast as they are taken.
FAST = """
    import numpy, staithe, sys
    with staithe.writer("melt", timeout=30, readers=1, queue_steps=12, overflow=sys.argv[1]) as out:
        for i in range(50):
            with out.step() as step:
                step.put("T", numpy.random.default_rng(i).random(1 << 18))
            print(i, flush=True)
    print("closed", flush=True)
"""
# Holds the first step until it is told to go on.
SLOW = """
    import numpy, staithe, sys
    with staithe.reader("melt", timeout=30) as stream:
        for step in stream:
            T = step["T"][...]
            expected = numpy.random.default_rng(step.index).random(1 << 18)
            assert (T == expected).all()
            print(step.index, flush=True)
            if step.index == 0:
                sys.stdin.readline()
            assert (T == expected).all()
            del T
"""
STATE = """
    import json, subprocess, sys
    said = subprocess.check_output([sys.executable, "-m", "staithe.cli", "servers", "--json"])
    melt = json.loads(said)[0]["streams"]["melt"]
    print(melt["steps"], melt["memory"])
"""


@pytest.mark.parametrize("overflow", ["block", "drop-oldest", "drop-newest", "keep-every-3"])
def test_a_slow_reader_fills_the_servers_memory(hosts: list[Host], together: dict[str, str], overflow: str) -> None:
    """The queue has room for more than that: the writer waits for the reader, unless it may lose steps."""
    alpha, beta, gamma = hosts
    with serving(beta, together | {"STAITHE_LISTEN": "0.0.0.0:0"}, "--memory", "16 MiB"):
        writer = alpha.python(FAST, overflow, env=together | PLACED)
        reader = gamma.python(SLOW, env=together)
        assert line_of(reader) == "0"
        assert [line_of(writer) for _ in range(12)] == [str(i) for i in range(12)]
        if overflow == "block":
            steps = memory = 0
            while memory < 12 << 20:
                steps, memory = (int(word) for word in result_of(alpha.python(STATE, env=together)).split())
            assert steps < 12 and memory <= 16 << 20
            assert writer.poll() is None
        assert reader.stdin is not None
        reader.stdin.write("\n")
        reader.stdin.flush()
        read = [0, *steps_of(reader)]
        assert read == sorted(set(read))
        assert overflow != "block" or read == list(range(50))
        assert result_of(writer).split()[-1] == "closed"


# Ranks that each write 2 MiB of a step. All but the first begin when they are told to.
RANK = """
    import numpy, staithe, sys
    rank, ranks, steps = map(int, sys.argv[1:])
    with staithe.writer("melt", timeout=30, group=(rank, ranks), queue_steps=12) as out:
        print("opened", flush=True)
        if rank > 0:
            sys.stdin.readline()
        for i in range(steps):
            with out.step() as step:
                step.put("T", numpy.full((1, 1 << 18), float(i)), offset=(rank, 0), shape=(ranks, 1 << 18))
            print(i, flush=True)
    print("closed", flush=True)
"""


@pytest.mark.parametrize(
    "writers", ["alpha alpha", "alpha gamma alpha", "alpha beta", "beta alpha", "beta beta", "alpha beta beta alpha"]
)
def test_a_rank_that_is_ahead_leaves_room_for_others(hosts: list[Host], together: dict[str, str], writers: str) -> None:
    """The first rank could fill the server, which is on beta, with steps that the others have yet to write."""
    by_name = {host.name: host for host in hosts}
    names = writers.split()
    with serving(by_name["beta"], together | {"STAITHE_LISTEN": "0.0.0.0:0"}, "--memory", "24 MiB"):
        ranks: list[Program] = [
            by_name[name].python(RANK, *map(str, (rank, len(names), 30)), env=together | PLACED)
            for rank, name in enumerate(names)
        ]
        assert [line_of(rank) for rank in ranks] == ["opened"] * len(ranks)
        reader = by_name["gamma"].python(WHOLE, env=together)
        assert [line_of(ranks[0]) for _ in range(3)] == ["0", "1", "2"]
        time.sleep(0.5)  # as far as it comes
        for rank in ranks[1:]:
            assert rank.stdin is not None
            rank.stdin.write("\n")
            rank.stdin.flush()
        assert steps_of(reader) == list(range(30))
        assert [result_of(rank).split()[-1] for rank in ranks] == ["closed"] * len(ranks)


# Writes its stream as fast as it is let.
ONE = """
    import numpy, staithe, sys
    with staithe.writer(sys.argv[1], timeout=30, queue_steps=12) as out:
        print("opened", flush=True)
        for i in range(30):
            with out.step() as step:
                step.put("T", numpy.full(1 << 18, float(i)))
            print(i, flush=True)
    print("closed", flush=True)
"""
# Holds the first step until it is told to go on.
LATE = """
    import staithe, sys
    with staithe.reader(sys.argv[1], timeout=30) as stream:
        for step in stream:
            assert (step["T"][...] == step.index).all()
            print(step.index, flush=True)
            if step.index == 0:
                sys.stdin.readline()
"""


@pytest.mark.parametrize("writers", ["alpha alpha", "beta beta", "alpha beta", "beta alpha", "beta beta alpha alpha"])
def test_streams_wait_for_memory_that_others_have(hosts: list[Host], together: dict[str, str], writers: str) -> None:
    """The first one has filled the server, which is on beta, when the others begin."""
    by_name = {host.name: host for host in hosts}
    names = writers.split()
    with serving(by_name["beta"], together | {"STAITHE_LISTEN": "0.0.0.0:0"}, "--memory", "16 MiB"):
        programs: list[tuple[Program, Program]] = []
        for number, name in enumerate(names):
            writer = by_name[name].python(ONE, f"melt-{number}", env=together | PLACED)
            assert line_of(writer) == "opened"
            programs.append((writer, by_name["gamma"].python(LATE, f"melt-{number}", env=together)))
            if number == 0:
                assert line_of(programs[0][1]) == "0"
                assert [line_of(writer) for _ in range(5)] == ["0", "1", "2", "3", "4"]
                time.sleep(0.5)  # as far as it comes
        time.sleep(0.5)
        for _, reader in programs:
            assert reader.stdin is not None
            reader.stdin.write("\n")
            reader.stdin.flush()
        assert steps_of(programs[0][1]) == list(range(1, 30))
        for _, reader in programs[1:]:
            assert steps_of(reader) == list(range(30))
        assert [result_of(writer).split()[-1] for writer, _ in programs] == ["closed"] * len(programs)
