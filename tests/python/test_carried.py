"""tools/carried.py: whatever is carried without its licence is found. `make wheel` holds a wheel to it."""

from __future__ import annotations

from pathlib import Path

import pytest

import carried
import check_layers


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """One that carries two libraries and a plugin."""
    (tmp_path / "lib").mkdir()
    for name in ("libstaithe.so.0.1", "libfmt.so.9", "libzstd.so.1", "staithe_codec_sperr.so"):
        (tmp_path / "lib" / name).touch()
    return tmp_path


@pytest.fixture
def texts() -> dict[str, str]:
    names = {name for names in carried.OF_HEADERS.values() for name in names}
    return dict.fromkeys(names | set(carried.OF_BINDINGS) | {"sperr"}, "Copyright 2026 somebody")


def test_one_with_all_licences_lacks_none(package: Path, texts: dict[str, str]) -> None:
    assert carried.libraries(package) == ["fmt", "zstd"]
    assert list(carried.lacking(package, texts)) == []


def test_a_library_without_one_is_found(package: Path, texts: dict[str, str]) -> None:
    (package / "lib" / "libnew.so.3").touch()
    del texts["sperr"]
    texts["fmt"] = ""
    missing = [f"there is no licence of {name}" for name in ("fmt", "new", "sperr")]
    assert list(carried.lacking(package, texts)) == missing


def test_headers_and_plugins_that_nobody_knows_are_found(
    package: Path, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(check_layers.WRAPPED_BY, r"eigen/.*", "src/array/eigen.cpp")
    (package / "lib" / "staithe_codec_new.so").touch()
    assert list(carried.lacking(package, texts)) == [
        "tools/carried.py does not know whose the headers eigen/.* are",
        "tools/carried.py does not know what is in the plugin new",
    ]
