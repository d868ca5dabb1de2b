from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import staithe
from staithe.workflow import load
from staithe.workflow.launch import Launch, RunDirectories, launches
from staithe.workflow.mpi import launcher_words
from staithe.workflow.values import argument_of_text

Write = Callable[..., Path]

MOMENTS = "import staithe\nclass Moments(staithe.Analysis): pass\n"
FLOW = """
programs:
  sim: {command: python sim.py 3}
  msd: {command: sh -c true}
  mom: {analysis: mom.py, ranks: 2}
streams:
  field: {from: sim, to: [msd, mom], queue_steps: 2, queue_bytes: 1 GiB}
  log: {from: sim, to: []}
"""


def launched(file: Path, tmp_path: Path) -> dict[str, Launch]:
    directories = RunDirectories(tmp_path / "run", tmp_path / "done")
    return {launch.name: launch for launch in launches(load(file), directories)}


def test_python_is_this_interpreter(write_workflow: Write, tmp_path: Path) -> None:
    started = launched(write_workflow(FLOW, sim="", mom=MOMENTS), tmp_path)
    assert started["sim"].words == (sys.executable, "sim.py", "3")
    assert started["msd"].words == ("sh", "-c", "true")
    assert started["sim"].directory == tmp_path


def test_an_analysis_becomes_a_reader_program(write_workflow: Write, tmp_path: Path) -> None:
    words = launched(write_workflow(FLOW, sim="", mom=MOMENTS), tmp_path)["mom"].words
    assert words[-6:] == (
        sys.executable,
        "-m",
        "staithe.cli",
        "analyse",
        f"{tmp_path}/mom.py:Moments",
        "field",
    )
    assert Path(words[0]).name == "mpiexec"
    assert words[1:3] == ("-n", "2")


def test_a_writer_is_told_how_its_queue_overflows(write_workflow: Write, tmp_path: Path) -> None:
    flow = FLOW.replace("log: {", "log: {overflow: keep-every-10, ")
    flow = flow.replace("queue_steps: 2", "overflow: spill, spill_dir: ., spill_bytes: 3 GiB")
    settings = launched(write_workflow(flow, sim="", mom=MOMENTS), tmp_path)["sim"].environment["STAITHE_STREAMS"]
    streams = json.loads(settings)
    assert streams["log"] == {"placement": "producer", "readers": 0, "overflow": "keep-every-10"}
    spill = {name: value for name, value in streams["field"].items() if "spill" in str((name, value))}
    assert spill == {"overflow": "spill", "spill_directory": str(tmp_path), "spill_bytes": "3 GiB"}


