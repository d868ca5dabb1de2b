"""Streams whose writers and readers run on different hosts, which share a run directory."""

import os
import signal
import time

import pytest
from between_hosts import WRITER, read, rest_of, steps_of, write
from compiled import statfs_shim
from hosts import Host, Program, line_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


def test_a_reader_on_another_host_gets_every_step(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 100)
    assert steps_of(read(beta, together)) == list(range(100))
    assert writer.communicate(timeout=10)[0] == "closed\n"


def test_near_and_far_readers_get_the_same(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 60, "{'readers': 3}")
    readers = [read(host, together, f"{{'program': '{host.name}'}}") for host in (alpha, beta, gamma)]
    for reader in readers:
        assert steps_of(reader) == list(range(60))
    assert writer.wait(timeout=10) == 0


def test_a_writer_waits_for_what_a_far_reader_has_not_fetched(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 1)
    slow = """
        import staithe, sys
        with staithe.reader("melt", timeout=30) as stream:
            step = next(stream)
            print("has it", flush=True)
            sys.stdin.readline()
            assert step["T"][2, 3] == 63.0
    """
    reader = beta.python(slow, env=together)
    assert line_of(reader) == "has it"
    time.sleep(0.5)
    assert writer.poll() is None
    errors = reader.communicate("\n", timeout=20)[1]
    assert reader.returncode == 0, errors
    assert writer.communicate(timeout=10)[0] == "closed\n"


def test_a_reader_may_ask_for_the_newest_alone(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 200)
    got = steps_of(read(beta, together, "{'overflow': 'latest'}"))
    assert got == sorted(set(got)) and got[-1] == 199
    assert writer.wait(timeout=10) == 0


def test_a_killed_writer_is_known_on_other_hosts_at_once(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 10**9)
    reader = read(beta, together)
    assert [line_of(reader) for _ in range(3)] == ["joined", "0", "1"]
    os.kill(writer.pid, signal.SIGKILL)
    errors = reader.communicate(timeout=20)[1]
    assert "PeerLost" in errors and "on alpha" in errors
    assert "died" in errors, "its host says so; of a host that does not answer it would take seconds"


def test_a_killed_reader_does_not_keep_the_writer(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 2000, "{'readers': 2}")
    doomed = read(beta, together, "{'program': 'doomed'}")
    other = read(gamma, together, "{'program': 'other'}")
    assert [line_of(doomed) for _ in range(2)] == ["joined", "0"]
    os.kill(doomed.pid, signal.SIGKILL)
    assert steps_of(other) == list(range(2000))
    assert writer.wait(timeout=10) == 0


