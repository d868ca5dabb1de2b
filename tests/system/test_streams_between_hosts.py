"""Streams whose writers and readers run on different hosts, which share a run directory."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from between_hosts import read, steps_of, write
from hosts import Host, line_of, network, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def hosts(run_directory: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", "gamma", shared=run_directory) as made:
        yield made


@pytest.fixture
def together(run_directory: Path) -> dict[str, str]:
    return {"STAITHE_RUN_DIR": str(run_directory)}


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
    killed = time.monotonic()
    errors = reader.communicate(timeout=20)[1]
    assert time.monotonic() - killed < 4
    assert "PeerLost" in errors and "on alpha" in errors


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


def test_what_a_far_reader_cannot_have_is_said(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    write(alpha, together, 2, "{'overflow': 'spill'}")
    errors = read(beta, together).communicate(timeout=20)[1]
    assert "readers of other hosts" in errors and "spills" in errors


def test_a_writer_rank_on_another_host_is_refused(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    group = "staithe.writer('melt', timeout=20, group=({}, 2))"
    first = alpha.python(
        f"import staithe; writer = {group.format(0)}; print('opened', flush=True); input()",
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(first) == "opened"
    second = beta.python(f"import staithe; {group.format(1)}", env=together)
    errors = second.communicate(timeout=15)[1]
    assert "on alpha), on another host" in errors and "writer ranks" in errors
    first.kill()