def test_a_writer_is_told_by_how_much_its_values_may_be_off(
    write_workflow: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = FLOW.replace("queue_steps: 2", "error: {T: 0.01 abs, mask: exact, '*': 1e-3 rel}")
    settings = launched(write_workflow(flow, sim="", mom=MOMENTS), tmp_path)["sim"].environment["STAITHE_STREAMS"]
    monkeypatch.setenv("STAITHE_STREAMS", settings)
    with staithe.writer("field", readers=0, timeout=20) as out, staithe.reader("field", timeout=20) as steps:
        with out.step() as step:
            for name in ("T", "mask", "u"):
                step.put(name, [1.0, 2.0])
        got = next(steps)
        assert [got[name].error for name in ("T", "mask", "u")] == ["0.01 abs", "exact", "0.001 rel"]


def test_programs_are_traced_if_wanted(write_workflow: Write, tmp_path: Path) -> None:
    directories = RunDirectories(tmp_path / "run", tmp_path / "done", tmp_path / "trace")
    for launch in launches(load(write_workflow(FLOW, sim="", mom=MOMENTS)), directories):
        assert launch.environment["STAITHE_TRACE"] == str(tmp_path / "trace")


def test_a_writer_is_told_of_its_streams(
    write_workflow: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAITHE_STREAMS", "{}")
    started = launched(write_workflow(FLOW, sim="", mom=MOMENTS), tmp_path)
    assert json.loads(started["sim"].environment["STAITHE_STREAMS"]) == {
        "field": {
            "placement": "producer",
            "readers": 2,
            "queue_steps": 2,
            "queue_bytes": "1 GiB",
        },
        "log": {"placement": "producer", "readers": 0},
    }
    assert "STAITHE_STREAMS" not in started["msd"].environment
    assert "STAITHE_TRACE" not in started["sim"].environment
    for name, launch in started.items():
        assert launch.environment["STAITHE_PROGRAM"] == name
        assert launch.environment["STAITHE_RUN_DIR"] == str(tmp_path / "run")
        assert launch.environment["STAITHE_SUMMARY_DIR"] == str(tmp_path / "done")
        assert launch.environment["PATH"].startswith(str(Path(sys.executable).parent))


def test_programs_are_told_what_they_are_to_open(write_workflow: Write, tmp_path: Path) -> None:
    started = launched(write_workflow(FLOW, sim="", mom=MOMENTS), tmp_path)
    opens = {name: json.loads(launch.environment["STAITHE_OPENS"]) for name, launch in started.items()}
    assert opens == {
        "sim": {"writes": {"field": 1, "log": 1}, "reads": {}},
        "msd": {"writes": {}, "reads": {"field": 1}},
        "mom": {"writes": {}, "reads": {"field": 2}},
    }


def test_inline_analyses_go_to_their_writer(write_workflow: Write, tmp_path: Path) -> None:
    flow = """
    programs: {sim: {command: python sim.py}, mom: {analysis: mom.py}}
    streams: {field: {from: sim, to: mom, placement: inline}}
    """
    started = launched(write_workflow(flow, sim="", mom=MOMENTS), tmp_path)
    assert list(started) == ["sim"]
    environment = started["sim"].environment
    assert environment["STAITHE_PLACEMENT"] == "inline"
    assert json.loads(environment["STAITHE_ANALYSES"]) == [
        {"stream": "field", "analysis": f"{tmp_path}/mom.py:Moments", "args": {}}
    ]
    assert json.loads(environment["STAITHE_STREAMS"]) == {"field": {"placement": "inline", "readers": 1}}


def test_a_program_gets_what_is_its_own(write_workflow: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_TIMEOUT", "7")
    (tmp_path / "work").mkdir()
    flow = """
    programs:
      a: {command: sh -c, args: "'echo $B'", env: {B: two words}, cwd: work, timeout: 5 min}
      b: {command: sh -c true, timeout: inf}
      c: {command: sh -c true}
    """
    started = launched(write_workflow(flow), tmp_path)
    assert started["a"].words == ("sh", "-c", "echo $B")
    assert started["a"].environment["B"] == "two words"
    assert started["a"].directory == tmp_path / "work"
    assert [started[name].environment["STAITHE_TIMEOUT"] for name in "abc"] == ["300.0", "inf", "7"]


def test_arguments_of_an_analysis_survive_the_command_line(write_workflow: Write, tmp_path: Path) -> None:
    arguments = {"n": 20, "x": 1.5, "on": True, "text": "20", "words": "a: b, 'c'\n#", "many": [1, "2", float("inf")]}
    flow = json.dumps(
        {
            "programs": {"sim": {"command": "sh -c true"}, "mom": {"analysis": "mom.py", "args": arguments}},
            "streams": {"field": {"from": "sim", "to": "mom"}},
        }
    ).replace("Infinity", ".inf")
    words = launched(write_workflow(flow, mom=MOMENTS), tmp_path)["mom"].words
    settings = [word.removeprefix("--set=").partition("=") for word in words if word.startswith("--set=")]
    assert {name: argument_of_text(value) for name, _, value in settings} == arguments


def test_python_ranks_abort_together(write_workflow: Write, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    flow = "programs: {a: {command: python a.py, ranks: 2}, b: {command: python a.py, ranks: 1}}"
    started = launched(write_workflow(flow, a=""), tmp_path)
    assert started["a"].words[-4:-2] == (sys.executable, "-c")
    assert "mpi4py.run" in started["a"].words[-2]
    assert started["b"].words[-2:] == (sys.executable, "a.py")


@pytest.mark.parametrize(
    ("version", "root", "options"),
    [
        ("HYDRA build details:", True, ()),
        ("mpiexec (OpenRTE) 4.1.4", False, ("--bind-to", "none", "--oversubscribe")),
        ("mpiexec (Open MPI) 5", True, ("--bind-to", "none", "--oversubscribe", "--allow-run-as-root")),
    ],
)
def test_what_each_mpiexec_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, root: bool, options: tuple[str, ...]
) -> None:
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{version}'\n")
    mpiexec.chmod(0o755)
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    assert launcher_words(mpiexec, 3) == [str(mpiexec), "-n", "3", *options]


@pytest.mark.parametrize(
    ("says", "options"),
    [
        ("HYDRA build details:", ["-hosts", "node1,node2", "-ppn", "2"]),
        ("mpiexec (Open MPI) 4.1.4", ["--host", "node1:2,node2:2", "-x", "PATH", "-x", "STAITHE_RUN_DIR"]),
    ],
)
def test_hosts_are_passed_on_to_mpiexec(tmp_path: Path, says: str, options: list[str]) -> None:
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{says}'\n")
    mpiexec.chmod(0o755)
    words = launcher_words(mpiexec, 3, ("node1", "node2"), {"STAITHE_RUN_DIR", "PATH"})
    assert words[:3] == [str(mpiexec), "-n", "3"]
    assert words[-len(options) :] == options


def test_hosts_are_passed_on_to_srun() -> None:
    words = launcher_words(Path("/usr/bin/srun"), 3, ("node1", "node2"))
    assert words[1:] == ["-n", "3", "--kill-on-bad-exit=1", "--nodes=2", "--nodelist=node1,node2"]
    assert "--nodes=1" in launcher_words(Path("/usr/bin/srun"), 1, ("node1",))


def test_programs_of_a_slurm_job_do_not_wait_for_each_others_cores(
    write_workflow: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_workflow(FLOW, sim="", mom=MOMENTS)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert all("SLURM_OVERLAP" not in launch.environment for launch in launched(file, tmp_path).values())
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert {launch.environment["SLURM_OVERLAP"] for launch in launched(file, tmp_path).values()} == {"1"}


def test_programs_of_several_hosts_listen(write_workflow: Write, tmp_path: Path) -> None:
    flow = FLOW.replace("{command: sh -c true}", "{command: sh -c true, hosts: node1}")
    started = launched(write_workflow(flow, sim="", mom=MOMENTS), tmp_path)
    assert started["msd"].hosts == ("node1",)
    assert Path(started["msd"].words[0]).name == "mpiexec"
    assert {launch.environment["STAITHE_LISTEN"] for launch in started.values()} == {":0"}


def test_servers_come_first_each_on_a_host_in_turn(write_workflow: Write, tmp_path: Path) -> None:
    servers = "servers: {count: 3, hosts: [node1, node2], memory: 4 GiB, spill: ., spill_bytes: 9 GiB, cores: 2}"
    started = launched(write_workflow(FLOW + servers, sim="", mom=MOMENTS), tmp_path)
    assert list(started) == ["server-0", "server-1", "server-2", "sim", "msd", "mom"]
    assert [name for name, launch in started.items() if launch.serves] == ["server-0", "server-1", "server-2"]
    assert [started[f"server-{rank}"].hosts for rank in range(3)] == [("node1",), ("node2",), ("node1",)]
    words = started["server-2"].words
    assert Path(words[0]).name == "mpiexec"
    given = ("--memory", "4 GiB", "--spill", str(tmp_path), "--spill-bytes", "9 GiB", "--cores", "2")
    assert words[words.index("serve") :] == ("serve", "--rank", "2", "--size", "3", *given)
    assert {launch.environment["STAITHE_LISTEN"] for launch in started.values()} == {":0"}


def test_servers_without_hosts_are_plain_processes(write_workflow: Write, tmp_path: Path) -> None:
    server = launched(write_workflow(FLOW + "servers: 1", sim="", mom=MOMENTS), tmp_path)["server-0"]
    assert server.words == (sys.executable, "-m", "staithe.cli", "serve", "--rank", "0", "--size", "1")
    assert "STAITHE_LISTEN" not in server.environment


def test_ranks_in_a_slurm_job_of_several_nodes_may_be_on_any(
    write_workflow: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_workflow("programs: {a: {command: python a.py, ranks: 2}, b: {command: python a.py}}", a="")
    for nodes, listens in (("1", None), ("2", ":0")):
        monkeypatch.setenv("SLURM_JOB_NUM_NODES", nodes)
        assert {launch.environment.get("STAITHE_LISTEN") for launch in launched(file, tmp_path).values()} == {listens}
