"""What goes to readers of other hosts, encoded by a GPU: the stand-in for one, which runs the kernels on the CPU."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hosts import Host, line_of, result_of, skip_reason

pytestmark = [
    pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason())),
    pytest.mark.skipif(shutil.which("c++") is None, reason="the stand-ins for a GPU take a C++ compiler"),
]

ROOT = Path(__file__).resolve().parents[2]

FIELD = """
    import json, numpy as np, os, staithe
    z, y, x = np.meshgrid(*(np.linspace(0, 1, n) for n in (8, 32, 64)), indexing="ij")
    field = (300 + 40 * np.sin(7 * z) * np.cos(5 * y) + 3 * x).astype("f4")
    error = float(os.environ["ERROR"])
"""
WRITER = (
    FIELD
    + """
    with staithe.writer("melt", timeout=60, error=f"{error} abs" if error else None, queue_steps=2) as out:
        print("opened", flush=True)
        for i in range(600):
            with out.step() as step:
                step.put("T", field + i)
"""
)
READER = (
    FIELD
    + """
    with staithe.reader("melt", timeout=60, codec=os.environ["CODEC"]) as stream:
        for step in stream:
            off = np.abs(step["T"][...] - (field + step.index)).max()
            assert off <= error, (step.index, off)
            if step.index == 596:
                [link] = staithe.describe("melt")["readers"][0]["members"][0]["network"]
    print(json.dumps(link["coded"][0]["ways"]))
"""
)


@pytest.fixture
def fake(shared_directory: Path) -> dict[str, str]:
    """Where programs find the stand-in in the place of NVIDIA's libraries."""
    library = shared_directory / "libcuda.so.1"
    folders = [f"-I{ROOT / folder}" for folder in ("tests", "src", "include")]
    options = ["-std=c++20", "-O2", "-ffp-contract=off", "-shared", "-fPIC", *folders]
    sources = [ROOT / "tests" / "cuda" / name for name in ("fake_gpu.cpp", "fake_nvcomp.cpp")]
    subprocess.run(["c++", *options, *sources, "-o", library, "-llz4", "-lzstd"], check=True)
    for name in ("libnvrtc.so.12", "libnvcomp.so.6"):
        (shared_directory / name).symlink_to(library)
    return {"LD_LIBRARY_PATH": str(shared_directory), "STAITHE_CUDA": "on"}


def ways_of(
    hosts: list[Host], env: dict[str, str], codec: str = "dq", error: float = 1e-2
) -> dict[tuple[str, str], dict[str, int]]:
    """The ways that all steps have gone, by codec and device."""
    env = env | {"CODEC": codec, "ERROR": str(error)}
    writer = hosts[0].python(WRITER, env=env | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reader = hosts[1].python(READER, env=env)
    return {(way["codec"], way["device"]): way for way in json.loads(result_of(reader))}


def test_a_gpu_is_one_of_the_devices(hosts: list[Host], together: dict[str, str], fake: dict[str, str]) -> None:
    ways = ways_of(hosts, together | fake)
    assert ways["dq", "cuda"]["tries"] > 0
    assert ways["dq", "cuda"]["failures"] == 0


def test_a_gpu_encodes_what_is_exact(hosts: list[Host], together: dict[str, str], fake: dict[str, str]) -> None:
    ways = ways_of(hosts, together | fake, "shuffle+zstd", 0.0)
    assert ways["shuffle+zstd", "cuda"]["tries"] > 0
    assert ways["shuffle+zstd", "cuda"]["failures"] == 0


def test_a_gpu_that_goes_away_is_done_without(
    hosts: list[Host], together: dict[str, str], fake: dict[str, str]
) -> None:
    in_first_work = "22"
    ways = ways_of(hosts, together | fake | {"FAKE_GPU_LOST_AT": in_first_work})
    assert (ways["dq", "cuda"]["tries"], ways["dq", "cuda"]["failures"]) == (0, 1)
    assert ways["dq", "cpu"]["tries"] > 0


def test_without_a_gpu_the_cores_go_on(hosts: list[Host], together: dict[str, str]) -> None:
    ways = ways_of(hosts, together | {"STAITHE_CUDA": "on"})
    assert ("dq", "cuda") not in ways
    assert sum(way["tries"] for way in ways.values()) > 0
