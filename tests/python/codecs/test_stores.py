"""Codecs of numcodecs and of zarr: what one program writes, another reads that has only these and Staithe."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import staithe

sys.path.append(str(Path(__file__).parent))
from arrays import Array, bits, field, filled

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr", "3")

from staithe.codecs.numcodecs import Staithe as ForNumcodecs  # noqa: E402
from staithe.codecs.zarr import Staithe as ForZarr  # noqa: E402

CHUNKS = (8, 16, 16)
FIELD = field("turbulence", "f4", (20, 30, 40))
DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
LOSSY = [codec.name for codec in staithe.codecs.list() if not codec.missing]

# Names neither the codec nor its module.
READER = """
import sys
import numpy as np, zarr
np.save(sys.argv[2], zarr.open_array(sys.argv[1], mode="r")[...])
assert any(name.startswith("staithe.codecs.") for name in sys.modules)
"""


def create(path: Path, array: Array, version: int, how: dict[str, Any], **options: Any) -> Any:
    """An array of zarr with these values."""
    encoding = (
        {"serializer": ForZarr(**how), "compressors": None} if version == 3 else {"compressors": ForNumcodecs(**how)}
    )
    made = zarr.create_array(
        path, shape=array.shape, dtype=array.dtype, zarr_format=version, **{"chunks": CHUNKS} | encoding | options
    )
    made[...] = array
    return made


def read_elsewhere(path: Path, result: Path) -> Array:
    """The values, as another process reads them."""
    subprocess.run([sys.executable, "-c", READER, path, result], check=True, timeout=100)
    values: Array = np.load(result)
    return values


@pytest.mark.parametrize("version", [2, 3])
def test_another_program_reads_within_the_bound(tmp_path: Path, version: int) -> None:
    create(tmp_path / "a.zarr", FIELD, version, {"abs": 1e-2})
    again = read_elsewhere(tmp_path / "a.zarr", tmp_path / "a.npy")
    assert again.dtype == FIELD.dtype and 0 < np.abs(again - FIELD).max() <= 1e-2
    stored = sum(file.stat().st_size for file in (tmp_path / "a.zarr").rglob("*") if file.is_file())
    assert stored < FIELD.nbytes / 2


@pytest.mark.parametrize("codec", LOSSY)
@pytest.mark.parametrize("version", [2, 3])
def test_every_codec(tmp_path: Path, version: int, codec: str) -> None:
    made = create(tmp_path / "a.zarr", FIELD, version, {"codec": codec, "mode": "dense", "abs": 1e-2})
    assert np.abs(made[...] - FIELD).max() <= 1e-2


@pytest.mark.parametrize("options", [{}, {"shards": (16, 32, 32)}])
def test_staithe_reads_chunks_however_they_are_cut(tmp_path: Path, options: dict[str, Any]) -> None:
    made = create(tmp_path / "a.zarr", FIELD, 3, {"abs": 1e-2}, **options)
    (step,) = staithe.reader(str(tmp_path / "a.zarr"))
    for part in [(slice(None),) * 3, (slice(3, 19, 2), slice(5, 30), slice(None, None, 3)), (7, slice(15, 17), -1)]:
        np.testing.assert_array_equal(step["a"][part], made[...][part])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("version", [2, 3])
def test_every_dtype_exactly(tmp_path: Path, version: int, dtype: str) -> None:
    array = filled((20, 30, 17), dtype, "bits", 1)
    made = create(tmp_path / "a.zarr", array, version, {})
    assert made.dtype == array.dtype and bits(made[...]) == bits(array)


@pytest.mark.parametrize("dtype", [">f4", ">i2", ">c16"])
def test_other_byte_orders(tmp_path: Path, dtype: str) -> None:
    array = field("turbulence", "f4", (10, 20, 30)).astype(dtype)
    made = create(tmp_path / "3.zarr", array, 3, {"abs": 0.25})
    assert np.abs(made[...] - array).max() <= 0.25
    with pytest.raises(staithe.InvalidArgument, match="keeps no byte order"):
        create(tmp_path / "2.zarr", array, 2, {"abs": 0.25})


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ms]"])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.filterwarnings("ignore:.*does not have a Zarr V3 specification")
def test_times_are_whole_numbers(tmp_path: Path, version: int, dtype: str) -> None:
    array = np.arange(1000).reshape(10, 100).astype(dtype)
    array[3, 4] = np.array("NaT", dtype)
    made = create(tmp_path / "a.zarr", array, version, {"abs": 1.0}, chunks=(4, 50))
    assert made.dtype == array.dtype and bits(made[...]) == bits(array)


def test_what_is_no_number_is_told(tmp_path: Path) -> None:
    for version in (2, 3):
        with pytest.raises(staithe.InvalidArgument, match="takes numbers, times among them, and not"):
            create(tmp_path / f"{version}.zarr", np.array([b"ab", b"cd"]), version, {}, chunks=(2,))
    with pytest.raises(staithe.InvalidArgument, match="give one bound"):
        ForZarr(abs=1, rel=1)
    with pytest.raises(staithe.InvalidArgument, match="no mode 'best'"):
        ForNumcodecs(mode="best")


@pytest.mark.parametrize("door", [ForZarr, ForNumcodecs])
@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"rel": -1}, staithe.InvalidArgument, "a bound of rel=-1 cannot be"),
        ({"rel": "1e-3"}, TypeError, "rel must be float or None, not str"),
        ({"level": 3}, staithe.InvalidArgument, "the codec dq has no levels"),
        ({"codec": "gzip"}, staithe.NotFound, "there is no codec 'gzip' here"),
    ],
)
def test_what_cannot_be_is_said_before_there_is_a_store(
    door: Any, how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        door(**how)


def test_metadata_may_name_a_codec_that_is_not_here() -> None:
    kept = {"codec": "elsewhere", "mode": "fast", "abs": 0.5}
    of_zarr = ForZarr.from_dict({"name": "staithe", "configuration": kept})
    of_numcodecs = numcodecs.get_codec({"id": "staithe"} | kept)
    assert (of_zarr.as_json(), of_numcodecs.get_config()) == (kept, {"id": "staithe"} | kept)
    with pytest.raises(staithe.NotFound, match="no codec 'elsewhere'"):
        of_numcodecs.encode(FIELD)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("version", [2, 3])
def test_both_orders(tmp_path: Path, version: int, order: Literal["C", "F"]) -> None:
    array = np.asarray(FIELD, order=order)
    option = {"order": order} if version == 2 else {"config": {"order": order}}
    made = create(tmp_path / "a.zarr", array, version, {"abs": 1e-2}, **option)
    assert np.abs(made[...] - FIELD).max() <= 1e-2
    assert np.abs(made[3:19, 5, ::7] - FIELD[3:19, 5, ::7]).max() <= 1e-2


@pytest.mark.parametrize("version", [2, 3])
def test_fill_values_come_back(tmp_path: Path, version: int) -> None:
    array = FIELD.copy()
    array[4:9, 3] = array[-1] = -9999.9
    made = create(
        tmp_path / "a.zarr",
        array,
        version,
        {"rel": 1e-3} | ({"fill": -9999.9} if version == 2 else {}),
        fill_value=np.float32(-9999.9),
    )
    missing = array == np.float32(-9999.9)
    again = made[...]
    assert (again[missing] == np.float32(-9999.9)).all()
    # A bound by the range of what is there, which -9999.9 would have made a hundred times wider.
    assert np.abs(again - array)[~missing].max() <= 1e-3 * np.ptp(FIELD)
    untouched = zarr.create_array(
        tmp_path / "b.zarr", shape=(8, 16, 16), chunks=CHUNKS, dtype="f4", fill_value=7.5, serializer=ForZarr(abs=1)
    )
    assert (untouched[...] == 7.5).all()


def test_shards(tmp_path: Path) -> None:
    made = create(tmp_path / "a.zarr", FIELD, 3, {"abs": 1e-2}, chunks=(4, 8, 8), shards=(8, 16, 16))
    assert np.abs(made[2:7, 9, ::3] - FIELD[2:7, 9, ::3]).max() <= 1e-2
    again = read_elsewhere(tmp_path / "a.zarr", tmp_path / "a.npy")
    assert np.abs(again - FIELD).max() <= 1e-2


def test_what_follows_is_applied_to_the_payload(tmp_path: Path) -> None:
    made = create(tmp_path / "a.zarr", FIELD, 3, {"abs": 1e-2}, compressors=zarr.codecs.Crc32cCodec())
    assert np.abs(made[...] - FIELD).max() <= 1e-2


def test_damage_is_told(tmp_path: Path) -> None:
    made = create(tmp_path / "a.zarr", FIELD, 3, {"abs": 1e-2})
    chunk = next(file for file in (tmp_path / "a.zarr" / "c").rglob("*") if file.is_file())
    chunk.write_bytes(chunk.read_bytes()[:-1])
    with pytest.raises(staithe.ProtocolError):
        made[...]


HOWS: list[dict[str, Any]] = [
    {},
    {"codec": "zfp", "rel": 1e-3},
    {"mode": "auto", "psnr": 60, "fill": -1.5},
]


@pytest.mark.parametrize("how", HOWS)
def test_metadata_are_what_was_asked_for(tmp_path: Path, how: dict[str, Any]) -> None:
    expected = {"codec": "dq", "mode": "fast"} | how
    for version, file in ((2, ".zarray"), (3, "zarr.json")):
        create(tmp_path / f"{version}.zarr", FIELD[:2, :2, :2], version, how)
        metadata = json.loads((tmp_path / f"{version}.zarr" / file).read_text())
        if version == 2:
            assert metadata["compressor"] == {"id": "staithe"} | expected
            assert zarr.open_array(tmp_path / "2.zarr").compressors == (ForNumcodecs(**how),)
        else:
            assert metadata["codecs"] == [{"name": "staithe", "configuration": expected}]
            assert zarr.open_array(tmp_path / "3.zarr").serializer == ForZarr(**how)
    codec = ForNumcodecs(**how)
    assert numcodecs.get_codec(codec.get_config()) == codec


def test_numcodecs_alone() -> None:
    codec = numcodecs.get_codec({"id": "staithe", "rel": 1e-3})
    payload = codec.encode(FIELD)
    again = codec.decode(bytes(payload))
    assert again.shape == FIELD.shape and np.abs(again - FIELD).max() <= 1e-3 * np.ptp(FIELD)
    out = np.empty_like(FIELD)
    assert codec.decode(payload, out=out) is out and (out == again).all()
    assert "rel=0.001" in repr(codec)
