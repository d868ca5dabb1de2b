"""Dask's workers read chunks, and put them, each for itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import dask.array
import distributed
import numpy as np
import pytest
import xarray as xr
from space_servers import own_run_directory, serving

import staithe
import staithe.xarray


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    """Of two worker processes, where a server keeps spaces."""
    with own_run_directory(), serving():
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster) as connected:
            yield connected


def test_chunks_are_put_and_read_by_the_workers(client: distributed.Client) -> None:
    space = staithe.space("campaign")
    array = dask.array.arange(40_000, chunks=5_000).reshape(200, 200)
    dataset = xr.Dataset({"T": (("y", "x"), array), "rho": (("y", "x"), array / 2)}, {"y": np.arange(200)})
    assert dataset.staithe.put("campaign") == 0
    assert [version.blocks for version in space.versions("T")] == [8]
    opened = xr.open_dataset("campaign", engine="staithe", chunks={})
    assert opened.T.chunks == ((25,) * 8, (200,))
    assert opened.T.mean() == np.arange(40_000).mean()
    np.testing.assert_array_equal(opened.rho.sel(y=[3, 190]), (np.arange(40_000) / 2).reshape(200, 200)[[3, 190]])

    before = opened.T.sum()
    client.restart()  # new workers, which open the space anew
    assert before == np.arange(40_000).sum()

    (opened.T + 1).to_dataset().staithe.put(space)
    newer = xr.open_dataset("campaign", engine="staithe", chunks={}, version=1)
    assert (newer.T - opened.T).persist().sum() == 40_000


def test_a_task_that_is_run_again_puts_what_is_there(client: distributed.Client) -> None:
    dataset = xr.Dataset({"x": ("x_", dask.array.arange(10, chunks=5))})
    dataset.staithe.put("again", version=3)
    dataset.staithe.put("again", version=3)
    with pytest.raises(staithe.AlreadyExists, match="version 3 of 'x' is complete"):
        (dataset + 1).staithe.put("again", version=3)


def test_errors_of_workers_are_those_of_staithe(client: distributed.Client) -> None:
    space = staithe.space("gone")
    space.put("x", np.arange(4.0))
    opened = xr.open_dataset(space, engine="staithe", chunks={})
    space.remove("x")
    with pytest.raises(staithe.NotFound, match="version 0 of 'x' is not there"):
        opened.load()


def test_what_a_process_keeps_for_itself_is_not_for_workers(client: distributed.Client) -> None:
    space = staithe.space("own", server="")
    space.put("x", np.arange(4.0))
    opened = xr.open_dataset(space, engine="staithe", chunks={})
    with pytest.raises(
        staithe.NotFound, match=r"was kept by process \d+ on .*, for itself alone: start `staithe serve`"
    ):
        opened.load()
    np.testing.assert_array_equal(opened.load(scheduler="threads").x, np.arange(4.0))


def test_staithe_needs_none_of_it() -> None:
    program = "import staithe, sys; print({'xarray', 'dask', 'distributed'} & set(sys.modules))"
    done: Any = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
