"""kill -9 everywhere: who dies × at which point of a step's life × how many ranks and groups × what they do when the
queue is full × analyses that run inline × a writer that comes back × all on one host, or apart, drawn at random.

In the long tests all cases run, else a sample with every point, policy and kind of cast (tools/thoroughness.py).
STAITHE_TEST_CASES asks for another number of cases (a list such as "17,60" runs these alone). What must hold is in
kill_verdict.py.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import statistics
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fork_server import ForkServer
from hosts import Host, network, skip_reason
from kill_cases import HOSTS, draw
from kill_roles import PROGRAMS
from kill_runner import Servers, run_case
from kill_verdict import Verdict
from remote_shell import LAUNCHER

from thoroughness import SEED, again, sample

CASES = os.environ.get("STAITHE_TEST_CASES", "")  # the fixtures clear the environment
SHARE = {"reader": 100, "writer": 100, "rank 0": 100, "launcher": 16}
WORDS = ("", "", "step 0", "got 0", "step 5", "got {}")  # of its programs, that the launcher is killed at; "": any time
AT_ONCE = 5  # cases; they mostly wait
# Seconds; what is measured is printed, no test asserts a time. Who closes a stream that has failed stays for up to 4 s
# for readers of other hosts that hold a step; and they hold their last one until the next has come.
GENEROUS = 10.0

pytestmark = pytest.mark.timeout(900)

Run = Callable[[int, Path], Verdict]


def numbers(who: str, apart: bool) -> list[int]:
    if "," in CASES:
        return [int(number) for number in CASES.split(",") if number]
    if CASES:
        return list(range(int(CASES)))
    return sample([kind(who, number, apart) for number in range(SHARE[who])], who)


def kind(who: str, number: int, apart: bool) -> dict[str, Hashable]:
    """What is to be met in a sample."""
    if who == "launcher":
        return {"word": dice_of_launcher(number).choice(WORDS)}
    return draw(who, SEED, number, apart=apart).kind()


@pytest.fixture
def announce(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def print_line(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}", flush=True)

    return print_line


@pytest.fixture
def run_all(
    place: Path, announce: Callable[[str], None], record_property: Callable[[str, object], None]
) -> Callable[..., None]:
    def run(who: str, run_one: Run, *, apart: bool = False) -> None:
        chosen = numbers(who, apart)
        record_property("processes killed at any point", len(chosen))
        run_cases(f"{who}{', hosts apart' if apart else ''}", chosen, run_one, place, announce)

    return run


def run_cases(who: str, chosen: list[int], run: Run, directory: Path, announce: Callable[[str], None]) -> None:
    """Runs the cases, several at once; then fails with what went wrong in any."""
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        verdicts = list(threads.map(lambda number: run(number, directory / f"{number}"), chosen))
    notice = sorted(1000 * seconds for verdict in verdicts for seconds in verdict.notice)
    line = f"kill -9 of a {who}: seed {SEED}, {len(chosen)} cases in {time.monotonic() - began:.0f} s"
    if notice:
        middle, late = statistics.median(notice), notice[int(0.99 * (len(notice) - 1))]
        what = "all was gone" if who.startswith("launcher") else f"{len(notice)} survivors knew"
        line += f"; {what} after {middle:.2f} ms (median), {late:.1f} ms (99 %)"
        line += f", {notice[-1]:.1f} ms (all)"
    if dropped := sum(verdict.dropped for verdict in verdicts):
        line += f"; {dropped} steps were dropped"
    if spilled := sum(verdict.spilled for verdict in verdicts):
        line += f", {spilled} spilled"
    if came_back := sum(verdict.came_back for verdict in verdicts):
        line += f"; {came_back} writers came back"
    announce(line)
    faults = [
        again(f"STAITHE_TEST_CASES={number},") + "\n" + "\n".join(verdict.faults)
        for number, verdict in zip(chosen, verdicts, strict=True)
        if verdict.faults
    ]
    assert not faults, f"{len(faults)} of {len(chosen)} cases:\n\n" + "\n\n".join(faults[:3])
    assert who.startswith("launcher") or not notice or notice[-1] < 1000 * GENEROUS


@pytest.fixture
def place(run_directory: Path) -> Iterator[Path]:
    """A directory for all cases of a test. Its name begins those of their streams. Afterwards no process may hold
    memory of such a stream, nor a file in there, with a name or without, any more."""
    directory = run_directory / f"k{os.getpid()}-{secrets.token_hex(3)}"
    directory.mkdir()
    yield directory
    deadline = time.monotonic() + 10
    while held := holders(f"memfd:staithe:{directory.name}") + holders(f"{directory}/"):
        assert time.monotonic() < deadline, held
        time.sleep(0.1)


def holders(text: str) -> list[str]:
    """Processes that have a descriptor or a mapping of such a name."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                names = [str(entry.readlink()) for entry in (process / "fd").iterdir()]
                names.append((process / "maps").read_text())
            except OSError:
                continue  # it ended just now, or is another user's
            if any(text in name for name in names):
                found.append(f"{process.name}: {(process / 'cmdline').read_text()}")
    return found


