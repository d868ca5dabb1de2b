"""Recorders that are killed, and disks that fill."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr

import staithe
from thoroughness import SEED, examples

# Steps of a stream of its own process, as fast as they can be recorded; each is told once it is on disk.
RECORDS = """
import sys
import numpy as np
import staithe
with staithe.writer("killed") as out, staithe.reader("killed") as live:
    with staithe.Recorder(sys.argv[1], resume=True) as recorder:
        i = 0 if recorder.newest is None else recorder.newest + 1
        while True:
            with out.step() as step:
                step.attrs["i"] = step.index
                step.put("x", np.full((40, 50), float(step.index)))
                step.put("in/y", np.full(3, step.index))
            got = next(live)
            if got.index >= i:
                recorder.append(got)
                print(got.index, flush=True)
"""


def check(path: Path, least: int) -> int:
    """All tools see the same steps, at least so many; how many there are."""
    data = xarray.open_zarr(path)
    steps = data.sizes["step"]
    assert steps >= least
    assert {sizes[0] for sizes in (data["x"].shape, data["step"].shape, data["step_attributes"].shape)} == {steps}
    np.testing.assert_array_equal(data["x"].values[:, 39, 49], np.arange(steps))
    store = zarr.open_group(path, mode="r")
    np.testing.assert_array_equal(np.asarray(store["in/y"])[:, 2], np.arange(steps))
    read = [(step.index, step.attrs["i"], float(step["x"][0, 0])) for step in staithe.reader(str(path))]
    assert read == [(i, i, i) for i in range(steps)]
    return steps


def test_a_recorder_that_is_killed_leaves_all_that_it_has_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    path = tmp_path / "x.zarr"
    there = 0
    for _ in range(examples(25)):
        with subprocess.Popen([sys.executable, "-c", RECORDS, str(path)], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            acknowledged = int(child.stdout.readline())  # it has begun
            time.sleep(chance.uniform(0, 0.2))
            child.send_signal(signal.SIGKILL)
            acknowledged = max([acknowledged, *(int(line) for line in child.stdout if line.endswith("\n"))])
        there = check(path, max(there, acknowledged + 1))


def test_a_store_that_grows_is_always_whole_for_who_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    with subprocess.Popen([sys.executable, "-c", RECORDS, str(path)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        seen = 0
        for _ in range(examples(200)):
            data = xarray.open_zarr(path)
            assert data.sizes["step"] == data["x"].shape[0] >= seen
            seen = data.sizes["step"]
            assert float(data["x"][-1, 0, 0]) == seen - 1
        child.send_signal(signal.SIGKILL)
    assert check(path, seen) > 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a disk of its own, which root mounts")
def test_a_full_disk_keeps_the_steps_before(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8M", "none", disk], check=True)
    try:
        path = disk / "x.zarr"
        with staithe.writer("full") as out, staithe.reader("full") as live, staithe.Recorder(path) as recorder:
            for i in range(20):
                with out.step() as step:
                    step.put("x", np.full(1 << 17, float(i)))  # 1 MiB
                if i == 7:  # some memory holds folders and metadata
                    with pytest.raises(staithe.LimitReached, match="step 7 is not in"):
                        recorder.append(next(live))
                    break
                recorder.append(next(live))
            assert recorder.newest == i - 1
            values = [float(step["x"][-1]) for step in staithe.reader(str(path))]
            assert values == list(range(i))
            for chunk in range(3):  # somebody makes room, by what only a test would take
                (path / "x" / f"c.{chunk}.0").unlink()
            with out.step() as step:
                step.put("x", np.full(1 << 17, 99.0))
            recorder.append(next(live))
        last = list(staithe.reader(str(path)))[-1]
        assert (last.index, float(last["x"][5])) == (i + 1, 99.0)
    finally:
        subprocess.run(["umount", disk], check=True)
