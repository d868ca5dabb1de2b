from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import staithe
from staithe.cli.config_command import print_config

pytestmark = pytest.mark.timeout(60)

Command = Callable[..., tuple[int, str, str]]


def test_version(staithe_command: Command) -> None:
    code, out, _ = staithe_command("--version")
    assert (code, out) == (0, f"{staithe.__version__}\n")
    assert staithe_command("config", "--version")[1] == out


def test_folders_of_an_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (
        "lib/cmake/staithe/staitheConfig.cmake",
        "include/staithe/staithe.hpp",
        "lib/libstaithe.so",
        "share/staithe/fortran/staithe.f90",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    fortran = tmp_path / "share" / "staithe" / "fortran"
    (fortran / "sources.txt").write_text("staithe_c.f90\nstaithe.f90\n")
    monkeypatch.setattr(staithe, "__path__", [str(tmp_path)])
    print_config(cmake_dir=True, include_dir=True, lib_dir=True, fortran_dir=True, cflags=True, libs=True)
    print_config(fortran_sources=True)
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/lib/cmake/staithe",
        f"{tmp_path}/include",
        f"{tmp_path}/lib",
        f"{tmp_path}/share/staithe/fortran",
        f"-I{tmp_path}/include",
        f"-L{tmp_path}/lib -Wl,-rpath,{tmp_path}/lib -lstaithe",
        f"{fortran}/staithe_c.f90 {fortran}/staithe.f90",
    ]


def test_all_of_it_as_json(staithe_command: Command) -> None:
    code, out, _ = staithe_command("config", "--json")
    assert code == 0
    everything = json.loads(out)
    assert list(everything) == [
        *(
            "version",
            "cmake_dir",
            "pkgconfig_dir",
            "include_dir",
            "lib_dir",
            "fortran_dir",
            "fortran_sources",
            "cflags",
            "libs",
        ),
    ]
    for option in ("version", "cmake_dir", "include_dir", "lib_dir", "fortran_dir"):
        assert staithe_command("config", f"--{option.replace('_', '-')}")[1] == f"{everything[option]}\n"


def test_an_installation_without_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staithe, "__path__", [str(tmp_path)])
    with pytest.raises(staithe.NotFound, match=r"has no include/staithe/staithe\.hpp; install it with: pip install \."):
        print_config(include_dir=True)


def test_the_headers_of_this_installation_compile(staithe_command: Command, tmp_path: Path) -> None:
    code, include, _ = staithe_command("config", "--include-dir")
    assert code == 0
    source = tmp_path / "version.cpp"
    source.write_text("#include <staithe/version.hpp>\nint main() { return 0; }\n")
    subprocess.run(["c++", "-std=c++20", f"-I{include.strip()}", "-fsyntax-only", source], check=True, timeout=60)