@pytest.fixture
def servers(place: Path) -> Iterator[Servers]:
    """One on each of the hosts, which share the place."""
    if reason := skip_reason():
        pytest.skip(reason)
    with network(*HOSTS, shared=place) as hosts:
        made = {host.name: ForkServer(host) for host in hosts}
        yield made
        for server in made.values():
            server.stop()


@pytest.mark.parametrize("who", ["reader", "writer", "rank 0"])
def test_kill_9_of_a_rank_at_any_point(
    who: str, fork_server: ForkServer, place: Path, run_all: Callable[..., None]
) -> None:
    def run(number: int, directory: Path) -> Verdict:
        return run_case({None: fork_server}, draw(who, SEED, number), directory, f"{place.name}.{number}")

    run_all(who, run)


@pytest.mark.parametrize("who", ["reader", "writer", "rank 0"])
def test_kill_9_of_a_rank_at_any_point_between_hosts(
    who: str, servers: Servers, place: Path, run_all: Callable[..., None]
) -> None:
    def run(number: int, directory: Path) -> Verdict:
        return run_case(servers, draw(who, SEED, number, apart=True), directory, f"{place.name}.{number}")

    run_all(who, run, apart=True)


def test_kill_9_of_the_launcher_at_any_point(fork_server: ForkServer, run_all: Callable[..., None]) -> None:
    run_all("launcher", lambda number, directory: launch_and_kill(fork_server, number, directory))


def test_kill_9_of_the_launcher_at_any_point_between_hosts(
    mpi_hosts: list[Host], tmp_path: Path, run_all: Callable[..., None]
) -> None:
    server = ForkServer(mpi_hosts[0])
    try:
        run_all(
            "launcher",
            lambda number, directory: launch_and_kill(
                server, number, tmp_path / directory.name, hosts=["beta", "gamma"]
            ),
            apart=True,
        )
    finally:
        server.stop()


def dice_of_launcher(number: int) -> random.Random:
    return random.Random(f"{SEED} launcher {number}")


def launch_and_kill(server: ForkServer, number: int, place: Path, hosts: Sequence[str] = ()) -> Verdict:
    """A launcher with a writer and two readers, killed before they start, while they do, or in the middle of steps.
    `hosts` are those that the programs run on; else its own."""
    dice = dice_of_launcher(number)
    word = dice.choice(WORDS).format(dice.randrange(60))
    place.mkdir()
    for name, text in PROGRAMS.items():
        (place / f"{name}.py").write_text(text)
    flow = place / "flow.yaml"
    programs = {name: {"command": f"python {file}.py"} for name, file in (("sim", "sim"), ("a", "view"), ("b", "view"))}
    for program in programs.values() if hosts else ():
        program["hosts"] = dice.choice(hosts)
    flow.write_text(json.dumps({"programs": programs, "streams": {"melt": {"from": "sim", "to": ["a", "b"]}}}))
    temporary = place / "t"  # the launcher's directory is made in here
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)} | (LAUNCHER if hosts else {})
    launcher = server.start("kill_roles", "launch", environment=environment, output=True, flow=str(flow))
    verdict = Verdict()
    try:
        while word and not launcher.gone and not any(word in line for line in launcher.lines):
            launcher.read()
        if launcher.gone:
            verdict.faults.append(f"it ended before any program said '{word}'\n{launcher.story()}")
        time.sleep((0.6 if not word else 0.02) * dice.random())
        launcher.kill()
        killed = time.monotonic()
        launcher.wait()
        while left := [*programs_of(str(temporary)), *temporary.iterdir()]:
            if time.monotonic() > killed + 20:
                verdict.faults.append(f"killed after '{word}'; left are {left}\n{launcher.story()}")
                break
            time.sleep(0.005)
        verdict.notice.append(time.monotonic() - killed)
    finally:
        launcher.kill()
    return verdict


def programs_of(temporary: str) -> list[str]:
    """Processes that were started with this TMPDIR."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if f"TMPDIR={temporary}\0".encode() in (process / "environ").read_bytes():
                    found.append(f"{process.name}: {(process / 'cmdline').read_text()}")
            except OSError:
                continue
    return found
