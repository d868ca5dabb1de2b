"""Runs of real programs: how they start, fail, are stopped, and what is left behind."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from staithe.workflow import StartError
from staithe.workflow import run as run_workflow
from staithe.workflow.loader import load
from staithe.workflow.python_command import program_path

pytestmark = pytest.mark.timeout(60)

Run = Callable[..., tuple[Any, Any]]

TWO = "programs: {a: {command: python a.py}, b: {command: python b.py}}"
SLEEP = "import time\ntime.sleep(50)\n"


def test_programs_run_side_by_side_and_their_output_is_passed_on(run_programs: Run, tmp_path: Path) -> None:
    # Each waits for a file of the other.
    meet = """
        import os, pathlib, sys, time
        name, other = os.environ["STAITHE_PROGRAM"], sys.argv[1]
        pathlib.Path(name).touch()
        while not pathlib.Path(other).exists():
            time.sleep(0.01)
        print("out of", name)
        print("err of", name, file=sys.stderr)
    """
    report, seen = run_programs("programs: {a: {command: python meet.py b}, b: {command: python meet.py a}}", meet=meet)
    assert report.outcome.ok
    assert report.outcome.culprit is None
    assert (tmp_path / "a").exists()
    for name in ("a", "b"):
        assert seen.printed(name) == [f"out of {name}"]
        assert seen.printed(name, "stderr") == [f"err of {name}"]
        assert seen[name].returncode == 0
        assert 0.0 < seen[name].seconds <= report.seconds


def test_each_program_has_its_run_directory_which_is_private_and_goes(run_programs: Run) -> None:
    show = """
        import os
        run, done = os.environ["STAITHE_RUN_DIR"], os.environ["STAITHE_SUMMARY_DIR"]
        print(run, oct(os.stat(run).st_mode & 0o777), oct(os.stat(os.path.dirname(run)).st_mode & 0o777))
        print(done)
    """
    before = os.environ.get("STAITHE_RUN_DIR")
    _, seen = run_programs("programs: {a: {command: python show.py}}", show=show)
    run_line, done = seen.printed("a")
    run, *modes = run_line.split()
    assert modes == ["0o700", "0o700"]
    assert len(run) < 60
    assert not Path(run).parent.exists()
    assert Path(done).parent == Path(run).parent
    assert os.environ.get("STAITHE_RUN_DIR") == before


def test_programs_can_look_up_who_else_is_to_come(run_programs: Run) -> None:
    look = """
        import json, os, time
        while True:
            roster = json.load(open(os.environ["STAITHE_RUN_DIR"] + "/programs.json"))["programs"]
            entry = next(program for program in roster if program["name"] == "b")
            if "pid" in entry:
                break
            time.sleep(0.01)
        stat = open(f"/proc/{entry['pid']}/stat").read().rpartition(")")[2].split()
        print(entry["writes"], entry["reads"], int(stat[19]) == entry["start_time"])
    """
    flow = """
    programs: {a: {command: "python look.py"}, b: {command: "python b.py"}}
    streams: {field: {from: a, to: b}}
    """
    report, seen = run_programs(flow, look=look, b="import time\ntime.sleep(1)")
    assert report.outcome.ok
    assert seen.printed("a") == ["[] ['field'] True"]


def test_a_program_that_ends_well_leaves_the_others_alone(run_programs: Run) -> None:
    begun = "open('begun', 'w').close()"  # what it takes to begin, nobody knows
    later = "import os, time\nwhile not os.path.exists('begun'):\n    time.sleep(0.05)\ntime.sleep(1)\nprint('done')"
    report, seen = run_programs(TWO, a=begun, b=later)
    assert report.outcome.ok
    assert seen.printed("b") == ["done"]
    assert [ending.program for ending in seen.endings] == ["a", "b"]


def test_a_failure_stops_the_others_and_keeps_the_last_words(run_programs: Run) -> None:
    fail = "import sys\nfor i in range(100):\n    print('line', i, file=sys.stderr)\nsys.exit(3)\n"
    report, seen = run_programs(TWO, grace=0.3, a=fail, b=SLEEP)
    assert not report.outcome.ok
    assert report.outcome.culprit.program == "a"
    assert report.outcome.culprit.how == "exit code 3"
    assert report.outcome.culprit.last_words == tuple(f"line {number}" for number in range(85, 100))
    assert (seen["b"].stopped, seen["b"].how) == (True, "killed by SIGTERM")
    assert seen.stops == [(["b"], "a failed; they have 0.3 s to end by themselves")]


def test_others_may_end_by_themselves_when_one_fails(run_programs: Run) -> None:
    lost = "import sys, time\ntime.sleep(0.3)\nsys.exit('staithe.PeerLost: a is gone')"
    killed = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"
    report, seen = run_programs(TWO, a=killed, b=lost)
    assert report.outcome.culprit.program == "a"
    assert report.outcome.culprit.how == "killed by SIGSEGV"
    assert seen["b"].failed
    assert not seen["b"].stopped


def test_who_ignores_sigterm_is_killed(run_programs: Run) -> None:
    stubborn = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('on')\ntime.sleep(50)"
    fail = "import sys, time\ntime.sleep(0.5)\nsys.exit(1)"
    _, seen = run_programs(TWO, grace=0.3, a=fail, b=stubborn)
    assert seen["b"].how == "killed by SIGKILL"


def test_processes_of_a_program_end_with_the_run(run_programs: Run, tmp_path: Path) -> None:
    parent = """
        import pathlib, subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(50)"])
        pathlib.Path("pid").write_text(str(child.pid))
    """
    report, _ = run_programs("programs: {a: {command: python parent.py}}", parent=parent)
    assert report.outcome.ok
    assert report.seconds < 20
    assert_ends(int((tmp_path / "pid").read_text()))


def assert_ends(pid: int) -> None:
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and "State:\tZ" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < deadline, f"process {pid} is still there"
        time.sleep(0.02)


def test_a_program_that_closes_its_output_runs_on(run_programs: Run) -> None:
    close = "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(0.7)\nos._exit(0)"
    report, seen = run_programs("programs: {a: {command: python a.py}}", a=close)
    assert report.outcome.ok
    # A closed pipe is always readable: watched on, it would wake the loop thousands of times.
    assert seen.ticks < 100


def test_much_output_comes_whole_and_in_order(run_programs: Run) -> None:
    program = "print('\\n'.join(map(str, range(50_000))))\nprint('end', end='')"
    report, seen = run_programs("programs: {a: {command: python a.py}}", a=program)
    assert report.outcome.ok
    assert seen.printed("a") == [*map(str, range(50_000)), "end"]


def test_ranks_run_under_mpiexec(run_programs: Run) -> None:
    pytest.importorskip("mpi4py")
    hello = "from mpi4py import MPI\nprint(MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)"
    report, seen = run_programs("programs: {a: {command: python a.py, ranks: 2}}", a=hello)
    assert report.outcome.ok
    assert sorted(seen.printed("a")) == ["0 2", "1 2"]
    assert seen["a"].ranks == 2


def test_an_exception_in_one_rank_ends_all(run_programs: Run) -> None:
    pytest.importorskip("mpi4py")
    fail = "from mpi4py import MPI\nworld = MPI.COMM_WORLD\nassert world.rank == 0, 'boom'\nworld.barrier()"
    report, seen = run_programs("programs: {a: {command: python a.py, ranks: 2}}", a=fail)
    assert report.outcome.culprit.program == "a"
    assert any("boom" in line for line in seen["a"].last_words)


def test_a_killed_rank_is_told_by_its_signal(run_programs: Run) -> None:
    pytest.importorskip("mpi4py")
    if not shutil.which("mpiexec.hydra", path=program_path()):
        pytest.skip("only MPICH's mpiexec tells the signal of a rank")
    kill = """
        import os
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank == 0:
            os.kill(os.getpid(), 9)
        MPI.COMM_WORLD.barrier()
    """
    report, _ = run_programs("programs: {a: {command: python a.py, ranks: 2}}", a=kill)
    assert report.outcome.culprit.how == "a rank was killed by SIGKILL"


def test_a_program_that_cannot_start_ends_those_before_it(
    write_workflow: Callable[..., Path], run_programs: Run, tmp_path: Path
) -> None:
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)
    write_pid = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(50)"
    with pytest.raises(StartError, match=r"b: cannot start ./broken \(No such file or directory\)"):
        run_programs("programs: {a: {command: python a.py}, b: {command: ./broken}}", a=write_pid)
    if (tmp_path / "pid").exists():
        assert_ends(int((tmp_path / "pid").read_text()))


DESCRIPTION = {
    "name": "field",
    "program": "a",
    "pid": 1,
    "ranks": 1,
    "placement": "producer",
    "state": "open",
    "steps": 5,
    "bytes": 5_000_000,
    "queue": {"steps": 1, "limit_steps": 8, "bytes": 1_000_000, "limit_bytes": 256_000_000},
    "stall_seconds": 0.25,
    "readers": [{"program": "b", "pid": 2, "ranks": 1, "steps": 4, "lag": 1}],
    "started": 0.0,
}
STREAM = TWO + "\nstreams: {field: {from: a, to: b}, other: {from: a, to: b}}"


def test_the_report_takes_what_writers_leave(run_programs: Run) -> None:
    leave = f"""
        import json, os, time
        closed = json.loads('''{json.dumps(DESCRIPTION)}''') | {{"state": "closed", "started": 100.0, "ended": 110.0}}
        open(os.environ["STAITHE_SUMMARY_DIR"] + "/field.json", "w").write(json.dumps(closed))
    """
    report, _ = run_programs(STREAM, a=leave, b="")
    (stream,) = report.streams
    assert (stream.name, stream.stats.steps, stream.stats.state) == ("field", 5, "closed")
    assert stream.bytes_per_second == pytest.approx(500_000, rel=0.1)
    assert report.opened == {"field": "a"}


def test_a_program_that_cannot_be_watched_does_not_run(run_programs: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    with pytest.raises(StartError, match=r"a: cannot start .* \(Too many open files\)"):
        run_programs("programs: {a: {command: sleep 50}}")


def test_a_stream_that_was_never_closed_is_reported_as_it_was_last_seen(
    write_workflow: Callable[..., Path], recorder: Any
) -> None:
    def describe(name: str) -> dict[str, Any]:
        return DESCRIPTION | {"name": name}

    workflow = load(write_workflow(STREAM, a="import time\ntime.sleep(0.5)", b=""))
    report = run_workflow(workflow, recorder, 5.0, describe)
    assert [(stream.name, stream.stats.steps, stream.seconds) for stream in report.streams] == [
        ("field", 5, None),
        ("other", 5, None),
    ]
    sample = recorder.samples()["field"]
    assert sample.live
    assert sample.stats.readers[0].lag == 1
