"""Plugins: loaded by their path, believed in nothing. Each misbehaves in one way, compiled from plugins/naughty.cpp."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import staithe
from staithe import codecs

sys.path.append(str(Path(__file__).parent))
from arrays import Array, bits, field

ROOT = Path(__file__).resolve().parents[3]
STAITHE = str(Path(sys.executable).with_name("staithe"))

numbers = itertools.count()
Compile = Callable[..., Path]
Load = Callable[..., str]


def command_output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def include_flags() -> list[str]:
    return command_output(STAITHE, "config", "--cflags").split()


@pytest.fixture
def compile_plugin(tmp_path: Path, include_flags: list[str]) -> Compile:
    """Compiles plugins/naughty.cpp with such macros; returns the shared library."""

    def compile_one(*macros: str, name: str = "naughty") -> Path:
        library = tmp_path / f"{name}.so"
        source = str(Path(__file__).with_name("plugins") / "naughty.cpp")
        defined = [f"-D{macro}" for macro in (*macros, f'NAME="{name}"')]
        words = ["c++", "-std=c++17", "-Wall", "-Werror", "-shared", "-fPIC", *include_flags, *defined]
        subprocess.run([*words, source, "-o", library], check=True)
        return library

    return compile_one


@pytest.fixture
def load(compile_plugin: Compile) -> Load:
    """Compiles and loads; returns a name that no other test of this process uses, since nothing is unloaded."""

    def load_one(*macros: str) -> str:
        name = f"naughty-{next(numbers)}"
        codec = codecs.load(compile_plugin(*macros, name=name))
        assert codec.name == name and not codec.missing
        return name

    return load_one


def special() -> Array:
    """A field with all that a lossy library must not see."""
    array = field("turbulence", "f8", (20, 30, 40))
    generator = np.random.default_rng(1)
    for value in (np.nan, np.inf, -np.inf, -0.0, 5e-324, -1e-310, 1e20):
        array[generator.random(array.shape) < 0.01] = value
    return array


def check(name: str, array: Array, bound: float = 1e-3) -> codecs.Payload:
    """That the bound is kept, and what must come back bit by bit does; returns what the payload says of itself."""
    payload = codecs.encode(array, name, abs=bound, fill=1e20)
    result = codecs.decode(payload)
    with np.errstate(invalid="ignore"):
        kept = ~np.isfinite(array) | (np.abs(array) < np.finfo("f8").tiny) | (array == 1e20)
        assert bits(result[kept]) == bits(array[kept])
        assert (np.abs(result - array)[~kept] <= bound).all()
    assert (result[~kept] != 1e20).all()
    info = codecs.inspect(payload)
    assert info.codec == name
    return info


def exact_tiles(name: str, array: Array) -> codecs.Payload:
    payload = codecs.encode(array, name)
    assert bits(codecs.decode(payload)) == bits(array)
    return codecs.inspect(payload)


def with_zeros() -> Array:
    array = np.zeros(1000, "i4")
    array[:100] = np.arange(1, 101)
    return array


def test_a_plugin_codes_within_bounds_and_exactly(load: Load) -> None:
    name = load("NAUGHTY_NOT")
    info = check(name, special())
    assert (info.tiles, info.raw_tiles, info.fallback_tiles) == (1, 0, 0)
    info = exact_tiles(name, with_zeros())
    assert (info.raw_tiles, info.fallback_tiles) == (0, 0)
    assert codecs.encode(with_zeros(), name).nbytes < 1000
    codec = next(codec for codec in codecs.list() if codec.name == name)
    assert codec.lossless and codec.lossy == (np.dtype("f8"), np.dtype("c16"))
    check(name, np.ascontiguousarray(special().view("c16").real))
    single = special().astype("f4")  # which it does not take within bounds, so that they come back exactly
    assert bits(codecs.decode(codecs.encode(single, name, abs=0.1))) == bits(single)


def test_single_violations_are_put_right(load: Load) -> None:
    info = check(load("NAUGHTY_SOME"), special())
    assert (info.raw_tiles, info.fallback_tiles) == (0, 0)


def test_nothing_turns_into_fill(load: Load) -> None:
    name = load("NAUGHTY_FILL")
    array = np.linspace(3.9, 4.1, 10_000)
    result = codecs.decode(codecs.encode(array, name, abs=0.2, fill=4.0))
    assert (result != 4.0).all() and np.abs(result - array).max() <= 0.2
    info = codecs.inspect(codecs.encode(array, name, abs=0.2, fill=4.0))
    assert (info.raw_tiles, info.fallback_tiles) == (0, 0)


@pytest.mark.parametrize(
    "fault",
    ["ALL", "THROW", "THROW_NUMBER", "FAIL", "SIZE", "HUGE_SIZE", "NO_SIZE", "THROW_BACK", "LAZY"],
)
def test_what_fails_does_no_harm(load: Load, fault: str) -> None:
    name = load(f"NAUGHTY_{fault}", "RAISES=4")
    info = check(name, special())
    assert (info.raw_tiles, info.fallback_tiles) == (0, 1)
    array = np.tile(special(), (5, 2, 2))
    info = check(name, array)
    assert info.fallback_tiles == info.tiles > 1


@pytest.mark.parametrize("fault", ["ALL", "THROW", "SIZE", "LAZY"])
def test_what_fails_exactly_does_no_harm(load: Load, fault: str) -> None:
    info = exact_tiles(load(f"NAUGHTY_{fault}"), with_zeros())
    assert (info.raw_tiles, info.fallback_tiles) == (0, 1)


def test_why_a_plugin_was_not_used_is_logged(compile_plugin: Compile) -> None:
    program = f"""
