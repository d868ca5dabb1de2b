"""The commands on real streams: `ls`, `show`, `top` beside a writer, `run` and `analyse` on whole workflows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(120)

Command = Callable[..., tuple[int, str, str]]

WRITER = """
    import sys
    import numpy as np
    import staithe

    with staithe.writer("melt", readers=0, attrs={"title": "a crystal"}) as out:
        for index in range(3):
            with out.step() as step:
                step.put("x", np.full((100, 3), float(index)), unit="sigma")
        print("ready", flush=True)
        sys.stdin.read()
"""
SIMULATION = """
    import numpy as np
    import staithe

    with staithe.writer("melt") as out:
        for index in range(20):
            with out.step() as step:
                step.put("x", np.full((100, 3), float(index)))
"""
VIEWER = """
    import staithe

    print("sum", sum(step["x"][0, 0] for step in staithe.reader("melt")))
"""
# One write a line: ranks share the pipe, and a line in pieces would mix with another rank's.
ANALYSIS = """
    import sys

    import staithe

    class Sum(staithe.Analysis):
        def start(self, group, attrs):
            self.total = 0.0

        def step(self, step):
            self.total += step["x"][0, 0]

        def finish(self):
            sys.stdout.write(f"sum {self.total}\\n")
"""
FLOW = """
programs: {sim: {command: python sim.py}, viewer: {command: python viewer.py}, total: {analysis: total.py}}
streams: {melt: {from: sim, to: [viewer, total], queue_steps: 2}}
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A writer of the stream melt that has written three steps; gives the environment to find it."""
    environment = {"STAITHE_RUN_DIR": str(tmp_path / "run"), "STAITHE_PROGRAM": "lammps"}
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield {"STAITHE_RUN_DIR": environment["STAITHE_RUN_DIR"]}
        process.kill()


def test_ls(writer: dict[str, str], staithe_command: Command) -> None:
    code, out, _ = staithe_command("ls", **writer)
    assert code == 0
    assert re.search(r"^melt +lammps +\d+ +1 +3 +7\.20 KB ", out, re.MULTILINE)


def test_show(writer: dict[str, str], staithe_command: Command) -> None:
    code, out, _ = staithe_command("show", "melt", **writer)
    assert code == 0
    assert re.search(r"^x +f8 +100 x 3 +sigma +1$", out, re.MULTILINE)
    described = json.loads(staithe_command("show", "melt", "--json", **writer)[1])
    assert (described["steps"], described["state"]) == (3, "open")


def test_show_of_no_such_stream(writer: dict[str, str], staithe_command: Command) -> None:
    assert staithe_command("show", "mel", **writer) == (
        1,
        "",
        "staithe: no live stream 'mel'; did you mean 'melt'? (allowed: melt)\n",
    )


@pytest.mark.parametrize("command", [("ls",), ("show", "melt"), ("top", "--once"), ("doctor",)])
def test_a_mistyped_run_directory_is_an_error(
    staithe_command: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    wrong = f"{tmp_path}/rnu/here"
    code, out, err = staithe_command(*command, STAITHE_RUN_DIR=wrong)
    assert (code, out) == (1, "")
    missing = f"there is no directory '{tmp_path}/rnu'"
    assert err == f"staithe: STAITHE_RUN_DIR is '{wrong}', but {missing}: check the name, or make it\n"


def test_a_run_directory_that_can_be_made_is_none(staithe_command: Command, tmp_path: Path) -> None:
    assert staithe_command("ls", STAITHE_RUN_DIR=f"{tmp_path}/new") == (0, f"no live streams in {tmp_path}/new\n", "")


@pytest.mark.parametrize("open_it", ["writer", "reader"])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "STAITHE_LOG",
            "verbose",
            "STAITHE_LOG is 'verbose': there is no such level (allowed: error, warn, info, debug)",
        ),
        ("STAITHE_LOG", "WARN", "STAITHE_LOG is 'WARN': did you mean 'warn'? (allowed: error, warn, info, debug)"),
        ("STAITHE_RUN_DIR", "/proc/version", "STAITHE_RUN_DIR is '/proc/version', which is no directory: choose one "),
    ],
)
def test_a_mistyped_environment_is_an_error_in_programs(open_it: str, name: str, value: str, message: str) -> None:
    program = f"import staithe; staithe.{open_it}('melt', timeout=5)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=os.environ | {name: value}
    )
    assert done.returncode == 1
    assert f"InvalidArgument: {message}" in done.stderr


def test_top(writer: dict[str, str], staithe_command: Command) -> None:
    code, out, _ = staithe_command("top", "--once", "--interval", "0.1", **writer)
    assert code == 0
    assert re.search(r"^melt +lammps +3 +0\.00 +0\.00 MB/s ", out, re.MULTILINE)


def test_a_workflow_of_a_reader_program_and_an_analysis(launcher: Any) -> None:
    launcher.write(FLOW, sim=SIMULATION, viewer=VIEWER, total=ANALYSIS)
    code, out, err = launcher.run()
    assert (code, err) == (0, "")
    assert "viewer | sum 190.0\n" in out
    assert "total  | sum 190.0\n" in out
    assert re.search(r"^melt +sim +20 +48\.0 KB .* viewer, total$", out, re.MULTILINE)


def test_a_stream_of_another_name_than_in_the_workflow_is_an_error(launcher: Any) -> None:
    flow = FLOW.replace("melt:", "melts:").replace("{analysis: total.py}", "{command: ls}")
    file = launcher.write(flow, sim=SIMULATION, viewer=VIEWER)
    code, out, err = launcher.run()
    assert code == 1
    assert err == (
        f"staithe: {file}: streams.melts: nobody opened it, but sim opened 'melt', which the workflow does not name; "
        "did you mean 'melt'?\n"
    )
    assert re.search(r"^melts +sim .* viewer, total \(never opened\)$", out, re.MULTILINE)
    assert re.search(r"^melt +sim +20 +48\.0 KB .* - \(not in the workflow\)$", out, re.MULTILINE)


def test_a_stream_that_nobody_opened_has_nothing_for_its_readers(launcher: Any) -> None:
    file = launcher.write(FLOW.replace("{analysis: total.py}", "{command: ls}"), sim="", viewer="")
    code, _, err = launcher.run()
    assert code == 1
    assert err == (
        f"staithe: {file}: streams.melt: sim ended without opening it, so viewer, total had nothing to read\n"
    )


def test_a_stream_whose_reader_never_joined_is_an_error(launcher: Any) -> None:
    alone = SIMULATION.replace('"melt"', '"melt", readers=0')
    file = launcher.write(FLOW.replace("{analysis: total.py}", "{command: ls}"), sim=alone, viewer="")
    code, out, err = launcher.run()
    assert code == 1
    assert err == (
        f"staithe: {file}: streams.melt: nobody read its 20 steps: viewer, total never joined; "
        "check that 'streams' and the programs name the same stream\n"
    )
    assert re.search(r"^melt +sim +20 .* viewer, total \(nobody read it\)$", out, re.MULTILINE)
    assert re.search(r"^viewer .* ok, but never joined melt$", out, re.MULTILINE)


def test_a_reader_that_ended_unread_is_to_blame_for_its_writer(launcher: Any) -> None:
    flow = FLOW.replace("{analysis: total.py}", "{command: ls}")
    file = launcher.write(flow, sim=SIMULATION, viewer="")
    code, out, err = launcher.run()
    assert code == 1
    _, unread, failed = err.rsplit("\n", 3)[:-1][-3:]
    assert re.fullmatch(
        rf"staithe: {file}: streams.melt: nobody read its \d+ steps: viewer, total never joined; .*", unread
    )
    assert failed == "staithe: flow failed: viewer, total ended and never joined; then sim failed"
    assert re.search(r"^sim .* exit code 1$", out, re.MULTILINE)
    assert re.search(r"^viewer .* ok, but never joined melt$", out, re.MULTILINE)


def test_a_stream_that_nobody_is_to_read_is_only_marked(launcher: Any) -> None:
    launcher.write("{programs: {sim: {command: python sim.py}}, streams: {melt: {from: sim}}}", sim=SIMULATION)
    code, out, err = launcher.run()
    assert (code, err) == (0, "")
    assert re.search(r"^melt +sim +20 .* - \(nobody read it\)$", out, re.MULTILINE)


def test_one_reader_of_two_that_never_joined_is_an_error(launcher: Any) -> None:
    alone = SIMULATION.replace('"melt"', '"melt", readers=1')
    file = launcher.write(FLOW.replace("{analysis: total.py}", "{command: ls}"), sim=alone, viewer=VIEWER)
    code, out, err = launcher.run()
    assert code == 1
    assert err == (
        f"staithe: {file}: streams.melt: 1 of its 2 readers never joined and got none of its 20 steps; "
        "do all of viewer, total open 'melt'?\n"
    )
    assert re.search(r"^melt +sim +20 .* viewer, total \(1 never joined\)$", out, re.MULTILINE)


def test_the_same_analysis_inline(launcher: Any) -> None:
    flow = FLOW.replace("viewer: {command: python viewer.py}, ", "").replace("viewer, ", "")
    launcher.write(flow.replace("queue_steps: 2", "placement: inline"), sim=SIMULATION, total=ANALYSIS)
    code, out, err = launcher.run()
    assert (code, err) == (0, "")
    assert "sim   | sum 190.0\n" in out
    assert re.search(r"^total .* inside sim$", out, re.MULTILINE)


@pytest.mark.parametrize("placement", ["producer", "inline"])
def test_an_analysis_with_arguments(launcher: Any, placement: str) -> None:
    flow = FLOW.replace("viewer: {command: python viewer.py}, ", "").replace("viewer, ", "")
    flow = flow.replace("total.py}", "total.py, args: {start: 1000, label: 'a, b'}}")
    made = ANALYSIS.replace(
        "def start",
        "def __init__(self, start, label):\n            self.first, self.label = start, label\n\n        def start",
    )
    made = made.replace("total = 0.0", "total = self.first").replace("sum {", "{self.label} {")
    launcher.write(flow.replace("queue_steps: 2", f"placement: {placement}"), sim=SIMULATION, total=made)
    code, out, err = launcher.run()
    assert (code, err) == (0, "")
    assert "| a, b 1190.0\n" in out


def test_the_same_analysis_on_two_ranks(launcher: Any) -> None:
    pytest.importorskip("mpi4py")
    launcher.write(FLOW.replace("total.py}", "total.py, ranks: 2}"), sim=SIMULATION, viewer=VIEWER, total=ANALYSIS)
    code, out, err = launcher.run()
    assert (code, err) == (0, "")
    assert out.count("total  | sum 190.0\n") == 2


def test_a_dead_writer_is_to_blame_not_its_readers(launcher: Any) -> None:
    # The queue is of two steps: when the tenth is opened, both readers are there.
    dying = SIMULATION.replace("step.put(", "index < 9 or __import__('os')._exit(7)\n                step.put(")
    launcher.write(FLOW, sim=dying, viewer=VIEWER, total=ANALYSIS)
    code, _, err = launcher.run()
    assert code == 1
    assert "staithe: flow failed: sim, exit code 7; then " in err
    assert "staithe: PeerLost: stream 'melt'" in err


def test_analyse_alone(writer: dict[str, str], staithe_command: Command, tmp_path: Path) -> None:
    (tmp_path / "total.py").write_text(textwrap.dedent(ANALYSIS))
    code, _, err = staithe_command(
        "analyse", str(tmp_path / "total.py"), "no-such-stream", **writer, STAITHE_TIMEOUT="0.2"
    )
    assert code == 1
    assert err.startswith("staithe: Timeout: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "many=1",
            "InvalidArgument: Sum cannot be made: got an unexpected keyword argument 'many' (its arguments: none)",
        ),
        ("many", "CommandError: --set many: is not NAME=VALUE"),
    ],
)
def test_arguments_that_an_analysis_does_not_take(
    staithe_command: Command, tmp_path: Path, setting: str, message: str
) -> None:
    (tmp_path / "total.py").write_text(textwrap.dedent(ANALYSIS))
    code, _, err = staithe_command("analyse", str(tmp_path / "total.py"), "melt", "--set", setting)
    assert (code, err) == (1, f"staithe: {message}\n")


def test_an_analysis_that_cannot_be_found(staithe_command: Command, tmp_path: Path) -> None:
    code, _, err = staithe_command("analyse", str(tmp_path / "none.py"), "melt")
    assert code == 1
    assert err == f"staithe: NotFound: there is no file {tmp_path}/none.py\n"


def test_errors_of_an_analysis_keep_their_traceback(launcher: Any) -> None:
    broken = ANALYSIS.replace("self.total += ", "raise ArithmeticError('no sum') #")
    launcher.write(FLOW, sim=SIMULATION, viewer=VIEWER, total=broken)
    code, _, err = launcher.run("--grace", "1")
    assert code == 1
    assert re.search(r"total  \|   File \".*total.py\", line \d+, in step", err)
    assert "total  | ArithmeticError: no sum\n" in err


def test_the_timeout_of_a_program_is_its_own(launcher: Any) -> None:
    late = f"import time\ntime.sleep(50)\n{textwrap.dedent(SIMULATION)}"
    flow = FLOW.replace("viewer.py}", "viewer.py, timeout: 0.5 s}").replace("{analysis: total.py}", "{command: ls}")
    launcher.write(flow, sim=late, viewer=VIEWER)
    code, _, err = launcher.run("--grace", "0")
    assert code == 1
    assert "for writing within 0.5 s: " in err
    assert err.endswith("staithe: flow failed: viewer, exit code 1\n")
