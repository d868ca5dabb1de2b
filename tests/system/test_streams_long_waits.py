"""Nobody waits for the dead, the absent or in a circle; who waits for the living goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import staithe

Start = Callable[..., "subprocess.Popen[str]"]

# Reads the next program's stream before it writes a step of its own.
LINK = """
import staithe, sys
mine, others = sys.argv[1:]
with staithe.writer(mine) as out:
    for step in staithe.reader(others):
        with out.step() as answer:
            answer.put("x", step["x"])
"""
# Fills the queue of its first stream before it writes its second, whose reader wants both in turns.
TWO_STREAMS = """
import staithe, sys
first, second = sys.argv[1:]
with staithe.writer(first, queue_steps=2) as a, staithe.writer(second, queue_steps=2) as b:
    for number in range(10):
        with a.step() as step:
            step.put("x", number)
    for number in range(10):
        with b.step() as step:
            step.put("x", number)
"""
READS_BOTH = """
import staithe, sys
first, second = sys.argv[1:]
for one, other in zip(staithe.reader(first), staithe.reader(second)):
    print(one["x"][...] + other["x"][...])
"""


def in_circle(*programs: subprocess.Popen[str]) -> list[str]:
    """What programs say that are to end by an error of a circle, or because another of them did."""
    said = []
    for program in programs:
        _, errors = program.communicate(timeout=40)
        assert program.returncode == 1, errors
        said.append(errors.strip().splitlines()[-1])
        assert "Deadlock" in said[-1] or "PeerLost" in said[-1], errors
    assert any(line.startswith("staithe.errors.Deadlock: ") for line in said), said
    return said


@pytest.mark.parametrize("programs", [2, 3])
def test_a_circle_of_programs_is_found_and_printed(start_python: Start, stream: str, programs: int) -> None:
    names = [f"{stream}.{number}" for number in range(programs)]
    began = time.monotonic()
    running = [
        start_python(LINK, name, names[(number + 1) % programs], STAITHE_PROGRAM=f"link{number}")
        for number, name in enumerate(names)
    ]
    circle = next(line for line in in_circle(*running) if "Deadlock: " in line)
    assert "programs wait for each other in a circle" in circle
    for number, program in enumerate(running):
        assert f"link{number} (pid {program.pid} on " in circle
    assert time.monotonic() - began < 40  # not the 60 s of a timeout


def test_a_circle_over_two_streams_of_two_programs(start_python: Start, stream: str) -> None:
    names = (f"{stream}.a", f"{stream}.b")
    programs = [start_python(TWO_STREAMS, *names), start_python(READS_BOTH, *names)]
    said = " ".join(program.communicate(timeout=40)[1] for program in programs)
    assert "programs wait for each other in a circle" in said
    assert "waits for room in the queue of" in said
    assert "waits for the next step of" in said


def test_programs_that_meet_in_time_are_no_circle(start_python: Start, stream: str) -> None:
    """The last test's programs, where the queue has room for all."""
    names = (f"{stream}.a", f"{stream}.b")
    writer = start_python(TWO_STREAMS.replace("queue_steps=2", "queue_steps=20"), *names)
    reader = start_python(READS_BOTH, *names)
    assert reader.communicate(timeout=40)[0].split() == [str(2 * number) for number in range(10)]
    assert writer.wait(20) == 0


def launch(tmp_path: Path, programs: dict[str, str], streams: str) -> subprocess.CompletedProcess[str]:
    """`staithe run` of Python programs of these names."""
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    flow = tmp_path / "flow.yaml"
    commands = "".join(f"  {name}: {{command: [python, {name}.py]}}\n" for name in programs)
    flow.write_text(f"programs:\n{commands}streams:\n{textwrap.indent(textwrap.dedent(streams), '  ')}")
    return subprocess.run(
        [sys.executable, "-m", "staithe.cli", "run", str(flow), "--grace", "20"],
        capture_output=True,
        text=True,
        timeout=200,
        env={name: value for name, value in os.environ.items() if name != "STAITHE_TIMEOUT"},
    )


def test_programs_that_open_their_readers_first_are_a_circle(tmp_path: Path) -> None:
    program = """
        import staithe
        steps = staithe.reader("{reads}")
        out = staithe.writer("{writes}")
    """
    run = launch(
        tmp_path,
        {"left": program.format(reads="b", writes="a"), "right": program.format(reads="a", writes="b")},
        """
        a: {from: left, to: right}
        b: {from: right, to: left}
        """,
    )
    assert run.returncode == 1
    assert "programs wait for each other in a circle" in run.stderr
    assert "waits for somebody to open 'a'" in run.stderr