def test_a_host_that_is_powered_off_is_known(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    write(alpha, together, 10**9)
    reader = read(beta, together)
    assert [line_of(reader) for _ in range(3)] == ["joined", "0", "1"]
    alpha.unplug()
    unplugged = time.monotonic()
    errors = reader.communicate(timeout=30)[1]
    assert time.monotonic() - unplugged < 12
    assert "on alpha" in errors


def test_a_far_reader_gets_what_was_spilled(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 40, "{'overflow': 'spill', 'queue_steps': 2}")
    assert steps_of(read(beta, together)) == list(range(40))
    assert writer.wait(timeout=10) == 0


# Ranks that each write rows of the same array.
RANK = """
    import numpy, staithe, sys
    rank, ranks, steps, options = *map(int, sys.argv[1:4]), eval(sys.argv[4])
    rows = 24 // ranks
    with staithe.writer("melt", timeout=30, group=(rank, ranks), **options) as out:
        print("opened", flush=True)
        for i in range(steps):
            whole = numpy.arange(24.0 * 30).reshape(24, 30) + i
            with out.step() as step:
                step.put("T", whole[rank * rows : (rank + 1) * rows], offset=(rank * rows, 0), shape=(24, 30))
                step.attrs[f"of {rank}"] = i
    print("closed", flush=True)
"""
WHOLE = """
    import numpy, staithe, sys
    ranks, options = int(sys.argv[1]), eval(sys.argv[2])
    with staithe.reader("melt", timeout=30, **options) as stream:
        for step in stream:
            expected = numpy.arange(24.0 * 30).reshape(24, 30) + step.index
            assert (step["T"][...] == expected).all()
            assert (step["T"][:, 5:9] == expected[:, 5:9]).all()
            assert (step["T"][5:19:3, ::4] == expected[5:19:3, ::4]).all()
            assert all(step.attrs[f"of {rank}"] == step.index for rank in range(ranks))
            print(step.index, flush=True)
"""


def start_ranks(hosts: list[Host], together: dict[str, str], steps: int, options: str = "{}") -> list[Program]:
    ranks = [
        host.python(
            RANK, str(rank), str(len(hosts)), str(steps), options, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"}
        )
        for rank, host in enumerate(hosts)
    ]
    assert [line_of(rank) for rank in ranks] == ["opened"] * len(ranks)
    return ranks


def test_writer_ranks_and_readers_of_all_hosts(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writers = start_ranks([alpha, beta, alpha, beta], together, 50, "{'readers': 3}")
    readers = [host.python(WHOLE, "4", f"{{'program': '{host.name}'}}", env=together) for host in (alpha, beta, gamma)]
    for reader in readers:
        assert steps_of(reader) == list(range(50))
    for writer in writers:
        assert writer.communicate(timeout=10)[0] == "closed\n"


def test_writer_ranks_that_are_threads_of_one_process(hosts: list[Host], together: dict[str, str]) -> None:
    """Each of them is asked for its own blocks, though they are at the same address."""
    alpha, beta, gamma = hosts
    text = """
        import numpy, staithe, sys, threading
        def be(rank):
            with staithe.writer("melt", group=(rank, 3), timeout=30) as out:
                print("opened", flush=True)
                for i in range(5):
                    with out.step() as step:
                        step.put("T", numpy.full((1, 20_000), 10.0 * i + rank), offset=(rank, 0), shape=(3, 20_000))
        ranks = [threading.Thread(target=be, args=(int(rank),)) for rank in sys.argv[1:]]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
    """
    listening = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    writers = [alpha.python(text, "0", env=listening), beta.python(text, "1", "2", env=listening)]
    reader = gamma.python(
        """
        import numpy, staithe
        for step in staithe.reader("melt", timeout=30):
            assert (step["T"][...] == 10.0 * step.index + numpy.arange(3.0).reshape(3, 1)).all()
            print(step.index, flush=True)
        """,
        env=together,
    )
    assert steps_of(reader) == list(range(5))
    assert [writer.wait(timeout=10) for writer in writers] == [0, 0]


def test_a_reader_group_over_hosts(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writers = start_ranks([alpha, beta], together, 30)
    readers = [
        host.python(WHOLE, "2", f"{{'group': ({rank}, 2)}}", env=together) for rank, host in enumerate((beta, gamma))
    ]
    for reader in readers:
        assert steps_of(reader) == list(range(30))
    assert [writer.wait(timeout=10) for writer in writers] == [0, 0]


def test_a_rank_stays_until_readers_of_other_hosts_have_its_blocks(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    near, far = start_ranks([alpha, beta], together, 1)
    reader = alpha.python(
        """
        import staithe, sys
        with staithe.reader("melt", timeout=30) as stream:
            step = next(stream)
            print("has it", flush=True)
            sys.stdin.readline()
            assert step["T"][20, 3] == 603.0
        """,
        env=together,
    )
    assert line_of(reader) == "has it"
    time.sleep(0.5)
    assert near.poll() is None and far.poll() is None
    errors = reader.communicate("\n", timeout=20)[1]
    assert reader.returncode == 0, errors
    assert [near.wait(timeout=10), far.wait(timeout=10)] == [0, 0]


@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_rank_is_named_to_all(hosts: list[Host], together: dict[str, str], killed: int) -> None:
    alpha, beta, gamma = hosts
    writers = start_ranks([alpha, beta], together, 10**9)
    reader = gamma.python(WHOLE, "2", "{}", env=together)
    assert [line_of(reader) for _ in range(2)] == ["0", "1"]
    os.kill(writers[killed].pid, signal.SIGKILL)
    for program in (reader, writers[1 - killed]):
        errors = program.communicate(timeout=15)[1]
        assert "PeerLost" in errors and f"writer rank {killed}" in errors and f"on {hosts[killed].name}" in errors


def test_a_reader_joins_though_a_rank_of_its_host_has_closed_the_stream(
    hosts: list[Host], together: dict[str, str]
) -> None:
    alpha, beta, _ = hosts
    rank = """
        import staithe, sys
        with staithe.writer("melt", group=(int(sys.argv[1]), 2), timeout=30):
            print("opened", flush=True)
        print("closed", flush=True)
    """
    listening = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    director, other = (host.python(rank, str(at), env=listening) for at, host in enumerate((alpha, beta)))
    assert rest_of(other, 20) == ("opened\nclosed\n", "")  # it has written nothing that it could stay for
    assert steps_of(read(beta, together)) == []
    assert rest_of(director, 10) == ("opened\nclosed\n", "")


def test_ranks_that_listen_nowhere_are_named(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    listening = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    ranks = [
        host.python(RANK, str(rank), "2", "1", "{}", env=env)
        for rank, (host, env) in enumerate([(alpha, listening), (beta, together)])
    ]
    assert [line_of(rank) for rank in ranks] == ["opened", "opened"]
    errors = alpha.python(WHOLE, "2", "{}", env=together).communicate(timeout=20)[1]
    assert "writer rank 1 of stream 'melt'" in errors and "on beta" in errors and "STAITHE_LISTEN" in errors
    for rank in ranks:
        rank.kill()


@pytest.mark.parametrize("listen", [{}, {"STAITHE_LISTEN": "off"}])
def test_a_directory_that_hosts_share_needs_no_other_setting(
    hosts: list[Host], together: dict[str, str], listen: dict[str, str]
) -> None:
    alpha, beta, _ = hosts
    on_nfs = together | {"LD_PRELOAD": str(statfs_shim()), "STATFS_SHIM": together["STAITHE_RUN_DIR"]}
    writer = alpha.python(WRITER, "melt", "10", "{}", env=on_nfs | listen)
    assert line_of(writer) == "opened"
    reader = read(beta, on_nfs)
    if listen:
        assert "does not listen for processes of other hosts" in reader.communicate(timeout=20)[1]
        writer.kill()
    else:
        assert steps_of(reader) == list(range(10))
        assert writer.wait(timeout=10) == 0
