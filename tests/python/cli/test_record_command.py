"""`staithe record` and `staithe replay` on streams of other processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from local_arrays import group

import staithe

pytestmark = pytest.mark.timeout(120)

Command = Callable[..., tuple[int, str, str]]

WRITER = """
import json, os, pathlib, sys, time
import numpy as np
import staithe

steps, pause, end = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
with staithe.writer("heat", attrs={"model": "1.0"}) as out:
    for i in range(steps):
        with out.step() as step:
            step.attrs["time"] = 0.5 * i
            step.put("T", np.full((4, 5), float(i)), unit="K")
        time.sleep(pause)
    if end.startswith("dies"):
        recording = pathlib.Path(end.removeprefix("dies with "), "step/zarr.json")
        while not (recording.exists() and json.loads(recording.read_text())["shape"] == [steps]):
            time.sleep(0.01)
        os._exit(3)
"""


@pytest.fixture
def write() -> Iterator[Callable[..., None]]:
    """Starts a writer of so many steps."""
    started: list[subprocess.Popen[bytes]] = []

    def start(steps: int, pause: float = 0.0, end: str = "closes") -> None:
        started.append(subprocess.Popen([sys.executable, "-c", WRITER, str(steps), str(pause), end]))

    yield start
    for process in started:
        process.kill()
        process.wait()


def numbers(path: Path) -> list[tuple[int, float]]:
    """Of the steps that a recording has; and what is in them."""
    with staithe.reader(str(path)) as steps:
        assert dict(steps.attrs) == {"model": "1.0"}
        return [(step.index, float(step["T"][3, 4])) for step in steps]


def test_a_stream_is_recorded_and_replayed(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "heat.zarr"
    write(25)
    code, out, errors = staithe_command("record", "heat", "-o", str(path), "--every", "10")
    assert (code, out, errors) == (0, f"3 steps, 480 B, in {path}\n", "")
    assert numbers(path) == [(0, 0), (10, 10), (20, 20)]
    replay = subprocess.Popen(
        [sys.executable, "-m", "staithe.cli", "replay", str(path), "--as", "again", "--rate", "10"]
    )
    began = time.monotonic()
    with staithe.reader("again") as steps:
        assert dict(steps.attrs) == {"model": "1.0"}
        seen = [(step.attrs["time"], step["T"].unit, float(step["T"][0, 0])) for step in steps]
    assert seen == [(0.0, "K", 0.0), (5.0, "K", 10.0), (10.0, "K", 20.0)]
    assert time.monotonic() - began > 0.2
    assert replay.wait(20) == 0


LARGE = """
import numpy as np
import staithe

with staithe.writer("large") as out:
    for number in range(3):
        with out.step() as step:
            step.put("T", np.full((100, 100), number + 0.25))
            step.put("u", np.full((100, 100), number + 0.25))
