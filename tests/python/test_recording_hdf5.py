"""What is particular to recordings in HDF5: one file, which grows while others read it, and may end at any byte."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import pytest
from recorded import STREAM, record

import staithe
from thoroughness import examples

SUPERBLOCK = 48  # bytes


def test_attributes_units_and_dimensions(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    attrs: dict[str, Any] = {
        "dims": ["y", "x"],
        "long_name": "temperature",
        "flag": True,
        "flags": [True, False],
        "n": 3,
        "range": [0, 2.5],
        "names": ["a", "ü", ""],
        "empty": [],
        "nothing": None,
        "nested": {"a": [1, {"b": "c"}]},
        "mixed": [1, "a"],
        "long": "é" * 100_000,
        "many": list(range(10_000)),
        "zero": "a\0b",
        "text": "",
    }
    with (
        staithe.writer(STREAM) as out,
        staithe.reader(STREAM) as live,
        staithe.Recorder(path, attrs={"model": "melt", "dt": 0.5}) as recorder,
    ):
        for i in range(3):
            with out.step() as step:
                step.attrs["time"] = 0.5 * i
                step.put("T", np.full((2, 3), i), unit="K", attrs=attrs)
                step.put("p", np.full(3, i), attrs={"dims": "x"})
            recorder.append(next(live))
    with h5py.File(path) as file:
        assert dict(file.attrs) == {"model": "melt", "dt": 0.5}
        there = file["T"].attrs
        assert (there["units"], there["long_name"], there["flag"], there["n"]) == ("K", "temperature", True, 3)
        assert list(there["names"]) == ["a", "ü", ""]
        assert list(there["range"]) == [0, 2.5]
        assert there["nested"] == '{"a":[1,{"b":"c"}]}'
        assert set(there["staithe_json"]) == {"empty", "nothing", "nested", "mixed", "many", "zero"}
        assert [dim.label for dim in file["T"].dims] == ["step", "y", "x"]
        assert [dim.label for dim in file["p"].dims] == ["step", "x"]
        assert file["T"].maxshape == (None, 2, 3)
        assert list(file["step_attributes"].asstr()) == [f'{{"time":{0.5 * i}}}' for i in range(3)]
    with staithe.reader(str(path)) as steps:
        assert dict(steps.attrs) == {"model": "melt", "dt": 0.5}
        for i, step in enumerate(steps):
            assert dict(step.attrs) == {"time": 0.5 * i}
            assert step["T"].unit == "K"
            assert dict(step["T"].attrs) == attrs
    with pytest.raises(staithe.InvalidArgument, match=r"has no attribute 'staithe_json'"):
        staithe.Recorder(tmp_path / "y.h5", attrs={"staithe_json": 1})
    assert not (tmp_path / "y.h5").exists()


def test_payloads_are_read_by_who_has_the_plugin(tmp_path: Path) -> None:
    """And by nobody else, who is told what is missing."""
    path = tmp_path / "x.h5"
    record(path, [{"T": np.full((100, 100), 2.5)}], [], codec="dq")
    where = [sys.executable, "-m", "staithe.cli", "hdf5-plugin-path"]
    folder = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()

    def dump(folder: str) -> subprocess.CompletedProcess[str]:
        command = ["h5dump", "-d", "/T", "-s", "0,99,99", "-c", "1,1,1", path]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HDF5_PLUGIN_PATH": folder})

    def run(program: str) -> tuple[int, str]:
        command = [sys.executable, "-c", f"import sys, h5py; {program}", path]
        ran = subprocess.run(command, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    assert "(0,99,99): 2.5" in dump(folder).stdout
    assert "2.5" not in dump(str(tmp_path)).stdout
    shows = "print(h5py.File(sys.argv[1])['T'][0, 99, 99])"
    code, words = run(shows)
    assert (code, "OSError" in words) == (1, True)
    assert run(f"import staithe.codecs.hdf5; {shows}") == (0, "2.5\n")
    changes = (
        "f = h5py.File(sys.argv[1], 'r+'); f['T'][0, 50:] = np.pi; f.create_dataset('b', data=np.arange(9), **how)"
    )
    how = "import numpy as np; how = {'compression': 53617, 'chunks': (5,)}; import staithe.codecs.hdf5"
    copy = tmp_path / "y.h5"
    copy.write_bytes(path.read_bytes())
    assert run(f"sys.argv[1] = {str(copy)!r}; {how}; h5py.File(sys.argv[1])['T'][0]; {changes}") == (0, "")
    with h5py.File(copy) as file:
        assert (file["T"][0, 50:] == np.pi).all()
        assert (file["T"][0, :50] == 2.5).all()
        assert (file["b"][:] == np.arange(9)).all()
    with h5py.File(copy, "r+") as file:
        for other in (np.ones(2), np.ones((100, 200), "f4"), np.ones((200, 50))):
            payload = bytes(staithe.codecs.encode(other))
            file["T"].id.write_direct_chunk((0, 0, 0), payload)
            with pytest.raises(OSError, match="filter"):
                file["T"][0]
    content = bytearray(path.read_bytes())
    content[content.index(b"STPL") + 90] ^= 1
    path.write_bytes(content)
    assert "staithe, as a filter of HDF5: " in dump(folder).stderr


def test_what_is_rounded_is_read_by_the_tools_of_its_library_with_hdf5plugin(tmp_path: Path) -> None:
    """Without it the filter that is missing is named."""
    path = tmp_path / "x.h5"
    record(path, [{"T": np.full((100, 100), 2.5)}], [], error="1e-3 rel")

    def dump(folder: str, *what: str) -> str:
        command = ["h5dump", *what, path]
        return subprocess.run(
            command, capture_output=True, text=True, env=os.environ | {"HDF5_PLUGIN_PATH": folder}
        ).stdout

    box = ("-d", "/T", "-s", "0,99,99", "-c", "1,1,1")
    assert "(0,99,99): 2.5" in dump(hdf5plugin.PLUGIN_PATH, *box)
    assert "(0,99,99): 2.5" not in dump(str(tmp_path), *box)
    assert re.search(r"FILTER_ID 32001\s+COMMENT blosc", dump(str(tmp_path), "-p", "-H"))


def test_indices_of_many_chunks_are_trees(tmp_path: Path) -> None:
    """64 chunks a node: leaves, and more than a level above them; written by several recorders."""
    path = tmp_path / "x.h5"
    chunks = examples(700)  # of a step each
    steps = [{"x": np.full(2049, i, "f8"), "small": np.arange(3) + i} for i in range(chunks)]
    for end in (1, 64, 65, 66, chunks // 2, chunks):
        record(path, steps[:end], [], resume=path.exists())
        with h5py.File(path) as file:
            assert file["x"].shape == (end, 2049)
            np.testing.assert_array_equal(file["x"][:, ::2048], np.repeat(np.arange(end), 2).reshape(end, 2))
            np.testing.assert_array_equal(file["small"][:, 1], np.arange(end) + 1)
            assert file["x"].id.get_num_chunks() == end
    for i, step in enumerate(staithe.reader(str(path))):
        assert (step["x"][2048], step["small"][2]) == (i, i + 2)


def test_large_arrays_have_several_chunks(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    large = np.arange(9 * (1 << 20), dtype=np.float64).reshape(9, 1024, 1024)  # 72 MiB
    apart = np.arange(5 << 20, dtype=np.float64)
    record(path, [{"x": large}, {"x": large + 1}, {"x": apart}], [])
    assert path.stat().st_size < 1.001 * (2 * large.nbytes + apart.nbytes)
    with h5py.File(path) as file:
        assert file["x"].chunks == (1, 3, 1024, 1024)
        np.testing.assert_array_equal(file["x"][1, 2:7, ::511, 3], large[2:7, ::511, 3] + 1)
        np.testing.assert_array_equal(file["step_2/x"][:], apart)
    steps = staithe.reader(str(path))
    assert isinstance(steps, staithe.Reader)
    np.testing.assert_array_equal(next(steps)["x"][2:7, ::511, 3], large[2:7, ::511, 3])
    np.testing.assert_array_equal(next(steps)["x"].read(), large + 1)
    np.testing.assert_array_equal(next(steps)["x"][4_000_000:4_500_000], apart[4_000_000:4_500_000])


def test_steps_that_all_differ_cost_no_more_the_more_there_are(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    count = examples(900)
    steps = [{"x": np.arange(1 + i % 7), "y": np.zeros(i % 5)} for i in range(count)]
    for end in (300, 600, count):
        record(path, steps[:end], [], resume=path.exists())
    assert path.stat().st_size < count * 16_000
    with h5py.File(path) as file:
        assert len(file) == 6 + sum(1 for i in range(1, count) if (i % 7, i % 5) != (0, 0))
        np.testing.assert_array_equal(file["step_1/x"][:], [0, 1])
        np.testing.assert_array_equal(file[f"step_{count - 1}/x"][:], steps[-1]["x"])
    for step, written in zip(staithe.reader(str(path)), steps, strict=True):
        np.testing.assert_array_equal(step["x"], written["x"])


def test_it_may_be_read_while_it_is_written(tmp_path: Path) -> None:
    """Whoever has opened it goes on to see the file of that time."""
    path = tmp_path / "x.h5"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        opened: list[tuple[int, staithe.Reader]] = []
        for i in range(100):
            with out.step() as step:
                step.put("x", np.full(3000, i))
                step.attrs["i"] = i
            recorder.append(next(live))
            if i % 10 == 0:
                reader = staithe.reader(str(path))
                assert isinstance(reader, staithe.Reader)
                opened.append((i + 1, reader))
            if i == 50:
                file = h5py.File(path)
        assert file["x"].shape == (51, 3000)
        np.testing.assert_array_equal(file["x"][:, 0], np.arange(51))
        assert file["step_attributes"][50] == b'{"i":50}'
        file.close()
        for steps, reader in opened:
            assert [(step.attrs["i"], step["x"][7]) for step in reader] == [(i, i) for i in range(steps)]


def test_what_others_write_into_it_is_refused_or_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    steps = [{"x": np.arange(3) + i} for i in range(4)] + [{"y": np.zeros(i)} for i in range(300)]
    record(path, steps[:290], [])
    added = {
        "flag": True,
        "small": np.int32(-3),
        "large": np.uint64(2**64 - 1),
        "half": np.float32(0.5),
        "text": "seen",
    }
    with h5py.File(path, "a") as file:
        file.attrs["note"] = "seen"
        file["x"].attrs.update(added)
        file["x"].attrs["other"] = np.zeros((2, 2))  # which no attribute of Staithe's can be
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["x"][0], np.arange(3))
    with staithe.reader(str(path)) as back:
        assert dict(back.attrs) == {"note": "seen"}
        assert dict(next(iter(back))["x"].attrs) == {**added, "large": 2.0**64}
    record(path, steps, [], resume=True)
    assert [(step.index, len(step)) for step in staithe.reader(str(path))] == [(i, 1) for i in range(len(steps))]
    with h5py.File(path) as file:
        assert len(file) == 4 + 300  # x, and what it lies along, beside what all files have
        np.testing.assert_array_equal(file["step_303/y"], np.zeros(299))
    with h5py.File(path, "a") as file:
        file["x"].attrs.update({f"many_{i}": i for i in range(12)})  # HDF5's library then keeps them elsewhere
    with staithe.reader(str(path)) as back:
        assert {f"many_{i}": i for i in range(12)}.items() <= dict(next(iter(back))["x"].attrs).items()
    staithe.Recorder(path, resume=True).close()
    other = tmp_path / "other.h5"
    for content in (b"", b"no HDF5 file", b"\x89HDF\r\n\x1a\n"):
        other.write_bytes(content)
        with pytest.raises(staithe.ProtocolError, match=r"other\.h5"):
            staithe.reader(str(other))


@pytest.mark.parametrize(
    ("libver", "options"), [("v108", {"compression": "gzip"}), ("v108", {"dtype": ">f8"}), ("latest", {})]
)
def test_nobody_goes_on_with_what_others_wrote_anew(tmp_path: Path, libver: str, options: dict[str, Any]) -> None:
    path, anew = tmp_path / "x.h5", tmp_path / "anew.h5"
    record(path, [{"x": np.arange(6.0) + i} for i in range(3)], [])
    with h5py.File(path) as file, h5py.File(anew, "w", libver=(libver, libver)) as to:
        for name in ("step", "step_attributes"):
            file.copy(name, to)
        made = to.create_dataset("x", data=file["x"], chunks=(1, 6), maxshape=(None, 6), **options)
        made.attrs["DIMENSION_LABELS"] = list(file["x"].attrs["DIMENSION_LABELS"])
    content = anew.read_bytes()
    assert [list(step["x"]) for step in staithe.reader(str(anew))] == [list(np.arange(6.0) + i) for i in range(3)]
    with pytest.raises(staithe.InvalidArgument, match=r"array 'x' was written by another program"):
        staithe.Recorder(anew, resume=True)
    assert anew.read_bytes() == content


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_what_h5py_copied_is_a_recording(tmp_path: Path, libver: str) -> None:
    path, copied = tmp_path / "x.h5", tmp_path / "copied.h5"
    steps = [{"x": np.arange(3.0) + i} for i in range(3)] + [{"y": np.arange(4)}]
    with (
        staithe.writer(STREAM) as out,
        staithe.reader(STREAM) as live,
        staithe.Recorder(path, attrs={"model": "melt"}) as recorder,
    ):
        for i, arrays in enumerate(steps):
            with out.step() as step:
                step.attrs["t"] = i
                for name, array in arrays.items():
                    step.put(name, array)
            recorder.append(next(live))
    # With tables of links, as h5repack writes, or as newer versions have them.
    with h5py.File(path) as file, h5py.File(copied, "w", libver=libver) as to:
        for name in file:
            file.copy(name, to)
        to.attrs["model"] = "melt"
    with staithe.reader(str(copied)) as back:
        assert dict(back.attrs) == {"model": "melt"}
        for i, step in enumerate(back):
            assert (step.index, dict(step.attrs), list(step)) == (i, {"t": i}, list(steps[i]))
            for name, array in steps[i].items():
                np.testing.assert_array_equal(step[name], array)


def test_who_may_write_where(tmp_path: Path) -> None:
    path = tmp_path / "made" / "x.hdf5"
    with staithe.Recorder(path), pytest.raises(staithe.AlreadyExists, match="another recorder writes to"):
        staithe.Recorder(path, resume=True)
    with pytest.raises(staithe.AlreadyExists, match=r"something called .* already"):
        staithe.Recorder(path)
    staithe.Recorder(path, resume=True).close()
    assert list(staithe.reader(str(path))) == []
    (tmp_path / "begun.h5").write_bytes(bytes(5000))  # by a recorder that was killed before its first superblock
    staithe.Recorder(tmp_path / "begun.h5", resume=True).close()
    with h5py.File(tmp_path / "others.h5", "w", userblock_size=512) as file:
        file["x"] = np.zeros(100_000)
    with pytest.raises(staithe.ProtocolError, match="are a user block"):
        staithe.Recorder(tmp_path / "others.h5", resume=True)
    (tmp_path / "zeros.h5").write_bytes(bytes(2 << 20))
    with pytest.raises(staithe.ProtocolError, match="no HDF5 file"):
        staithe.Recorder(tmp_path / "zeros.h5", resume=True)
    assert (tmp_path / "others.h5").stat().st_size > 800_000
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(staithe.Error, match=r"folder\.h5"):
        staithe.Recorder(tmp_path / "folder.h5", resume=True)
    with pytest.raises(staithe.NotFound, match="no recording"):
        staithe.reader(str(tmp_path / "missing.h5"))


RECORDER = """
import sys
import numpy as np
import staithe

