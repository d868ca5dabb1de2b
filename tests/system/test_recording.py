"""Recorders that are killed, and disks that fill."""

from __future__ import annotations

import contextlib
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
from recorded import by_stock_tools

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


def test_a_store_that_grows_and_is_killed_is_always_whole_for_who_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    seen = 0
    for _ in range(examples(20)):
        with subprocess.Popen([sys.executable, "-c", RECORDS, str(path)], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            for _ in range(50):
                data = xarray.open_zarr(path)
                steps = data.sizes["step"]
                assert {len(data[name]) for name in ("x", "step", "step_attributes")} == {steps}
                assert steps >= seen
                assert float(data["x"][-1, 0, 0]) == steps - 1
                seen = steps
            child.send_signal(signal.SIGKILL)
    assert check(path, seen) > 1


# A writer whose stream is a file, as fast as it can; each step is told when it has ended.
WRITES = """
import sys
import numpy as np
import staithe
with staithe.writer(sys.argv[1], resume=True, queue_steps=4) as out:
    while True:
        with out.step() as step:
            step.put("x", np.full((40, 50), float(step.index)))
            step.put("large", np.full(1 << 16, step.index))
        print(step.index, flush=True)
"""


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_writer_to_a_file_that_is_killed_leaves_whole_steps(ending: str, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    path = tmp_path / f"x{ending}"
    there = 0
    for _ in range(examples(25)):
        with subprocess.Popen([sys.executable, "-c", WRITES, str(path)], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert int(child.stdout.readline()) == there  # it goes on behind the last one
            time.sleep(chance.uniform(0, 0.3))
            child.send_signal(signal.SIGKILL)
            ended = max([there, *(int(line) for line in child.stdout if line.endswith("\n"))])
        with by_stock_tools(path) as stock:
            numbers = list(stock["step"].elements)
            assert there <= len(numbers) <= ended + 2  # the last one may have ended untold
            there = len(numbers)
            assert numbers == list(range(there))
            if numbers:
                np.testing.assert_array_equal(stock["x"].elements[:, 39, 49], numbers)
                np.testing.assert_array_equal(stock["large"].elements[:, [0, -1]], np.array([numbers, numbers]).T)


@pytest.mark.parametrize("small_disk", ["8m"], indirect=True)
@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_disk_that_is_full_for_a_while_costs_steps_of_that_while_alone(ending: str, small_disk: Path) -> None:
    path = small_disk / f"x{ending}"
    with staithe.writer(str(path), queue_steps=2) as out:

        def write_step() -> int:
            with out.step() as step:
                step.put("x", np.full(1 << 17, float(step.index)))  # 1 MiB
            return step.index

        with pytest.raises(staithe.LimitReached, match=r"steps? \d.* not in.*make room on that disk"):  # noqa: PT012
            while write_step() < 20:
                pass
            out.close()
        told = out.next_step
        subprocess.run(["mount", "-o", "remount,size=32M", small_disk], check=True)
        for _ in range(3):
            with contextlib.suppress(staithe.LimitReached):  # of those that were in the queue, and the one before them
                write_step()
        last = write_step()
    there = [step.index for step in staithe.reader(str(path)) if (step["x"][...] == step.index).all()]
    assert there[:6] == list(range(6))
    assert 0 < len(set(range(told)) - set(there)) <= 5
    assert there[-1] == last


@pytest.mark.parametrize("small_disk", ["8m"], indirect=True)
@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_a_full_disk_keeps_the_steps_before(ending: str, small_disk: Path) -> None:
    path = small_disk / f"x{ending}"
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
        subprocess.run(["mount", "-o", "remount,size=16M", small_disk], check=True)
        with out.step() as step:
            step.put("x", np.full(1 << 17, 99.0))
        recorder.append(next(live))
    values = [float(step["x"][5]) for step in staithe.reader(str(path))]
    assert values == [*range(i), 99.0]