def test_a_program_that_takes_long_to_open_its_stream_is_in_no_circle(tmp_path: Path) -> None:
    """Another program is to read that stream, too, and waits for the one that waits for it."""
    programs = {
        "sim": """
            import time, staithe
            time.sleep(8)
            with staithe.writer("melt") as out, out.step() as step:
                step.put("x", 7)
        """,
        "rdf": """
            import staithe
            melt = staithe.reader("melt")
            with staithe.writer("rdf") as out:
                for step in melt:
                    with out.step() as answer:
                        answer.put("x", step["x"][...] + 1)
        """,
        "plot": """
            import staithe
            rdf, melt = staithe.reader("rdf"), staithe.reader("melt")
            print([int(a["x"][...] + b["x"][...]) for a, b in zip(rdf, melt)])
        """,
    }
    run = launch(tmp_path, programs, "melt: {from: sim, to: [rdf, plot]}\nrdf: {from: rdf, to: plot}")
    assert run.returncode == 0, run.stderr
    assert "[15]" in run.stdout


def test_a_program_that_ended_without_opening_its_stream_is_not_waited_for(tmp_path: Path) -> None:
    run = launch(
        tmp_path,
        {"sim": "", "view": "import staithe; print(list(staithe.reader('melt')))"},
        "melt: {from: sim, to: view}",
    )
    assert run.returncode == 1
    assert "sim, which was to write it, has ended" in run.stderr


def test_a_reader_that_ended_without_opening_its_stream_is_not_waited_for(tmp_path: Path) -> None:
    sim = """
        import staithe
        with staithe.writer("melt", queue_steps=2) as out:
            for number in range(3):
                with out.step() as step:
                    step.put("x", number)
    """
    run = launch(tmp_path, {"sim": sim, "view": ""}, "melt: {from: sim, to: view}")
    assert run.returncode == 1
    assert "view, which was to read it, has ended" in run.stderr


SLOW = """
    import time, staithe
    time.sleep({before})
    with staithe.writer("{stream}") as out:
        time.sleep({after})
        with out.step() as step:
            step.put("x", 7)
"""
VIEW = "import staithe; print([int(step['x'][...]) for step in staithe.reader('{stream}')])"


@pytest.mark.seldom(12)
@pytest.mark.timeout(150)
def test_a_slow_simulation_is_waited_for(tmp_path: Path) -> None:
    run = launch(
        tmp_path,
        {
            "late": SLOW.format(stream="a", before=63, after=0),
            "slow": SLOW.format(stream="b", before=0, after=63),
            "one": VIEW.format(stream="a"),
            "other": VIEW.format(stream="b"),
        },
        """
        a: {from: late, to: one}
        b: {from: slow, to: other}
        """,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("[7]") == 2
    assert "has waited 60 s for somebody to open it" in run.stderr
    assert "has waited 60 s for the next step of it: writer rank 0, slow (pid" in run.stderr


@pytest.mark.seldom(12)
@pytest.mark.timeout(120)
def test_a_stopped_writer_is_not_waited_for_for_ever(
    play: Callable[..., Any], stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STAITHE_TIMEOUT")
    writer = play("out = staithe.writer(name); tell('open'); import time; time.sleep(100)", name=stream)
    reader = staithe.reader(stream)
    writer.stop()
    with pytest.raises(staithe.Timeout, match=f"pid {writer.pid} on"):
        next(reader)


@pytest.mark.seldom(12)
@pytest.mark.timeout(120)
def test_a_stopped_writer_is_not_waited_for_for_ever_by_who_comes(
    play: Callable[..., Any], stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STAITHE_TIMEOUT")
    writer = play("out = staithe.writer(name); tell('open'); import time; time.sleep(100)", name=stream)
    writer.wait_for("open")
    writer.stop()
    with pytest.raises(staithe.Timeout, match="did not answer within 60 s"):
        staithe.reader(stream)


@pytest.mark.parametrize("timeout", [None, float("inf"), 30])
def test_timeouts_that_are_allowed(stream: str, timeout: float | None) -> None:
    with staithe.writer(stream, timeout=timeout) as out, staithe.reader(stream, timeout=timeout) as reader:
        with out.step(timeout=timeout) as step:
            step.put("x", 1)
        assert reader.next(timeout=timeout) is not None


def test_an_explicit_timeout_holds(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        began = time.monotonic()
        with pytest.raises(staithe.Timeout, match="no step came within"):
            reader.next(timeout=0.2)
        assert time.monotonic() - began < 10
        out.fail("over")