import numpy as np
from staithe import codecs
codecs.load({str(compile_plugin("NAUGHTY_FAIL"))!r})
codecs.encode(np.linspace(0, 1, 1000), "naughty", abs=0.1)
"""
    environment = os.environ | {"STAITHE_LOG": "debug"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert "the codec naughty gives up a tile of shape (1000): the plugin says: I do not feel like it" in ran.stderr


def tolerance_of(payload: Array) -> float:
    """Of the first tile of a payload of one dimension."""
    offset = int(payload[56:64].view("u8")[0])
    return float(payload[offset + 8 : offset + 16].copy().view("f8")[0])


@pytest.mark.parametrize(("raises", "most"), [(0, 1.0), (1, 2.0), (4, 4.0)])
def test_the_tolerance_of_a_careful_plugin_is_raised(load: Load, raises: int, most: float) -> None:
    name = load("NAUGHTY_CAREFUL", f"RAISES={raises}")
    array = np.sin(np.linspace(0, 50, 20_000))
    payload = codecs.encode(array, name, abs=0.01)
    assert tolerance_of(payload) == 0.01 * most
    assert np.abs(codecs.decode(payload) - array).max() <= 0.01


def test_loading_twice_changes_nothing(compile_plugin: Compile) -> None:
    library = compile_plugin(name="twice")
    first = codecs.load(library)
    before = codecs.list()
    assert codecs.load(library) == first
    assert codecs.load(str(library)) == first
    assert codecs.list() == before
    assert sum(codec.name == "twice" for codec in before) == 1


@pytest.mark.parametrize("name", ["dq", "shuffle+zstd"])
def test_names_are_taken_once(compile_plugin: Compile, name: str) -> None:
    if any(codec.name == name and codec.missing for codec in codecs.list()):
        pytest.skip(f"there is no {name}")
    with pytest.raises(staithe.AlreadyExists, match=f"calls itself '{name[:2]}"):
        codecs.load(compile_plugin(name=name))


@pytest.mark.parametrize(
    ("macro", "why"),
    [
        ("ABI=2", "built for ABI 2, and this Staithe has ABI 1"),
        ("NAUGHTY_SMALL", "struct_size"),
        ("NAUGHTY_NULL", "no staithe_codec_plugin_get that returns one"),
        ("NAUGHTY_GET", "no plugin today"),
        ("NAUGHTY_EMPTY", "neither lossy nor lossless"),
        ("NAUGHTY_HALF", "does not both compress and decompress"),
        ("NAUGHTY_LOSSLESS_HALF", "does not unpack"),
        ("NAUGHTY_FLAT", "max_dimensions"),
        ("RAISES=9", "does not know"),
        ("NAUGHTY_FUTURE", "does not know"),
        ("NAUGHTY_NAMELESS", "its name must be"),
    ],
)
def test_what_is_no_plugin_is_refused(compile_plugin: Compile, macro: str, why: str) -> None:
    before = codecs.list()
    library = compile_plugin(macro)
    with pytest.raises(staithe.InvalidArgument, match=why) as error:
        codecs.load(library)
    assert str(library) in str(error.value)
    assert codecs.list() == before


@pytest.mark.parametrize("name", ["Upper", "with space", "far-too-long-for-it", ""])
def test_names_must_be_plain(compile_plugin: Compile, name: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match="its name must be 1 to 16"):
        codecs.load(compile_plugin(name=name))


def test_what_is_no_library_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(staithe.NotFound, match="cannot be loaded"):
        codecs.load(tmp_path / "nothing.so")
    (tmp_path / "text.so").write_text("this is no library")
    with pytest.raises(staithe.NotFound, match=r"text\.so"):
        codecs.load(tmp_path / "text.so")
    with pytest.raises(staithe.InvalidArgument, match="no codec plugin"):
        codecs.load("libc.so.6")


def test_the_environment_names_plugins(compile_plugin: Compile, tmp_path: Path) -> None:
    paths = [compile_plugin(name="first"), tmp_path / "gone.so", compile_plugin(name="second")]
    program = """
