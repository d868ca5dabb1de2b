"""Many readers on another host than a process that may have few descriptors: each gets its turn, or is told why not."""

from __future__ import annotations

import textwrap
import time

import pytest
from between_hosts import rest_of, steps_of
from hosts import Host, Program, line_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

FEW = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"

# Ranks that write rows of which none goes along with its announcement, each for so many reader groups; the last one
# until it is told to end.
RANK = """
    import numpy, select, staithe, sys
    rank, ranks, readers, steps = map(int, sys.argv[1:])
    with staithe.writer("melt", timeout=60, group=(rank, ranks), readers=readers, queue_steps=2) as out:
        print("opened", flush=True)
        i = 0
        while i < steps or (steps == 0 and not select.select([sys.stdin], [], [], 0.001)[0]):
            with out.step() as step:
                step.put("T", numpy.full((1, 20_000), 10.0 * i + rank), offset=(rank, 0), shape=(ranks, 20_000))
            i += 1
    print("closed", flush=True)
"""
# So many processes, which each read so many steps of the last rank: by themselves or as one group, which may have an
# address. Says what went wrong, and how many did well.
READERS = """
    import os, staithe, sys
    count, steps, timeout, *group = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:]
    def read(number):
        options = {"group": (number, count)} if group else {"program": f"reader{number}"}
        options |= {"address": group[1]} if group[1:] else {}
        with staithe.reader("melt", timeout=timeout, **options) as stream:
            for seen, step in enumerate(stream, 1):
                assert (step["T"][-1:] == 10.0 * step.index + step["T"].shape[0] - 1).all()
                if seen == steps:
                    break
    children = []
    for number in range(count):
        children.append(os.fork())
        if children[-1] == 0:
            try:
                read(number)
            except BaseException as error:
                print(f"{type(error).__name__}: {error}\\n", end="", flush=True)
                os._exit(1)
            os._exit(0)
    print(sum(os.waitpid(child, 0)[1] == 0 for child in children), flush=True)
"""
# Joins, and once it is told to reads so many steps, of which each may take so many seconds to come.
GUEST = """
    import staithe, sys
    steps, timeout = int(sys.argv[1]), float(sys.argv[2])
    with staithe.reader("melt", start="next", overflow="latest", timeout=timeout) as stream:
        print("joined", flush=True)
        sys.stdin.readline()
        for _, step in zip(range(steps), stream):
            assert (step["T"][...] == 10.0 * step.index).all()
    print("left", flush=True)
"""


def start_rank(host: Host, together: dict[str, str], *numbers: int, before: str = "", port: int = 0) -> Program:
    rank = host.python(
        before + textwrap.dedent(RANK), *map(str, numbers), env=together | {"STAITHE_LISTEN": f"0.0.0.0:{port}"}
    )
    assert line_of(rank) == "opened"
    return rank


def test_readers_of_a_rank_with_few_descriptors_take_turns(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    ranks = [
        start_rank(alpha, together, 0, 2, 200, 6),
        start_rank(beta, together, 1, 2, 200, 6, before=FEW),
    ]
    readers = gamma.python(READERS, "200", "6", "30", env=together)
    assert rest_of(readers, 120)[0] == "200\n"
    for rank in ranks:
        assert rest_of(rank, 20)[0] == "closed\n"


def test_readers_of_a_director_with_few_descriptors_come_and_go(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = start_rank(alpha, together, 0, 1, 0, 0, before=FEW)
    readers = beta.python(READERS, "200", "3", "60", env=together)
    assert rest_of(readers, 120)[0] == "200\n"
    assert writer.communicate("\n", timeout=20)[0] == "closed\n"


@pytest.mark.parametrize("address", [[], ["alpha:7700"]], ids=["by directory", "by address"])
def test_who_finds_no_descriptor_left_is_told_and_disturbs_nobody(
    hosts: list[Host], together: dict[str, str], address: list[str]
) -> None:
    alpha, beta, gamma = hosts
    writer = start_rank(alpha, together, 0, 1, 0, 0, before=FEW, port=7700)
    guest = gamma.python(GUEST, "100", "2", env=together)
    assert line_of(guest) == "joined"
    crowd = beta.python(READERS, "60", "1", "12", "group", *address, env=together)
    time.sleep(2)
    output, errors = guest.communicate("\n", timeout=20)
    assert output == "left\n", errors
    assert crowd.poll() is None
    *failures, fine = rest_of(crowd, 60)[0].splitlines()
    assert fine == "0" and len(failures) == 60
    full = [failure for failure in failures if "`ulimit -n`" in failure]
    assert full and all("on alpha" in failure or "nobody listens" in failure for failure in full)
    # A director that has so many callers may be too busy to answer one of them; those that are in get no step.
    told = ("no step came", "did not answer", "not all its ranks came")
    others = [failure for failure in failures if failure not in full]
    assert [failure for failure in others if not any(text in failure for text in told)] == []
    assert writer.communicate("\n", timeout=20)[0] == "closed\n"


def test_callers_that_say_nothing_take_no_descriptor_from_who_is_in(
    hosts: list[Host], together: dict[str, str]
) -> None:
    alpha, beta, gamma = hosts
    writer = start_rank(alpha, together, 0, 1, 0, 0, before=FEW, port=7700)
    guest = gamma.python(GUEST, "20", "10", env=together)
    assert line_of(guest) == "joined"  # the writer has opened nothing yet to hand blocks out by
    silent = beta.python(
        """
        import socket, sys
        callers = [socket.create_connection(("alpha", 7700)) for _ in range(100)]
        print("called", flush=True)
        sys.stdin.readline()
        """
    )
    assert line_of(silent) == "called"
    output, errors = guest.communicate("\n", timeout=30)
    assert output == "left\n", errors
    silent.communicate("\n", timeout=10)
    assert writer.communicate("\n", timeout=20)[0] == "closed\n"


def test_a_reader_with_few_descriptors_asks_a_few_ranks_at_a_time(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writers = beta.python(
        """
        import numpy, staithe, threading
        def be(rank):
            with staithe.writer("melt", group=(rank, 80), timeout=60) as out:
                for i in range(3):
                    with out.step() as step:
                        step.put("T", numpy.full((1, 20_000), 100.0 * i + rank), offset=(rank, 0), shape=(80, 20_000))
        ranks = [threading.Thread(target=be, args=(rank,)) for rank in range(1, 80)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
        print("closed", flush=True)
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    first = alpha.python(
        """
        import numpy, staithe
        with staithe.writer("melt", group=(0, 80), timeout=60) as out:
            for i in range(3):
                with out.step() as step:
                    step.put("T", numpy.full((1, 20_000), 100.0 * i), offset=(0, 0), shape=(80, 20_000))
        print("closed", flush=True)
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    reader = gamma.python(
        FEW
        + textwrap.dedent("""
            import numpy, staithe
            with staithe.reader("melt", timeout=20) as stream:
                for step in stream:
                    assert (step["T"][...] == 100.0 * step.index + numpy.arange(80.0).reshape(80, 1)).all()
                    print(step.index, flush=True)
        """),
        env=together,
    )
    assert steps_of(reader, 60) == [0, 1, 2]
    assert [rest_of(program, 20)[0] for program in (first, writers)] == ["closed\n"] * 2
