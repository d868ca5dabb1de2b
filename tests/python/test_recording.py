"""Recordings of streams, with NumPy as the oracle, and the tools by which others read them."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray
import zarr
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numcodecs import Blosc
from numpy.typing import NDArray
from recorded import STREAM, by_stock_tools, check_error, contents, make_by_zarr, record

import staithe
from thoroughness import examples

ENDINGS = [".zarr", ".h5"]


@settings(max_examples=examples(300))
@given(contents(), st.data(), st.sampled_from(ENDINGS))
def test_what_was_recorded_is_read_back_by_all(
    content: tuple[list[dict[str, NDArray[Any]]], list[int]], data: st.DataObject, ending: str
) -> None:
    steps, cuts = content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}"
        record(path, steps, cuts, model="melt")
        shape = steps[0]["u"].shape
        part = data.draw(hnp.basic_indices(shape, allow_newaxis=False)) if shape else ()
        with staithe.reader(str(path)) as back:
            assert dict(back.attrs) == {"model": "melt"}
            for i, (step, written) in enumerate(zip(back, steps, strict=True)):
                assert step.index == i
                assert set(step) == set(written)
                for name, array in written.items():
                    assert (step[name].dtype, step[name].shape) == (array.dtype, array.shape)
                    np.testing.assert_array_equal(step[name][part], array[part])
        with by_stock_tools(path) as stock:
            assert list(stock["step"].elements) == list(range(len(steps)))
            for name in steps[0]:
                stacked = np.stack([written[name] for written in steps])
                np.testing.assert_array_equal(stock[name].elements, stacked)
                assert stock[name].elements.dtype == stacked.dtype
        if ending == ".zarr":
            by_xarray = xarray.open_zarr(path)
            assert list(by_xarray["step"].values) == list(range(len(steps)))
            np.testing.assert_array_equal(by_xarray["u"].values, np.stack([written["u"] for written in steps]))


def test_attributes_units_and_dimensions(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        for i in range(3):
            with out.step() as step:
                step.attrs["time"] = 0.5 * i
                step.put("T", np.full((2, 3), i), unit="K", attrs={"dims": ["y", "x"], "long_name": "temperature"})
                step.put("p", np.full(3, i), attrs={"dims": "x"})
            recorder.append(next(live))
        assert recorder.newest == 2
    data = xarray.open_zarr(path)
    assert data["T"].dims == ("step", "y", "x")
    assert data["p"].dims == ("step", "x")
    assert dict(data["T"].attrs) == {"units": "K", "long_name": "temperature"}
    assert [json.loads(text) for text in data["step_attributes"].values] == [{"time": 0.5 * i} for i in range(3)]
    times = []
    for step in staithe.reader(str(path)):
        times.append(step.attrs["time"])
        assert step["T"].unit == "K"
        assert dict(step["T"].attrs) == {"dims": ["y", "x"], "long_name": "temperature"}
    assert times == [0.0, 0.5, 1.0]


def test_large_arrays_are_cut_and_small_ones_lie_together(tmp_path: Path) -> None:
    large = np.arange(9 * (1 << 20), dtype=np.float64).reshape(9, 1024, 1024)  # 72 MiB
    steps = [{"large": large + i, "small": np.full(9, i)} for i in range(2)]
    record(tmp_path / "x.zarr", steps, [2, 5])
    files = {path.name: path.stat().st_size for path in (tmp_path / "x.zarr" / "large").iterdir()}
    del files["zarr.json"]
    assert sorted(files) == [f"c.{i}.0.0.0" for i in range(2)]
    assert set(files.values()) == {(72 << 20) + 3 * 16 + 4}  # three chunks and where they lie
    assert len(list((tmp_path / "x.zarr" / "small").iterdir())) == 2
    for i, step in enumerate(staithe.reader(str(tmp_path / "x.zarr"))):
        np.testing.assert_array_equal(step["large"][2:7, ::511, 3], steps[i]["large"][2:7, ::511, 3])
        np.testing.assert_array_equal(step["large"].read(), steps[i]["large"])
        np.testing.assert_array_equal(step["small"], steps[i]["small"])
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "x.zarr", mode="r")["large"][1, 8], large[8] + 1)


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_goes_on_where_it_ended(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    for begin in (0, 3):
        with (
            staithe.writer(STREAM) as out,
            staithe.reader(STREAM) as live,
            staithe.Recorder(path, resume=True) as recorder,
        ):
            assert recorder.newest == (begin - 1 if begin else None)
            for i in range(begin + 3):
                with out.step() as step:
                    step.put("x", np.full(4, i))
                if (got := next(live)).index >= begin:
                    recorder.append(got)
    assert [(step.index, float(step["x"][0])) for step in staithe.reader(str(path))] == [(i, i) for i in range(6)]
    assert [step.index for step in staithe.reader(str(path), start=4)] == [4, 5]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_file_cannot_hold_is_refused_and_the_rest_stays(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:

        def send(**variables: Any) -> staithe.Step:
            with out.step() as step:
                for name, array in variables.items():
                    step.put(name.replace("_in_", "/"), array)
            return next(live)

        for refused, says in [
            ({"x": np.zeros(2, np.longdouble)}, "f16, which files do not have"),
            ({"step": np.zeros(2)}, "array of all steps"),
            ({"a": np.zeros(2), "a_in_b": np.zeros(2)}, "'a/b' lies in 'a'"),
            ({"..": np.zeros(2)}, "no variable '..'"),
            ({"__x": np.zeros(2)}, "no variable '__x'"),
        ]:
            with pytest.raises(staithe.InvalidArgument, match=says):
                recorder.append(send(**refused))
            assert recorder.newest is None
        first = send(x=np.zeros(2), y=np.ones(3))
        recorder.append(first)
        with pytest.raises(staithe.InvalidArgument, match="has step 5 already"):
            recorder.append(first)
        with out.step() as step:
            step.put("x", np.zeros(1), offset=0, shape=2)
            step.put("y", np.zeros(3))
        with pytest.raises(staithe.InvalidArgument, match="nobody has put 1 of the 2 elements of 'x'"):
            recorder.append(next(live))
        last = send(x=np.full(2, 7.0), y=np.ones(3))
        recorder.append(last)
        recorder.close()
        with pytest.raises(staithe.Closed):
            recorder.append(last)
    assert [step.index for step in staithe.reader(str(path))] == [5, 7]
    with by_stock_tools(path) as stock:
        np.testing.assert_array_equal(stock["x"].elements[1], [7, 7])


@pytest.mark.parametrize("ending", ENDINGS)
def test_steps_that_differ_have_groups_of_their_own(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    steps: list[dict[str, NDArray[Any]]] = [
        {"x": np.zeros(2), "in/y": np.ones(3)},
        {"x": np.arange(3.0), "in/y": np.ones(3)},
        {"x": np.full(2, 2.0), "in/y": np.full(3, 2.0)},
        {"x": np.zeros(2)},
        {},
        {"x": np.zeros(2), "in/y": np.full(3, 5, "f4")},
        {"x": np.full(2, 6.0), "in/y": np.full(3, 6.0)},
    ]
    for begin, end in ((0, 4), (4, 7)):  # it goes on with either
        with (
            staithe.writer(STREAM) as out,
            staithe.reader(STREAM) as live,
            staithe.Recorder(path, resume=True) as recorder,
        ):
            for i, variables in enumerate(steps[:end]):
                with out.step() as step:
                    step.attrs["i"] = i
                    for name, array in variables.items():
                        step.put(name, array, attrs={"dims": ["n"]}, unit="m")
                if (got := next(live)).index >= begin:
                    recorder.append(got)
            assert recorder.newest == end - 1
    with staithe.reader(str(path)) as back:
        for i, (step, written) in enumerate(zip(back, steps, strict=True)):
            assert (step.index, dict(step.attrs), set(step)) == (i, {"i": i}, set(written))
            for name, array in written.items():
                np.testing.assert_array_equal(step[name], array)
                assert step[name].dtype == array.dtype
                assert (step[name].unit, dict(step[name].attrs)) == ("m", {"dims": ["n"]})
    assert [step.index for step in staithe.reader(str(path), start=3)] == [3, 4, 5, 6]
    with by_stock_tools(path) as stock:
        assert list(stock["step"].elements) == [0, 2, 6]
        np.testing.assert_array_equal(stock["step_1/x"].elements, np.arange(3.0))
        assert stock["step_1"].attrs == {"i": 1}
        np.testing.assert_array_equal(stock["step_5/in/y"].elements, np.full(3, 5, "f4"))
    if ending == ".zarr":
        apart = xarray.open_zarr(path, group="step_1")
        assert (apart["x"].dims, apart.attrs) == (("n",), {"i": 1})


def test_who_may_write_where(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    with staithe.Recorder(path), pytest.raises(staithe.AlreadyExists, match="another recorder writes to"):
        staithe.Recorder(path, resume=True)
    with pytest.raises(staithe.AlreadyExists, match=r"something in .* already"):
        staithe.Recorder(path)
    staithe.Recorder(path, resume=True).close()
    with pytest.raises(staithe.InvalidArgument, match=r"let it end in '\.zarr' or '\.h5'"):
        staithe.Recorder(tmp_path / "x.nc")
    (tmp_path / "other.zarr").mkdir()
    (tmp_path / "other.zarr" / "notes").write_text("mine")
    with pytest.raises(staithe.AlreadyExists):
        staithe.Recorder(tmp_path / "other.zarr")
    with pytest.raises(staithe.NotFound, match="no recording"):
        staithe.Recorder(tmp_path / "other.zarr", resume=True)
    with pytest.raises(staithe.InvalidArgument, match="no next one"):
        staithe.reader(str(path), start="next")
    with pytest.raises(staithe.NotFound):
        staithe.reader(str(tmp_path / "missing.zarr"))


# Holds the file, with one step in it.
HOLDS = """
import sys, time
import staithe
with staithe.writer("held") as out, staithe.reader("held") as live, staithe.Recorder(sys.argv[1]) as recorder:
    with out.step() as step:
        step.put("x", [1.0, 2.0])
    recorder.append(next(live))
    print("holds", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_another_process_may_write_once_the_one_before_is_dead(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holds\n"
        with pytest.raises(staithe.AlreadyExists, match="another recorder writes to"):
            staithe.Recorder(path, resume=True)
        with pytest.raises(staithe.AlreadyExists, match="another recorder writes to"):
            staithe.writer(str(path), resume=True)
        holder.kill()
    with staithe.writer(str(path), resume=True) as out, out.step() as step:
        assert step.index == 1
        step.put("x", [3.0, 4.0])
    assert [float(step["x"][0]) for step in staithe.reader(str(path))] == [1.0, 3.0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_path_may_come_from_the_environment(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path / f"x{ending}", [{"x": np.arange(3)}], [])
    monkeypatch.setenv(
        "STAITHE_STREAMS", json.dumps({"melt": {"placement": "file", "file": str(tmp_path / f"x{ending}")}})
    )
    (step,) = staithe.reader("melt")
    np.testing.assert_array_equal(step["x"], np.arange(3))


@pytest.mark.parametrize("ending", ENDINGS)
def test_attributes_may_be_nested_as_deep_as_in_a_stream(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    deep: Any = 1
    for _ in range(14):
        deep = {"a": deep}
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        with out.step() as step:
            step.attrs["of_step"] = deep
            step.put("x", np.zeros(3), attrs={"of_x": deep})
        recorder.append(next(live))
    (step,) = staithe.reader(str(path))
    assert step.attrs["of_step"] == deep
    assert step["x"].attrs["of_x"] == deep


def test_a_store_that_tells_of_steps_that_are_not_there_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [{"x": np.zeros(3)}], [])
    root = json.loads((path / "zarr.json").read_text())
    (path / "step" / "c.0").unlink()
    for node in root["consolidated_metadata"]["metadata"].values():
        if node["node_type"] == "array":
            node["shape"][0] = 2**32 - 1
    numbers = root["consolidated_metadata"]["metadata"]["step"]
    numbers["chunk_grid"]["configuration"]["chunk_shape"] = [2**32 - 1]
    (path / "zarr.json").write_text(json.dumps(root))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(staithe.Error, match=r"x\.zarr"):
        staithe.reader(str(path))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB


def test_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [{"x": np.zeros(3000), "y": np.arange(3000)}], [])
    chunk = path / "x" / "c.0.0"
    chunk.write_bytes(chunk.read_bytes()[:100])
    (step,) = staithe.reader(str(path))
    with pytest.raises(staithe.ProtocolError, match=r"'x'.*c\.0\.0: the file ends too soon"):
        step["x"].read()
    np.testing.assert_array_equal(step["y"].read(), np.arange(3000))
    chunk.unlink()
    with pytest.raises(staithe.Error, match="'x'"):
        step["x"].read()
    root = path / "zarr.json"
    begun = path.with_name("begun.zarr")  # by a recorder that was killed at once
    shutil.copytree(path / "step", begun / "step")
    staithe.Recorder(begun, resume=True).close()
    for damaged in ["", "{", "[]", "{}", root.read_text().replace('"zarr_format":3', '"zarr_format":2')]:
        root.write_text(damaged)
        with pytest.raises(staithe.ProtocolError, match=r"x\.zarr"):
            staithe.reader(str(path))


def test_a_store_with_other_names_of_files_is_read_but_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make_by_zarr(path, "/")
    values = [step["x"][2, 1] for step in staithe.reader(str(path))]
    assert values == [5.0, 11.0]
    with pytest.raises(staithe.InvalidArgument, match="written by another program"):
        staithe.Recorder(path, resume=True)


@pytest.mark.parametrize("codec", ["lz4", "zstd", "zlib", "blosclz"])
def test_a_store_that_another_program_has_compressed_is_read(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    make_by_zarr(path, ".", zarr.codecs.BloscCodec(cname=codec, shuffle="bitshuffle", typesize=8), chunks=(2, 3, 2))
    for index, step in enumerate(staithe.reader(str(path))):
        np.testing.assert_array_equal(step["x"], np.arange(12.0).reshape(2, 3, 2)[index])
        assert step["x"][1, 1] == 6 * index + 3
    with pytest.raises(staithe.InvalidArgument, match="several steps in a chunk that is compressed"):
        staithe.Recorder(path, resume=True)


def test_metadata_lead_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [{"x": np.arange(3)}, {"x": np.arange(4)}], [])
    root = path / "zarr.json"
    text = root.read_text()
    for name, elsewhere in (('"x"', '"../x"'), ('"x"', '"a/../../x"'), ('"step_1/x"', '"step_1/../x"')):
        assert name in text
        root.write_text(text.replace(name, elsewhere))
        with pytest.raises(staithe.ProtocolError, match="no variable"):
            staithe.reader(str(path))
    record(tmp_path / "y.zarr", [{"x": np.arange(3)}] * 3, [])
    numbers = tmp_path / "y.zarr" / "step" / "c.0"
    numbers.write_bytes(np.array([0, 2, 2]).tobytes())
    with pytest.raises(staithe.ProtocolError, match="do not ascend"):
        staithe.reader(str(tmp_path / "y.zarr"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_have_the_rights_of_the_umask(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    old = os.umask(0o027)
    try:
        record(path, [{"x": np.zeros(3)}], [])
    finally:
        os.umask(old)
    modes = {(each.is_dir(), each.stat().st_mode & 0o777) for each in [path, *path.rglob("*")]}
    assert modes == {(False, 0o640)} | ({(True, 0o750)} if path.is_dir() else set())


def test_attributes_that_json_has_no_numbers_for(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        with out.step() as step:
            step.attrs["least"] = -np.inf
            step.put("x", np.zeros(2), attrs={"missing": np.nan})
        recorder.append(next(live))
    (step,) = staithe.reader(str(path))
    assert (dict(step.attrs), dict(step["x"].attrs)) == ({"least": "-Infinity"}, {"missing": "NaN"})
    xarray.open_zarr(path).load()


BOUNDS = st.tuples(st.sampled_from([1e-12, 1e-6, 1e-3, 0.3, 2.0]), st.sampled_from(["abs", "rel", "pw_rel"]))


@settings(max_examples=examples(60), deadline=None)
@given(
    data=st.data(),
    bound=BOUNDS,
    kind=st.sampled_from(["f4", "f8", "c8", "c16", "f2", "i4"]),
    ending=st.sampled_from(ENDINGS),
    codec=st.sampled_from([None, "blosc", "blosc+zstd", "dq", "zfp", "shuffle+zstd"]),
)
def test_errors_stay_within_their_bounds(
    data: st.DataObject, bound: tuple[float, str], kind: str, ending: str, codec: str | None
) -> None:
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    shape = data.draw(st.sampled_from([(3,), (5000,), (90, 70), (1200, 700), (3, 40, 50)]))
    values: NDArray[Any] = generator.normal(scale=data.draw(st.sampled_from([1e-3, 1.0, 1e4])), size=shape)
    if kind.startswith("c"):
        values = values + 1j * generator.normal(size=shape)
    field = values.astype(kind)
    special = generator.random(shape) < 0.01
    if field.dtype.kind in "fc":
        field[special] = generator.choice([np.nan, np.inf, -np.inf, -0.0], special.sum())
    cuts = sorted(data.draw(st.sets(st.integers(1, shape[0] - 1), max_size=3)))
    number, what = bound
    assume(what != "pw_rel" or codec not in ("dq", "zfp"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}"
        record(
            path,
            [{"T": field, "u": field}, {"T": -field, "u": field}],
            cuts,
            error={"T": f"{number} {what}"},
            codec=codec,
        )
        with by_stock_tools(path) as stock:
            stored, exact = stock["T"], stock["u"]
        is_large = field.nbytes >= 16384
        assert stored.attrs.get("error") == (f"{number:g} {what}" if is_large else None)
        assert "error" not in exact.attrs
        for step, whole in zip(staithe.reader(str(path)), [field, -field], strict=True):
            there = step["T"].read()
            np.testing.assert_array_equal(there, stored.elements[step.index])
            np.testing.assert_array_equal(step["u"].read(), field)
            part = (slice(1, None, 3),) * field.ndim
            np.testing.assert_array_equal(step["T"][part], there[part])
            check_error(whole, there, number if is_large else 0.0, what)


@settings(max_examples=examples(40), deadline=None)
@given(contents=contents(), ending=st.sampled_from(ENDINGS), codec=st.sampled_from(["blosc", "dq", "bitshuffle+lz4"]))
def test_codecs_without_a_bound_are_exact(
    contents: tuple[list[dict[str, NDArray[Any]]], list[int]], ending: str, codec: str
) -> None:
    """And so are those that lie apart, of which some chunks are cut off at the edge of the array."""
    steps, cuts = contents
    large = [{name: np.resize(array, (17, 1000)) for name, array in step.items()} for step in steps]
    odd = [{"u": np.arange(1_500_001.0), "bits": np.arange(3_000_000) % 3 == 0}]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}"
        everything = [*steps, *large, *odd]
        record(path, everything, cuts, codec=codec)
        for step, expected in zip(staithe.reader(str(path)), everything, strict=True):
            for name, array in expected.items():
                np.testing.assert_array_equal(step[name].read(), array)
                assert step[name].dtype == array.dtype
        with by_stock_tools(path) as stock:
            last = f"step_{len(everything) - 1}/u"
            np.testing.assert_array_equal(stock[last].elements, odd[0]["u"])


@pytest.mark.parametrize("ending", ENDINGS)
def test_codecs_of_files_go_on_and_are_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    field = np.sin(np.arange(30_000.0))
    any_tool = r"'blosc' and 'blosc\+zstd' are what any tool reads"
    for codec, words in {"qd": f"no codec 'qd'.*{any_tool}", "Blosc": "no codec 'Blosc'"}.items():
        with pytest.raises(staithe.NotFound, match=words):
            staithe.Recorder(path, codec=codec)
        assert not path.exists()
    record(path, [{"T": field}], [], codec="dq")
    with pytest.raises(staithe.InvalidArgument, match=r"'T' is encoded by codecs of Staithe there, and not compressed"):
        record(path, [{"T": field}] * 2, [], resume=True)
    with pytest.raises(staithe.InvalidArgument, match=r"and compressed by blosc now: go on with the codec of before"):
        record(path, [{"T": field}] * 2, [], codec="blosc", resume=True)
    record(path, [{"T": field}] * 3, [], codec="shuffle+zstd", resume=True)
    assert [(step["T"].read() == field).all() for step in staithe.reader(str(path))] == [True, True, True]
    pointwise = tmp_path / f"y{ending}"
    with pytest.raises(staithe.InvalidArgument, match=r"dq"):
        record(pointwise, [{"T": field}], [], codec="dq", error="1e-3 pw_rel")
    record(pointwise, [{"T": field}], [], codec="shuffle+zstd", error="1e-3 pw_rel", resume=True)


@pytest.mark.parametrize("codec", ["blosc", "blosc+zstd"])
def test_whoever_goes_on_keeps_the_compressor(codec: str, tmp_path: Path) -> None:
    field = np.sin(np.arange(60_000.0))
    for ending in ENDINGS:
        path = tmp_path / f"{codec}{ending}"
        record(path, [{"T": field}], [], codec=codec)
        record(path, [{"T": field}] * 2, [], codec=codec, resume=True)
        told = {"blosc": (b"lz4", 1), "blosc+zstd": (b"zstd", 5)}[codec]
        if ending == ".zarr":
            (compressor,) = zarr.open_group(path, mode="r")["T"].compressors
            assert compressor.cname.value.encode() == told[0]
        else:
            with h5py.File(path) as file:
                assert file["T"].id.get_create_plist().get_filter(0)[2][6] == told[1]


@pytest.mark.parametrize("block", [0, 1 << 10, 1 << 17, 4 << 20])
@pytest.mark.parametrize("item", [1, 3, 4, 16, 255])
def test_chunks_that_others_cut_otherwise_are_read(block: int, item: int, tmp_path: Path) -> None:
    """However large their blocks are, and whatever they took for an element."""
    path = tmp_path / "x.zarr"
    field = np.sin(np.arange(1 << 20, dtype="f4")).reshape(64, 64, 256)
    record(path, [{"T": field}] * 2, [], codec="blosc")
    packed = bytearray(Blosc("zstd", 1, Blosc.NOSHUFFLE, block).encode(field))
    packed[3] = item
    (path / "T" / "c.1.0.0.0").write_bytes(packed)
    _, step = staithe.reader(str(path))
    generator = np.random.default_rng(item)
    for _ in range(20):
        ends = (np.sort(generator.integers(0, length + 1, 2)) for length in field.shape)
        part = tuple(slice(*end, generator.integers(1, 4)) for end in ends)
        np.testing.assert_array_equal(step["T"][part], field[part])
    np.testing.assert_array_equal(step["T"][:, :1, :1], field[:, :1, :1])


def test_dq_makes_smooth_fields_smaller_than_rounding_does(tmp_path: Path) -> None:
    x = np.linspace(0, 6, 1000)
    field = 300 * np.sin(x)[:, None] * np.cos(x)
    sizes = {}
    for codec in ("blosc", "dq"):
        record(tmp_path / f"{codec}.h5", [{"T": field}], [], error="1e-3 rel", codec=codec)
        sizes[codec] = (tmp_path / f"{codec}.h5").stat().st_size
    assert sizes["dq"] < sizes["blosc"] / 4


@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_payloads_are_found_and_others_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    field = np.random.default_rng(3).normal(size=(2000, 1000))  # four chunks
    record(path, [{"T": field}], [], error="1e-3 rel", codec="dq")
    before = next(staithe.reader(str(path)))["T"].read()
    file = path / "T" / "c.0.0.0" if path.is_dir() else path
    content = bytearray(file.read_bytes())
    content[content.index(b"STPL") + 3000] ^= 1
    file.write_bytes(content)
    step = next(staithe.reader(str(path)))
    with pytest.raises(staithe.ProtocolError, match=r"'T'.*(c\.0\.0\.0|x\.h5): .*tile"):
        step["T"].read()
    np.testing.assert_array_equal(step["T"][500:], before[500:])


def test_what_is_rounded_is_small_and_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    x = np.linspace(0, 6, 1000)
    field = 300 * np.sin(x)[:, None] * np.cos(x)  # 8 MB
    mask = np.arange(30_000) // 100
    record(path, [{"T": field, "mask": mask}], [], error={"*": "1e-3 rel", "mask": "exact"})
    assert sum(file.stat().st_size for file in (path / "T").iterdir()) < field.nbytes / 10
    assert (path / "mask" / "c.0.0").stat().st_size == mask.nbytes
    with pytest.raises(staithe.InvalidArgument, match=r"'T' has an error of 0.001 rel there, and exact now"):
        record(path, [{"T": field, "mask": mask}] * 2, [], resume=True)
    record(path, [{"T": field, "mask": mask}] * 2, [], error={"T": "0.001 rel"}, resume=True)
    first, second = np.asarray(zarr.open_group(path, mode="r")["T"])
    assert 0 < np.abs(first - field).max() <= 1e-3 * np.ptp(field)
    np.testing.assert_array_equal(second, first)
    shard = path / "T" / "c.0.0.0"
    content = shard.read_bytes()
    shard.write_bytes(bytes(100) + content[100:])
    step = next(staithe.reader(str(path)))
    with pytest.raises(staithe.ProtocolError, match=r"'T'.*c\.0\.0\.0: .* bytes, compressed, is damaged"):
        step["T"].read()
    np.testing.assert_array_equal(step["T"][500:], first[500:])


@pytest.mark.parametrize("ending", ENDINGS)
def test_errors_that_cannot_be_are_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    for error, words in {
        "1e-3": "'1e-3' is no bound of errors: write a number and what it is of, as in '0.01 abs'",
        "1e-3 relative": "is no bound",
        "exact 3": "is no bound",
        "-1 abs": "a bound of abs=-1 cannot be",
        "nan rel": "a bound of rel=nan cannot be",
        "80 psnr": r"the error of '\*' cannot be '80 psnr': give one that is abs, rel or pw_rel",
    }.items():
        with pytest.raises(staithe.InvalidArgument, match=words):
            staithe.Recorder(path, error=error)
        assert not path.exists()
    with pytest.raises(staithe.InvalidArgument, match=r"an error is a text such as .*, not float"):
        staithe.Recorder(path, error={"T": 1e-3}, resume=True)  # type: ignore[dict-item]
    with pytest.raises(staithe.InvalidArgument, match=r"no 'Tt' in step 0, of which an error of 0.1 abs .* it has 'T'"):
        record(path, [{"T": np.zeros(3)}], [], error={"Tt": "0.1 abs"}, resume=True)


def test_what_users_call_error_is_no_bound_of_a_codec(tmp_path: Path) -> None:
    """Of the chunks that others add to an array, either."""
    path = tmp_path / "x.zarr"
    field = np.sin(np.arange(30_000.0))
    with staithe.writer(str(path), codec="dq") as out, out.step() as step:
        step.put("T", field, attrs={"error": "0.5 abs"})
    array = zarr.open_array(path / "T")
    array[0] = 2 * field
    np.testing.assert_array_equal(zarr.open_array(path / "T")[0], 2 * field)
    (step_read,) = staithe.reader(str(path))
    np.testing.assert_array_equal(step_read["T"].read(), 2 * field)
    assert step_read["T"].attrs["error"] == "0.5 abs"


@pytest.mark.parametrize("codec", ["dq", "zfp"])
def test_a_codec_that_cannot_keep_a_bound_is_refused_before_there_is_a_file(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    words = rf"the codec '{codec}' keeps no error of '0.001 pw_rel', which is asked for of 'a'"
    with pytest.raises(staithe.InvalidArgument, match=words):
        staithe.Recorder(path, codec=codec, error={"a": "1e-3 pw_rel", "*": "1e-3 rel"})
    with pytest.raises(staithe.InvalidArgument, match=words):
        staithe.writer(str(path), codec=codec, error={"a": "1e-3 pw_rel"})
    assert not path.exists()


def test_a_chunk_of_another_dtype_is_none_of_this_array(tmp_path: Path) -> None:
    path = tmp_path / "x.zarr"
    record(path, [{"T": np.ones((200, 200))}], [], codec="dq")
    chunk = path / "T" / "c.0.0.0"
    for other in (np.ones((200, 400), "f4"), np.ones((400, 100)), np.ones((2, 2))):
        chunk.write_bytes(bytes(staithe.codecs.encode(other)))
        with pytest.raises(staithe.ProtocolError, match=r"what should be f8 \(200, 200\), encoded, is f"):
            next(staithe.reader(str(path)))["T"].read()