import numpy as np
from staithe import codecs
found = {codec.name: codec.missing for codec in codecs.list()}
assert found["first"] == found["second"] == ""
assert "gone.so cannot be loaded" in found["gone"], found
codecs.decode(codecs.encode(np.linspace(0, 1, 1000), "second", abs=0.1))
try:
    codecs.encode(np.zeros(3), "gone")
except Exception as error:
    print(type(error).__name__)
"""
    environment = os.environ | {"STAITHE_CODEC_PLUGINS": ":".join(map(str, paths)) + ":"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "NotFound\n"
    assert "STAITHE_CODEC_PLUGINS: the codec plugin" in ran.stderr


def test_a_payload_needs_its_plugin(load: Load, tmp_path: Path) -> None:
    name = load("NAUGHTY_NOT")
    (tmp_path / "payload").write_bytes(codecs.encode(np.linspace(0, 1, 1000), name, abs=0.1))
    program = f"from staithe import codecs; codecs.decode(open({str(tmp_path / 'payload')!r}, 'rb').read())"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"NotFound: there is no codec '{name}' here" in ran.stderr


def test_the_example_keeps_its_promise(tmp_path: Path, include_flags: list[str]) -> None:
    library = tmp_path / "scale_offset.so"
    source = ROOT / "examples" / "codec_plugin" / "scale_offset.c"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["cc", *strict, "-O2", "-shared", "-fPIC", *include_flags, source, "-o", library, "-lm"], check=True)
    assert codecs.load(library).name == "scale-offset"
    for dtype in ("f4", "f8"):
        array = field("turbulence", dtype)
        for bound, least in ((0.1, 3.9), (1e-4, 1.9)):
            payload = codecs.encode(array, "scale-offset", abs=bound)
            assert np.abs(codecs.decode(payload).astype("f8") - array).max() <= bound
            assert codecs.inspect(payload).fallback_tiles == 0
            assert array.nbytes / payload.nbytes > least * (1 if dtype == "f4" else 2)
    info = check("scale-offset", special())
    assert info.fallback_tiles == 0
    payload = codecs.encode(np.array([0, 1e300]), "scale-offset", abs=1e-6)
    assert codecs.inspect(payload).fallback_tiles + codecs.inspect(payload).raw_tiles == 1
