"""Dask's workers on two hosts, each beside a server: chunks are put and read by the workers, directly from where the
blocks lie; the host of the scheduler and the client sees none of the data."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import Host, line_of, network, result_of, skip_reason

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

SCHEDULER = "tcp://gamma:8786"

ANALYSIS = """
    import sys
    import dask.array as da
    import numpy as np
    import xarray as xr
    from distributed import Client
    import staithe, staithe.xarray

    with Client(sys.argv[1], timeout=30) as client:
        client.wait_for_workers(2, timeout=60)
        u = da.arange(8_000_000, chunks=500_000, dtype="f8").reshape(16, 500_000)
        xr.Dataset({"u": (("y", "x"), u)}).staithe.put("large")
        opened = xr.open_dataset("large", engine="staithe", chunks={}).u
        assert opened.chunks == ((1,) * 16, (500_000,)), opened.chunks
        assert float(opened.mean()) == (8_000_000 - 1) / 2
        where = client.run(lambda: __import__("os").uname().nodename)
        print(sorted(where.values()))
"""


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", "gamma", shared=tmp_path) as made:
        yield made


def test_workers_of_two_hosts_read_where_the_blocks_lie(hosts: list[Host], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "staithe.cli", "key", str(tmp_path / "key")], check=True, capture_output=True)
    env = {
        "STAITHE_KEY_FILE": str(tmp_path / "key"),
        "STAITHE_ADDRESS": "alpha:7700,beta:7700",
        "STAITHE_TIMEOUT": "30",
    }
    alpha, beta, gamma = hosts
    dask = [sys.executable, "-m"]
    with contextlib.ExitStack() as ends:

        def start(host: Host, command: list[str]) -> subprocess.Popen[str]:
            program = host.popen(command, env=env)
            ends.callback(program.wait)
            ends.callback(program.kill)
            return program

        for rank, host in enumerate((alpha, beta)):
            words = ["serve", "--rank", str(rank), "--size", "2", "--listen", "0.0.0.0:7700"]
            assert "keeps spaces" in line_of(start(host, [sys.executable, "-m", "staithe.cli", *words]))
        start(gamma, [*dask, "distributed.cli.dask_scheduler", "--port", "8786", "--no-dashboard"])
        for host in (alpha, beta):
            words = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path / host.name)]
            start(host, [*dask, "distributed.cli.dask_worker", SCHEDULER, *words])
        before = gamma.received
        analysis = gamma.python(ANALYSIS, SCHEDULER, env=env)
        assert result_of(analysis, timeout=110) == "['alpha', 'beta']"
        assert gamma.received - before < 16_000_000, "64 MB were put and read twice"
