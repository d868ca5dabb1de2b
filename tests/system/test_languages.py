"""Writers and readers of any language mix: each pair moves every dtype, and NumPy says what is right.

The programs in languages/ write and read the same steps: shape (3, 4), at place k (counted row by
row) a value that follows from k + step, for each dtype; a loan; a unit; attributes. Others share a
space of a server: rank 0 is Python, 1 is C, 2 is Fortran, and each puts two rows of a plate T of
shape (6, 4), T[i, j] = 10 i + j, as version 7. And others put versions 0 to 13 of T, of shape (4),
T[i] = version + i, in a batch, by a loan (version 10 is twice version 9) and without waiting, watch
them, and print the sum of version 10, the newest of `answer`, which is that sum, and how many blocks
version 10 has.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hosts import network, result_of, skip_reason
from space_servers import own_run_directory, serving

import staithe

SOURCES = Path(__file__).parent / "languages"
LANGUAGES = ("python", "c", "cpp", "fortran")
SHARING = ("python", "c", "fortran")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The command of each language's program."""
    build = tmp_path_factory.mktemp("languages")
    package = Path(staithe.__file__).parent
    for command in (
        ["cmake", "-S", SOURCES, "-B", build, f"-DCMAKE_PREFIX_PATH={package}", "-DCMAKE_BUILD_TYPE=Debug"],
        ["cmake", "--build", build, "--parallel", "2"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    commands = {language: [str(build / f"mixed_{language}")] for language in LANGUAGES}
    return commands | {"python": [sys.executable, str(SOURCES / "mixed.py")]}


def start(command: list[str], what: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, what, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ
    )


@pytest.mark.parametrize("reader", LANGUAGES)
@pytest.mark.parametrize("writer", LANGUAGES)
def test_every_dtype_arrives(writer: str, reader: str, programs: dict[str, list[str]], stream: str) -> None:
    if "fortran" in (writer, reader) and shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    ends = [start(programs[writer], "write", stream), start(programs[reader], "read", stream)]
    outputs = [end.communicate(timeout=60)[0] for end in ends]
    assert outputs == ["", ""]
    assert [end.returncode for end in ends] == [0, 0]


@pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))
def test_every_dtype_arrives_on_another_host(programs: dict[str, list[str]]) -> None:
    folder = Path(programs["c"][0]).parent
    together = {"STAITHE_RUN_DIR": str(folder), "STAITHE_LISTEN": ":0"}
    languages = [name for name in LANGUAGES if name != "fortran" or shutil.which("gfortran")]
    with network("alpha", "beta", shared=folder) as (alpha, beta):
        for writer, reader in zip(languages, languages[1:] + languages[:1], strict=True):
            stream = f"{writer}-{reader}"
            ends = [
                alpha.popen([*programs[writer], "write", stream], env=together),
                beta.popen([*programs[reader], "read", stream], env=together),
            ]
            assert [result_of(end) for end in ends] == ["", ""]


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran")
def test_a_space_is_shared(programs: dict[str, list[str]]) -> None:
    folder = Path(programs["c"][0]).parent
    commands = {language: [str(folder / f"shared_{language}")] for language in SHARING}
    commands["python"] = [sys.executable, str(SOURCES / "shared.py")]
    plate = 10.0 * np.arange(6)[:, None] + np.arange(4)
    with own_run_directory(), serving():
        # Those who get wait for the last of those who put.
        ends = [start(commands[language], what, "plate") for what in ("get", "put") for language in SHARING]
        outputs = [end.communicate(timeout=60)[0] for end in ends]
    assert outputs == [f"{plate.sum()} {np.count_nonzero(plate > 31)}\n"] * 3 + [""] * 3
    assert [end.returncode for end in ends] == [0] * 6


@pytest.mark.parametrize("keeper", ["itself", "a server"])
@pytest.mark.parametrize("language", ["c", "fortran"])
def test_versions_are_put_and_followed(language: str, keeper: str, programs: dict[str, list[str]]) -> None:
    if language == "fortran" and shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    program = [str(Path(programs["c"][0]).with_name(f"follows_{language}"))]
    version_10 = 2 * (9.0 + np.arange(4))
    printed = f"{version_10.sum()} {version_10.sum()} 1\n"
    if keeper == "itself":
        assert start(program, "run", "").communicate(timeout=60)[0] == printed
        return
    with own_run_directory(), serving(), staithe.space("run", server="staithe") as space:
        end = start(program, "run", "staithe")
        got = [space.get("T", version=version) for version in range(14)]
        space.put("answer", got[10].sum())
        assert end.communicate(timeout=60)[0] == printed
        assert [version.number for version in space.versions("T")] == list(range(14))
    np.testing.assert_array_equal(got[10], version_10)
    np.testing.assert_array_equal([*got[:10], *got[11:]], [n + np.arange(4.0) for n in (*range(10), 11, 12, 13)])


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no gfortran")
@pytest.mark.parametrize("name", ["behaviour", "over_steps", "spaces", "space_calls"])
def test_the_fortran_module_at_its_edges(name: str, programs: dict[str, list[str]], tmp_path: Path) -> None:
    program = Path(programs["fortran"][0]).with_name(f"{name}_fortran")
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