"""


@pytest.fixture
def atoms(tmp_path: Path) -> Path:
    """A recording of three ranks, of which one alone has put anything at first."""
    path = tmp_path / "atoms.zarr"
    with group("atoms", 3) as (outs, live), staithe.Recorder(path, attrs={"model": "melt"}) as recorder:
        for i in range(3):
            for out in outs:
                with out.step() as step:
                    if out.rank == 0:
                        step.attrs["time"] = i
                        step.put("T", np.full(3, i))
                    if i > 1 or (i == 1 and out.rank == 1):
                        step.put("x", np.arange(i + out.rank), unit="nm")
            recorder.append(next(live))
    return path


BLOCKS_OF_ATOMS = [[], [(1, [0, 1])], [(rank, list(range(2 + rank))) for rank in range(3)]]


def read_atoms(steps: staithe.Reader) -> None:
    for i, (step, blocks) in enumerate(zip(steps, BLOCKS_OF_ATOMS, strict=True)):
        assert (dict(step.attrs), step["T"][...].tolist()) == ({"time": i}, [i] * 3)
        assert [(block.rank, block.data.tolist()) for block in (step["x"].blocks if blocks else ())] == blocks
    assert dict(steps.attrs) == {"model": "melt"}


def test_local_arrays_are_replayed_by_as_many_ranks(atoms: Path, staithe_command: Command) -> None:
    with ThreadPoolExecutor() as threads:
        reading = threads.submit(lambda: read_atoms(staithe.reader("again", timeout=60)))
        assert staithe_command("replay", atoms, "--as", "again") == (0, "3 steps, 160 B, as 'again'\n", "")
        reading.result()


@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_local_arrays_are_replayed_into_a_file(
    ending: str, atoms: Path, staithe_command: Command, tmp_path: Path
) -> None:
    copy = str(tmp_path / f"copy{ending}")
    code, _, errors = staithe_command("replay", atoms, "--as", copy)
    assert (code, errors) == (0, "")
    read_atoms(staithe.reader(copy))


def test_ctrl_c_ends_a_replay_that_nobody_reads(atoms: Path) -> None:
    replay = subprocess.Popen(
        [sys.executable, "-m", "staithe.cli", "replay", atoms, "--as", "nobody"], stderr=subprocess.PIPE, text=True
    )
    while not staithe.streams() and replay.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)
    replay.send_signal(signal.SIGINT)
    replay.communicate(timeout=20)


def test_values_are_kept_within_an_error(write: Callable[..., None], staithe_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "large.zarr"
    with subprocess.Popen([sys.executable, "-c", LARGE]):
        code, out, errors = staithe_command("record", "large", "-o", str(path), "--error", "T=0.5 abs", "--error=exact")
    assert (code, out, errors) == (0, f"3 steps, 480 KB, in {path}\n", "")
    with staithe.reader(str(path)) as steps:
        assert [(float(step["T"][3, 4]), step["T"].attrs["error"], float(step["u"][3, 4])) for step in steps] == [
            (number, "0.5 abs", number + 0.25) for number in range(3)
        ]
    write(1)
    code, _, errors = staithe_command("record", "heat", "-o", str(tmp_path / "x.zarr"), "--error", "T=2")
    assert code == 1
    assert "'2' is no bound of errors" in errors


def test_ctrl_c_ends_it_and_it_goes_on_later(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "heat.zarr"
    write(10_000, pause=0.02)
    with subprocess.Popen(
        [sys.executable, "-m", "staithe.cli", "record", "heat", "-o", str(path)], stdout=subprocess.PIPE, text=True
    ) as recorder:
        while not (path / "T").exists():
            time.sleep(0.01)
        recorder.send_signal(signal.SIGINT)
        assert recorder.stdout is not None
        assert "in " + str(path) in recorder.stdout.read()
    assert recorder.returncode == 0
    first = numbers(path)
    assert [number for number, _ in first] == list(range(first[0][0], first[-1][0] + 1))
    code, _, errors = staithe_command("record", "heat", "-o", str(path))
    assert code == 1 and "go on with it" in errors
    with subprocess.Popen(
        [sys.executable, "-m", "staithe.cli", "record", "heat", "-o", str(path), "--resume"], stdout=subprocess.DEVNULL
    ) as recorder:
        while numbers(path)[-1][0] < first[-1][0] + 3:
            time.sleep(0.05)
        recorder.send_signal(signal.SIGINT)
    assert recorder.returncode == 0
    assert numbers(path)[: len(first)] == first


def test_of_a_writer_that_dies_all_steps_stay(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "heat.zarr"
    write(5, end=f"dies with {path}")
    code, out, errors = staithe_command("record", "heat", "-o", str(path))
    assert (code, out) == (1, f"5 steps, 800 B, in {path}\n")
    assert "heat" in errors
    assert numbers(path) == [(i, i) for i in range(5)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("record", "heat", "-o", "heat.nc"), "let it end in '.zarr'"),
        (("record", "heat", "-o", "heat.zarr", "--timeout", "0.2"), "no program has opened stream 'heat'"),
        (("replay", "missing.zarr", "--as", "heat"), "no recording 'missing.zarr'"),
        (("replay", "missing.zarr", "--as", "heat", "--rate", "0"), "steps a second, more than 0"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    staithe_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, errors = staithe_command(*arguments)
    assert (code, out) == (1, "")
    assert says in errors
    assert list(tmp_path.iterdir()) == []


def test_derived_variables_are_recorded_and_others_left_out(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    file = tmp_path / "heat.h5"
    write(3)
    code, out, errors = staithe_command(
        "record", "heat", "-o", str(file), "--derive", "warmest = T * 2", "--derive", "T = T + 1", "--keep", "warmest"
    )
    assert code == 0, errors
    assert out.startswith("3 steps, 480 B,")
    with staithe.reader(str(file)) as steps:
        for step in steps:
            assert list(step) == ["warmest"]
            assert float(step["warmest"][3, 4]) == 2.0 * step.index


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (("--derive", "T2 = T *"), "expression 'T2 = T *'"),
        (("--keep", "Tt"), "no variable 'Tt'; it has 'T'"),
        (("--error", "Tt=1e-3 rel"), "there is no 'Tt' in step 0"),
    ],
)
@pytest.mark.parametrize("ending", [".zarr", ".h5"])
def test_what_cannot_be_derived_or_kept_is_said_and_leaves_nothing(
    write: Callable[..., None],
    staithe_command: Command,
    tmp_path: Path,
    option: tuple[str, str],
    why: str,
    ending: str,
) -> None:
    write(1)
    code, out, errors = staithe_command("record", "heat", "-o", str(tmp_path / f"heat{ending}"), *option)
    assert (code, out, list(tmp_path.iterdir())) == (1, "", [])
    assert why in errors and "Traceback" not in errors


def test_what_was_recorded_before_stays_where_it_cannot_go_on(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "heat.zarr"
    for steps, options, code in [(1, (), 0), (2, ("--resume", "--keep", "Tt"), 1)]:
        write(steps)
        assert staithe_command("record", "heat", "-o", str(path), *options)[0] == code
        assert numbers(path) == [(0, 0)]


def test_steps_that_the_recording_had_already_are_told(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "heat.zarr"
    write(6)
    assert staithe_command("record", "heat", "-o", str(path))[0] == 0
    write(3)
    told = f"0 steps, 0 B, in {path}; steps 0 to 2 were left out, since it had steps up to 5 already\n"
    assert staithe_command("record", "heat", "-o", str(path), "--resume") == (0, told, "")
    assert [number for number, _ in numbers(path)] == list(range(6))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--codec", "dp"), "there is no codec 'dp'"),
        (("--codec", "dq", "--error", "1e-3 pw_rel"), "the codec 'dq' keeps no error of '0.001 pw_rel'"),
    ],
)
def test_what_cannot_be_recorded_is_said_before_the_writer_takes_it_for_its_reader(
    write: Callable[..., None], staithe_command: Command, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    write(3)
    path = tmp_path / "heat.h5"
    code, _, errors = staithe_command("record", "heat", "-o", str(path), *options)
    assert (code, words in errors, path.exists()) == (1, True, False)
    assert staithe_command("record", "heat", "-o", str(path))[0] == 0
    assert [number for number, _ in numbers(path)] == [0, 1, 2]
