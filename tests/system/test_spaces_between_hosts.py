"""Spaces at a server of another host: everything goes as on one, over the network."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hosts import Host, Program, line_of, network, result_of, skip_reason
from space_servers import flip_a_bit_on_disk_of

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

PORT = 7700
AT_ALPHA = f"alpha:{PORT}"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def hosts(shared: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", shared=shared) as both:
        yield both


@pytest.fixture(scope="module")
def key(shared: Path) -> dict[str, str]:
    """What the programs of both hosts have in their environments: each has a run directory of its own."""
    subprocess.run([sys.executable, "-m", "staithe.cli", "key", str(shared / "key")], check=True, capture_output=True)
    return {"STAITHE_KEY_FILE": str(shared / "key")}


@contextlib.contextmanager
def serving(host: Host, env: dict[str, str], *arguments: str, listen: str = f"0.0.0.0:{PORT}") -> Iterator[Program]:
    """A server that can be found from now on, until the end of the block."""
    command = [sys.executable, "-W", "error", "-m", "staithe.cli", "serve", *arguments, "--listen", listen]
    server = host.popen(command, env=env)
    try:
        assert "keeps spaces" in line_of(server)
        yield server
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def server(hosts: list[Host], key: dict[str, str]) -> Iterator[Program]:
    with serving(hosts[0], key) as program:
        yield program


def test_what_a_server_has_on_disk_is_read_from_another_host(
    hosts: list[Host], key: dict[str, str], tmp_path: Path
) -> None:
    program = """
        import numpy as np
        import staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        values = np.arange(250_000.0).reshape(500, 500)
        for version in range(20):
            space.put("T", values * version, version=version)
        for version in range(20):
            assert (space.get("T", version=version) == values * version).all()
            box = staithe.Box((3, 4), (50, 6))
            assert (space.get("T", version=version, box=box) == values[3:53, 4:10] * version).all()
            assert space.reduce("T", "max", version=version) == values.max() * version
        print("well")
    """
    with serving(hosts[0], key, "--memory", "10MB", "--spill", str(tmp_path)):
        assert result_of(hosts[1].python(program, AT_ALPHA, env=key)) == "well"


def test_damage_on_the_disk_is_told_to_other_hosts(hosts: list[Host], key: dict[str, str], tmp_path: Path) -> None:
    """Be it fetched or reduced where it lies; the rest is given."""
    put = """
        import numpy as np
        import staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        for version in range(20):
            space.put("T", np.arange(250_000.0) * (version + 1), version=version)
        print("put")
    """
    get = """
        import numpy as np
        import staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        for version in range(20):
            read = lambda: space.get("T", version=version), lambda: space.reduce("T", "max", version=version)
            for each, expected in zip(read, (np.arange(250_000.0) * (version + 1), 249_999.0 * (version + 1))):
                try:
                    assert (each() == expected).all()
                except staithe.ProtocolError as error:
                    assert version == 0, error
                    for words in ("version 0 of 'T'", "the spill file of server 'staithe' is damaged", "put it again"):
                        assert words in str(error), error
                else:
                    assert version > 0
        assert (space.get("T", version=0, box=staithe.Box((7,), (1000,))) == np.arange(7.0, 1007)).all()
        print("well")
    """
    with serving(hosts[0], key, "--memory", "10MB", "--spill", str(tmp_path)) as server:
        assert result_of(hosts[1].python(put, AT_ALPHA, env=key)) == "put"
        assert flip_a_bit_on_disk_of(server.pid, np.arange(250_000.0))
        assert result_of(hosts[1].python(get, AT_ALPHA, env=key)) == "well"


@pytest.mark.usefixtures("server")
def test_arrays_are_reduced_where_they_lie(hosts: list[Host], key: dict[str, str]) -> None:
    """What crosses the network is what becomes of the blocks."""
    program = """
        import numpy as np
        import staithe, sys
        def received():
            lines = open("/proc/net/dev").read().split("\\n")
            return sum(int(line.split(":")[1].split()[0]) for line in lines if ":" in line and "lo:" not in line)
        space = staithe.space("campaign", server=sys.argv[1])
        T = np.random.default_rng(0).random((1000, 2000))
        for row in range(0, 1000, 250):
            block = T[row : row + 250] if row % 500 else np.asfortranarray(T[row : row + 250])
            space.put("T", block, offset=(row, 0), shape=T.shape, version=0)
        before = received()
        for how in ("sum", "mean", "min", "max"):
            for axis in (None, 0, 1, (0, 1)):
                np.testing.assert_allclose(space.reduce("T", how, axis=axis), getattr(np, how)(T, axis=axis), 1e-12)
        box = staithe.Box((100, 7), (400, 1990))
        part = T[100:500, 7:1997]
        np.testing.assert_allclose(space.reduce("T", "max", axis=0, box=box), part.max(0))
        assert received() - before < 1_000_000, received() - before
        np.testing.assert_array_equal(space.reduce("T", "sum", axis=()), T)
        for dtype in ("?", "i1", "u2", "i8", "f2", "f16", "c16"):
            space.put("x", T.astype(dtype))
            with np.errstate(all="ignore"):
                wanted = T.astype(dtype).astype("f8" if dtype == "f2" else dtype).sum()
            np.testing.assert_allclose(space.reduce("x", "sum"), wanted, 1e-12)
        print("well")
    """
    assert result_of(hosts[1].python(program, AT_ALPHA, env=key)) == "well"


@pytest.mark.parametrize("cores", ["1", "3"])
def test_programs_share_the_cores_of_a_server(hosts: list[Host], key: dict[str, str], cores: str) -> None:
    """More programs than cores, each of which gets and puts; a reduction takes none of them away."""
    program = """
        import numpy as np
        import staithe, sys
        number = int(sys.argv[2])
        space = staithe.space("campaign", server=sys.argv[1])
        values = np.random.default_rng(number).random((300, 400))
        for version in range(5):
            space.put(f"T{number}", values + version, version=version)
            assert (space.get(f"T{number}", version=version) == values + version).all()
            assert space.reduce(f"T{number}", "max", version=version) == (values + version).max()
        print("well")
    """
    with serving(hosts[0], key, "--cores", cores):
        programs = [hosts[1].python(program, AT_ALPHA, str(number), env=key) for number in range(5)]
        assert [result_of(each) for each in programs] == ["well"] * 5


@pytest.mark.usefixtures("server")
def test_all_that_spaces_do_is_done_from_another_host(hosts: list[Host], key: dict[str, str]) -> None:
    program = """
        import numpy as np
        import staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        assert "on alpha" in space.kept_by, space.kept_by
        T = np.arange(1e6).reshape(1000, 1000)
        assert space.put("T", T, unit="K", run="a12") == 0
        assert (space.get("T") == T).all()
        assert (space.get("T", box=staithe.Box((3, 4), (500, 60))) == T[3:503, 4:64]).all()
        F = np.asfortranarray(T[:30, :40])
        space.put("F", F)
        assert (space.get("F") == F).all()
        space.put("n", 7)
        space.put("none", np.empty((0, 3)))
        assert space.get("n") == 7 and space.get("none").shape == (0, 3)
        space.put("halves", T[:500], offset=(0, 0), shape=T.shape, version=3)
        try:
            space.get("halves", version=3, timeout=0.1)
        except staithe.Timeout as error:
            assert "50" in str(error), error
        space.put("halves", T[400:], offset=(400, 0), shape=T.shape, version=3)
        assert (space.get("halves") == T).all()
        assert sorted(box.count for box in space.blocks("halves")) == [(400, 1000), (600, 1000)]
        hits = space.query("T > 999990 and run == 'a12'")
        assert hits.size == 9 and all((hit.values > 999990).all() for hit in hits)
        with space.lock("T", "write", timeout=5):
            space.put("T", space.get("T") + 1)
        with space.view("T", "write") as view:
            view[0] = -1
        assert (space.get("T")[0] == -1).all() and (space.get("T")[1:] == T[1:] + 1).all()
        with space.view("T") as view:
            assert view[0, 0] == -1
        with space.view("mask", "write", shape=3, dtype="i1") as mask:
            mask[1] = 1
        assert space.get("mask").tolist() == [0, 1, 0]
        space.put("run7/x", [1.0])
        space.set_attributes("run7", owner="kb")
        assert space.containers() == ["run7"] and space.attributes("run7") == {"owner": "kb"}
        assert space.versions("T")[0].attrs["run"] == "a12"
        space.keep("T", 1)
        assert [one.number for one in space.versions("T")] == [2]
        space.remove("T")
        assert "T" not in space.names()
        print("well")
    """
    assert result_of(hosts[1].python(program, AT_ALPHA, env=key)) == "well"
    by_url = program.replace("campaign", "second")
    assert result_of(hosts[1].python(by_url, "staithe://alpha:7700/staithe", env=key)) == "well"
    by_environment = program.replace("campaign", "third").replace(", server=sys.argv[1]", "")
    assert result_of(hosts[1].python(by_environment, env=key | {"STAITHE_ADDRESS": AT_ALPHA})) == "well"


def test_programs_of_both_hosts_see_the_same(hosts: list[Host], key: dict[str, str], server: Program) -> None:
    alpha, beta = hosts
    put = """
        import numpy as np, staithe, sys
        rank, server = int(sys.argv[1]), sys.argv[2]
        space = staithe.space("both", server=server)
        space.put("T", np.full((500, 1000), float(rank)), offset=(500 * rank, 0), shape=(1000, 1000), version=0)
        T = space.get("T", timeout=20)
        assert (T[:500] == 0).all() and (T[500:] == 1).all()
        print("well", flush=True)
    """
    here = alpha.python(put, "0", "staithe", env=key)
    there = beta.python(put, "1", AT_ALPHA, env=key)
    assert result_of(here) == result_of(there) == "well"
    assert server.poll() is None


def test_hosts_that_share_a_run_directory_find_the_server_there(hosts: list[Host], shared: Path) -> None:
    together = {"STAITHE_RUN_DIR": str(shared / "run")}
    looked = """
        import staithe
        with staithe.space("campaign") as space:
            space.put("x", [1.0, 2.0])
            print(space.get("x").tolist(), "on alpha" in space.kept_by)
    """
    with serving(hosts[0], together, listen="0.0.0.0:0"):
        assert result_of(hosts[1].python(looked, env=together)) == "[1.0, 2.0] True"


def test_a_server_that_is_killed_is_lost_at_once_and_named(
    hosts: list[Host], key: dict[str, str], server: Program
) -> None:
    client = hosts[1].python(
        """
        import numpy as np, staithe, sys, threading
        space = staithe.space("campaign", server=sys.argv[1])
        space.put("x", np.ones(1000000))
        assert space.get("x").sum() == 1e6
        print("put", flush=True)
        for call in (
            lambda: space.get("y", timeout=30),
            lambda: space.get("x"),
            lambda: space.put("x", np.ones(1000000)),
            lambda: staithe.space("campaign", server="staithe://alpha:7700/staithe", timeout=0.5),
        ):
            try:
                call()
            except (staithe.PeerLost, staithe.NotFound) as error:
                print(type(error).__name__, error, flush=True)
        """,
        AT_ALPHA,
        env=key,
    )
    assert line_of(client) == "put"
    server.kill()
    for _ in range(3):
        said = line_of(client)
        assert said.startswith("PeerLost server 'staithe'") and "on alpha" in said, said
    said = line_of(client)
    assert said.startswith("NotFound") and AT_ALPHA in said and "staithe serve --listen" in said, said
    assert result_of(client) == ""


def test_nobody_listens_or_has_another_key(hosts: list[Host], key: dict[str, str], shared: Path) -> None:
    opened = """
        import staithe, sys
        try:
            staithe.space("campaign", server=sys.argv[1], timeout=1)
        except staithe.Error as error:
            print(type(error).__name__, error)
    """
    said = result_of(hosts[1].python(opened, "alpha:7711", env=key))
    assert said.startswith("NotFound") and "alpha:7711" in said, said
    said = result_of(hosts[1].python(opened, "nowhere:7711", env=key))
    assert "nowhere" in said, said
    other = shared / "other"
    subprocess.run([sys.executable, "-m", "staithe.cli", "key", str(other)], check=True, capture_output=True)
    with serving(hosts[0], key):
        said = result_of(hosts[1].python(opened, AT_ALPHA, env={"STAITHE_KEY_FILE": str(other)}))
        assert "the same key" in said, said
        said = result_of(hosts[1].python(opened, "staithe://alpha:7700/another", env=key))
        assert said.startswith("NotFound") and "another" in said, said


def test_half_a_put_is_seen_by_nobody_and_its_room_is_used_again(hosts: list[Host], key: dict[str, str]) -> None:
    alpha, beta = hosts
    dying_one = """
        import numpy as np, staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        space.put("small", [1.0])
        print("opened", flush=True)
        space.put("x", np.ones(16 << 20))  # 128 MiB
    """
    after = """
        import numpy as np, staithe, sys
        space = staithe.space("campaign", server="staithe")
        assert space.names() == ["small"], space.names()
        for _ in range(2):
            space.put("y", np.ones(16 << 20))  # there is room for one alone
            assert space.get("y").sum() == 16 << 20
            space.remove("y")
        print("well")
    """
    with serving(alpha, key, "--memory", "200MB"):
        beta.limit(80e6)  # 10 MB a second
        dying = beta.python(dying_one, AT_ALPHA, env=key)
        assert line_of(dying) == "opened"
        began = alpha.received
        while alpha.received < began + (4 << 20):
            assert dying.poll() is None
        dying.kill()
        beta.tc("qdisc del dev eth0 root")
        assert result_of(alpha.python(after, env=key)) == "well"


@pytest.mark.usefixtures("server")
def test_a_slow_put_holds_up_nobody(hosts: list[Host], key: dict[str, str]) -> None:
    alpha, beta = hosts
    beta.limit(80e6)
    slow = beta.python(
        """
        import numpy as np, staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        space.put("small", [1.0])
        print("opened", flush=True)
        space.put("x", np.arange(20e6))  # for 16 s: others are started and through before
        print("put", flush=True)
        """,
        AT_ALPHA,
        env=key,
    )
    assert line_of(slow) == "opened"
    began = alpha.received
    while alpha.received < began + (1 << 20):
        assert slow.poll() is None
    others = """
        import numpy as np, staithe
        space = staithe.space("campaign", server="staithe")
        for i in range(300):
            space.put("y", np.full(1000, i))
            assert (space.get("y") == i).all()
        print(space.names())
    """
    assert result_of(alpha.python(others, env=key)) == "['small', 'y']"  # x was not there yet
    beta.tc("qdisc del dev eth0 root")
    assert line_of(slow) == "put"


@pytest.mark.usefixtures("server")
def test_what_was_lost_with_an_idle_connection_is_sent_again(hosts: list[Host], key: dict[str, str]) -> None:
    cutting = """
        import os, socket, stat
        def cut():  # all connections but the link, which has no SO_KEEPALIVE, as a firewall does
            count = 0
            for name in os.listdir("/proc/self/fd"):
                try:
                    if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                        continue
                except OSError:
                    continue
                with socket.socket(fileno=os.dup(int(name))) as each:
                    is_tcp = each.family in (socket.AF_INET, socket.AF_INET6)
                    if is_tcp and each.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE):
                        each.shutdown(socket.SHUT_RDWR)
                        count += 1
            return count
        import numpy as np, staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        for i in range(3):
            space.put("x", np.full(100000, i))
            assert (space.get("x") == i).all()
            assert cut() >= 2
        print("well")
    """
    assert result_of(hosts[1].python(cutting, AT_ALPHA, env=key)) == "well"


@pytest.mark.usefixtures("server")
def test_what_was_pickled_is_opened_again_by_its_address(hosts: list[Host], key: dict[str, str], shared: Path) -> None:
    file = str(shared / "pickled")
    put = """
        import numpy, pickle, staithe, sys
        space = staithe.space("campaign", server=sys.argv[1])
        space.put("T", numpy.arange(12.0).reshape(3, 4))
        with open(sys.argv[2], "wb") as file:
            pickle.dump(space, file)
    """
    got = """
        import pickle, sys
        with open(sys.argv[1], "rb") as file:
            print(pickle.load(file).get("T")[2].tolist())
    """
    result_of(hosts[0].python(put, AT_ALPHA, file, env=key))
    assert result_of(hosts[1].python(got, file, env=key)) == "[8.0, 9.0, 10.0, 11.0]"


@pytest.mark.usefixtures("server")
def test_servers_are_listed_from_afar(hosts: list[Host], key: dict[str, str]) -> None:
    command = [sys.executable, "-m", "staithe.cli", "servers", "--json", "--address", AT_ALPHA]
    (described,) = json.loads(hosts[1].run(command, env=key))
    assert described["name"] == "staithe" and described["host"] == "alpha" and described["spaces"] == {}
    command = [sys.executable, "-m", "staithe.cli", "servers", "--address", "alpha:7712"]
    assert hosts[1].run(command, env=key) == "no servers at alpha:7712"


def test_a_host_without_power_is_lost_to_who_waits_and_to_who_puts(key: dict[str, str], shared: Path) -> None:
    program = """
        import numpy as np, staithe, sys, threading
        space = staithe.space("campaign", server=sys.argv[1], timeout=50)
        space.put("small", [1.0])

        def waits():
            try:
                space.get("never", timeout=50)
            except staithe.PeerLost as error:
                print("waited:", error, flush=True)

        waiting = threading.Thread(target=waits)
        waiting.start()
        print("opened", flush=True)
        try:
            space.put("x", np.ones(16 << 20))
        except staithe.PeerLost as error:
            waiting.join()
            print("put:", error, flush=True)
    """
    with network("alpha", "beta", shared=shared) as (alpha, beta), serving(alpha, key):
        beta.limit(80e6)
        client = beta.python(program, AT_ALPHA, env=key)
        assert line_of(client) == "opened"
        began = alpha.received
        while alpha.received < began + (1 << 20):
            assert client.poll() is None
        alpha.unplug()
        for way in ("waited:", "put:"):
            said = line_of(client)
            assert said.startswith(f"{way} server 'staithe'") and "on alpha" in said, said
        assert result_of(client) == ""
