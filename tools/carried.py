"""What an installation of Staithe carries of other people's work, and which licences it lacks.

Shared libraries are found where they lie. What is compiled in is known by the headers that name it, which
tools/check_layers.py holds, and by the plugins.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import check_layers

# By their patterns in check_layers.WRAPPED_BY: the names of licences.
OF_HEADERS: dict[str, tuple[str, ...]] = {
    r"asio(/.*)?\.hpp": ("asio",),
    r"nlohmann/.*": ("nlohmann-json3",),
    r"fmt/.*": ("fmt",),
    r"tl/.*": ("expected",),
    r"xxhash\.h": ("xxhash",),
    r"blosc\.h": ("blosc", "bitshuffle", "fastlz", "lz4", "zlib-ng", "zstd"),
    r"lz4(hc)?\.h": ("lz4",),
    r"zstd(_errors)?\.h": ("zstd",),
    r"libdeflate\.h": ("deflate",),
    r"zlib\.h": (),  # in the place of libdeflate, as a shared library
    r"SZ3/.*": ("SZ3", "ska_hash"),
    r"zfp\.h": ("zfp",),
    r"sodium\.h": ("sodium",),
    # The compiler's, the C library's, and the user's own MPI.
    r"\w+intrin\.h|cpuid\.h": (),
    r"mpi\.h": (),
    r"std(def|int|io)\.h": (),
    r".*\.h": (),
}

OF_PLUGINS: dict[str, tuple[str, ...]] = {
    "blosc2": ("blosc2", "bitshuffle", "fastlz", "lz4", "xxhash", "zfp", "zlib-ng", "zstd"),
    "sperr": ("sperr",),
}

OF_BINDINGS = ("nanobind", "robin_map")


def licences(distribution: metadata.Distribution) -> dict[str, str]:
    """The licences that are installed, by name."""
    found = (file for file in distribution.files or () if file.parent.name == "licenses")
    return {file.stem: Path(str(file.locate())).read_text() for file in found}


def libraries(package: Path) -> list[str]:
    """The names of other people's shared libraries that lie in the package, such as "zstd"."""
    files = (file.name for file in (package / "lib").glob("lib*.so.*"))
    return sorted(name.partition(".so")[0].removeprefix("lib") for name in files if not name.startswith("libstaithe"))


def lacking(package: Path, texts: dict[str, str]) -> Iterator[str]:
    """What is carried without its licence, in words."""
    for pattern in check_layers.WRAPPED_BY.keys() - OF_HEADERS.keys():
        yield f"tools/carried.py does not know whose the headers {pattern} are"
    plugins = {file.stem.removeprefix("staithe_codec_") for file in (package / "lib").glob("staithe_codec_*.so")}
    for plugin in sorted(plugins - OF_PLUGINS.keys()):
        yield f"tools/carried.py does not know what is in the plugin {plugin}"
    needed = {name for names in OF_HEADERS.values() for name in names} | set(OF_BINDINGS) | set(libraries(package))
    needed |= {name for plugin in plugins for name in OF_PLUGINS.get(plugin, ())}
    for name in sorted(needed):
        text = texts.get(name, "").lower()
        if "copyright" not in text and "(c)" not in text:
            yield f"there is no licence of {name}"
