"""What is in the way when streams are opened between hosts: what another run has left, or names that nobody knows."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from between_hosts import WRITER, read, rest_of, steps_of, write
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


def start_writer(host: Host, together: dict[str, str]) -> Program:
    """Which may find the name taken."""
    return host.python(WRITER, "melt", "20", "{}", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})


# Two runs in one directory -----------------------------------------------------------------------------------------


def test_of_two_writers_that_come_at_once_one_gets_the_name(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    for _ in range(3):
        writers = {host.name: start_writer(host, together) for host in (alpha, beta)}
        said = {name: line_of(writer) for name, writer in writers.items()}
        (first,) = [name for name, line in said.items() if line == "opened"]
        (second,) = set(said) - {first}
        assert "AlreadyExists" in said[second] and f"on {first})" in said[second], said
        assert steps_of(read(gamma, together)) == list(range(20))
        assert rest_of(writers[first], 10) == ("closed\n", "")


def test_the_next_run_on_the_host_of_one_that_was_killed_takes_its_place(
    hosts: list[Host], together: dict[str, str]
) -> None:
    alpha, beta, _ = hosts
    killed = write(alpha, together, 20)
    killed.kill()
    killed.wait()
    reader = read(beta, together)  # finds a contact of the run before
    with pytest.raises(subprocess.TimeoutExpired):
        reader.wait(1)
    writer = write(alpha, together, 20)
    assert steps_of(reader) == list(range(20))
    assert rest_of(writer, 10) == ("closed\n", "")


def test_what_a_killed_run_has_left_is_named_to_other_hosts_and_removed_by_its_own(
    hosts: list[Host], together: dict[str, str], shared_directory: Path
) -> None:
    alpha, beta, gamma = hosts
    killed = write(alpha, together, 20)
    killed.kill()
    killed.wait()
    remove = f"remove {shared_directory / 'melt.stream.contact'}"
    refused = rest_of(start_writer(beta, together), 10)[1]
    assert "AlreadyExists" in refused and "on alpha)" in refused and remove in refused, refused
    alone = rest_of(read(gamma, together, "{'timeout': 1.5}"), 20)[1]
    assert "Timeout" in alone and "on alpha)" in alone and "nobody listens" in alone and remove in alone, alone
    alpha.run([sys.executable, "-m", "staithe.cli", "ls"], env=together)
    writer = write(beta, together, 20)
    assert steps_of(read(gamma, together)) == list(range(20))
    assert rest_of(writer, 10) == ("closed\n", "")


# Names that nobody looks up ----------------------------------------------------------------------------------------

OPEN = "import staithe; print('opens', flush=True); staithe.reader('another', timeout=3, address={address!r})"
LIST = [sys.executable, "-m", "staithe.cli", "ls", "--address", "nobody.invalid:7700"]


def by_argument(host: Host, together: dict[str, str]) -> Program:
    return host.python(OPEN.format(address="nobody.invalid:7700"), env=together)


def by_variable(host: Host, together: dict[str, str]) -> Program:
    return host.python(OPEN.format(address=None), env=together | {"STAITHE_ADDRESS": "nobody.invalid:7700"})


def by_ls(host: Host, together: dict[str, str]) -> Program:
    return host.popen(LIST, env=together)


@pytest.mark.parametrize("start", [by_argument, by_variable, by_ls])
def test_a_name_server_that_does_not_answer_keeps_nobody_for_long(
    hosts: list[Host], together: dict[str, str], start: Callable[[Host, dict[str, str]], Program]
) -> None:
    beta = hosts[1]
    write(hosts[0], together, 1)  # so that there is a key
    beta.lose_name_server()
    errors = rest_of(start(beta, together), 30)[1]
    assert "nobody.invalid" in errors.splitlines()[-1] and "name server" in errors, errors
    program = start(beta, together)
    if start is not by_ls:
        assert line_of(program) == "opens"
    time.sleep(1.5)
    program.send_signal(signal.SIGINT)
    rest_of(program, 10)
    assert program.returncode != 0


# What somebody in between has recorded -----------------------------------------------------------------------------

# Passes on what comes at port 7700 to the writer's, and keeps what callers say. At a line of its input it says that
# again, each on a connection of its own, and prints whether it is refused. It goes on until the next line.
IN_BETWEEN = """
    import socket, sys, threading
    writer, recorded = ("alpha", 7700), []

    def pass_on(source, sink, kept):
        try:
            while data := source.recv(1 << 16):
                kept += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        while True:
            caller, _ = listening.accept()
            onward = socket.create_connection(writer)
            recorded.append(bytearray())
            for way in ((caller, onward, recorded[-1]), (onward, caller, bytearray())):
                threading.Thread(target=pass_on, args=way, daemon=True).start()

    listening = socket.create_server(("", 7700))
    threading.Thread(target=serve, daemon=True).start()
    print("listens", flush=True)
    sys.stdin.readline()
    for said in [bytes(said) for said in recorded]:
        with socket.create_connection(writer) as again:
            again.settimeout(5)
            became = "refused"
            try:
                again.sendall(said)
                while again.recv(1 << 16):
                    pass
            except ConnectionError:
                pass
            except TimeoutError:
                became = "let in"
        print(became, flush=True)
    print("said again", flush=True)
    sys.stdin.readline()
"""


def test_what_was_recorded_between_the_hosts_of_a_stream_opens_nothing(
    hosts: list[Host], together: dict[str, str], shared_directory: Path
) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 40, "{'readers': 2, 'queue_steps': 50}", listen="0.0.0.0:7700")
    between = gamma.python(IN_BETWEEN)
    assert line_of(between) == "listens"
    alone = {"STAITHE_KEY_FILE": str(shared_directory / "key")}  # whose run directory is its own
    through = "{'address': 'gamma:7700', 'program': 'through'}"
    reader = read(beta, alone, through)
    assert [line_of(reader) for _ in range(41)] == ["joined", *map(str, range(40))]
    print(file=between.stdin, flush=True)
    assert [line_of(between) for _ in range(3)] == ["refused", "refused", "said again"]  # a link and a channel
    members = "import staithe; print([len(group['members']) for group in staithe.describe('melt')['readers']])"
    assert result_of(alpha.python(members, env=together)) == "[1]"
    assert steps_of(read(beta, together)) == list(range(40))
    assert rest_of(reader, 10) == ("", "")
    assert rest_of(writer, 10)[0] == "closed\n"
