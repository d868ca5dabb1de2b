"""Spaces at a server of another host: everything goes as on one, over the network."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import Host, Program, line_of, network, result_of, skip_reason

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


def serve(host: Host, env: dict[str, str], *arguments: str, listen: str = f"0.0.0.0:{PORT}") -> Program:
    """A server that can be found from now on."""
    command = [sys.executable, "-W", "error", "-m", "staithe.cli", "serve", *arguments, "--listen", listen]
    server = host.popen(command, env=env)
    assert "keeps spaces" in line_of(server)
    return server


@pytest.fixture
def server(hosts: list[Host], key: dict[str, str]) -> Iterator[Program]:
    program = serve(hosts[0], key)
    yield program
    program.kill()
    program.wait()


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
        assert [box.count for box in space.blocks("halves")] == [(400, 1000), (600, 1000)]
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
        assert [one.version for one in space.versions("T")] == [2]
        space.remove("T")
        assert "T" not in space.names()
        print("well")
    """
    assert result_of(hosts[1].python(program, AT_ALPHA, env=key)) == "well"
    assert result_of(hosts[1].python(program, "staithe://alpha:7700/staithe", env=key)) == "well"
    by_environment = program.replace("server=sys.argv[1]", "")
    assert result_of(hosts[1].python(by_environment, env=key | {"STAITHE_ADDRESS": AT_ALPHA})) == "well"