with staithe.writer("killed") as out, staithe.reader("killed") as live:
    with staithe.Recorder(sys.argv[1], resume=True, error={"T": "1e-3 abs"}) as recorder:
        i = -1 if recorder.newest is None else recorder.newest
        while out.next_step <= i:
            with out.step():
                pass
            next(live)
        while True:
            i += 1
            with out.step() as step:
                step.attrs["i"] = i
                step.put("x", np.full(3000, i))
                step.put("T", np.linspace(0, i, 5000))
                step.put("n", np.zeros(1 + (i % 10 == 9)))
            recorder.append(next(live))
            print(i, flush=True)
"""


def test_killed_at_any_time_it_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    path, program = tmp_path / "x.h5", tmp_path / "record.py"
    program.write_text(RECORDER.replace("while out.next_step <= i:", "for _ in range(i + 1):"))
    chance = random.Random(5)
    acknowledged = -1
    for _ in range(examples(12)):
        with subprocess.Popen([sys.executable, program, path], stdout=subprocess.PIPE, text=True) as recorder:
            assert recorder.stdout is not None
            acknowledged = int(recorder.stdout.readline())
            time.sleep(chance.uniform(0, 0.05))
            recorder.send_signal(signal.SIGKILL)
            acknowledged = max([acknowledged, *(int(line) for line in recorder.stdout if line.endswith("\n"))])
        with h5py.File(path) as file:
            numbers = sorted([*file["step"], *(int(name[5:]) for name in file if name[5:].isdigit())])
            assert numbers == list(range(len(numbers)))
            assert numbers[-1] in (acknowledged, acknowledged + 1)
            np.testing.assert_array_equal(file["x"][:, 5], file["step"])
        for step in staithe.reader(str(path)):
            assert (step.attrs["i"], step["x"][2999]) == (step.index, step.index)
            np.testing.assert_allclose(step["T"].read(), np.linspace(0, step.index, 5000), atol=1e-3)


def test_damage_is_named_and_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    steps = [{"x": np.arange(3000) + i, "T": np.linspace(0, 1, 5000), "s": np.float64(i)} for i in range(3)]
    record(path, [*steps, {"x": np.zeros(7)}], [], error={"T": "1e-3 abs"}, note="text")
    whole = path.read_bytes()
    reader = staithe.reader(str(path))
    os.truncate(path, len(whole) - 100)
    with pytest.raises(staithe.ProtocolError, match=r"x\.h5"):
        staithe.reader(str(path))
    path.write_bytes(whole)
    assert isinstance(reader, staithe.Reader)
    reader.close()
    shutil.copy(path, tmp_path / "copy.h5")
    chance = random.Random(3)
    refused = 0
    for _ in range(examples(400)):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            for step in staithe.reader(str(path)):
                dict(step.attrs)
                for name in step:
                    step[name].read()
        except (staithe.ProtocolError, staithe.SystemFailure):
            refused += 1
    assert refused > 0
    damaged = bytearray(whole)
    damaged[SUPERBLOCK - 1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(staithe.ProtocolError, match="its superblock is damaged"):
        staithe.reader(str(path))


@pytest.mark.skipif(shutil.which("h5repack") is None, reason="needs the tools of HDF5's library")
def test_the_tools_of_its_library_take_it(tmp_path: Path) -> None:
    """Of a version years older than that of h5py; h5repack walks through all blocks, and leaves old ones out."""
    path, repacked = tmp_path / "x.h5", tmp_path / "repacked.h5"
    steps = [{"x": np.arange(3000) + i, "in/s": np.float64(i), "c": np.array([1 + 2j])} for i in range(examples(150))]
    written = [*steps, {"x": np.zeros(4)}, *steps[:3]]
    record(path, written, [], note="seen", nested={"a": 1})

    def run(*command: str | Path) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    header = run("h5dump", "-H", path)
    assert 'DATASET "x"' in header
    assert f"SIMPLE {{ ( {len(steps) + 3}, 3000 ) / ( H5S_UNLIMITED, 3000 ) }}" in header
    assert '(0): "seen"' in run("h5dump", "-a", "/note", path)
    assert f"/step_{len(steps)}/x" in run("h5ls", "-r", path)
    run("h5stat", path)
    run("h5repack", path, repacked)
    assert repacked.stat().st_size < path.stat().st_size
    differences = run("h5diff", "-c", path, repacked).splitlines()
    assert all("_dim_0> is an empty dataset" in line for line in differences if line), "they are there for their length"
    for i, (step, arrays) in enumerate(zip(staithe.reader(str(repacked)), written, strict=True)):
        assert step.index == i
        assert sorted(step) == sorted(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(step[name], array)


def test_names_that_a_file_cannot_have_are_refused_before_they_harm_it(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        for name in ("a", "b" * 70_000, "c\0d", "staithe_json"):
            with out.step() as step:
                step.attrs[name] = 1
                step.put("x" if name == "a" else "y", np.zeros(3))
            if name == "a":
                recorder.append(next(live))
                continue
            with pytest.raises(staithe.InvalidArgument, match="an HDF5 file has no attribute"):
                recorder.append(next(live))
        for depth, goes in ((64, True), (65, False)):
            with out.step() as step:
                step.put("a/" * depth + "b", np.zeros(3))
            if goes:
                recorder.append(next(live))
                continue
            with pytest.raises(staithe.InvalidArgument, match="lies in more than 64 groups"):
                recorder.append(next(live))
    assert [step.index for step in staithe.reader(str(path))] == [0, 4]
    staithe.Recorder(path, resume=True).close()


def test_groups_that_lead_to_each_other_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    record(path, [{"x": np.zeros(3)}], [])
    with h5py.File(path, "a", libver="v110") as file:  # links are then where Staithe has its own
        group = file.create_group("g")
        for _ in range(60):
            inner = group.create_group("a")
            group["b"] = inner
            group = inner
    with pytest.raises(staithe.ProtocolError, match="two links lead to the object"):
        staithe.reader(str(path))
