"""Workflow files, good ones and a catalogue of bad ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from staithe.workflow import AnalysisSource, Placement, Program, Servers, Stream, WorkflowError, load

Write = Callable[..., Path]

MOMENTS = """
    import staithe

    class Moments(staithe.Analysis):
        pass
"""
# An analysis that is made with arguments.
MAKES = """
    import staithe

    class Moments(staithe.Analysis):
        def __init__(self, bins, edges=(), *, title="none"):
            pass
"""
PROGRAMS = "programs: {sim: {command: python sim.py}, msd: {command: python msd.py}, mom: {analysis: mom.py}}\n"
NO_PROGRAMS = "is missing or empty; name a program, such as programs: {sim: {command: python sim.py}}"
SOURCES = {"sim": "", "msd": "", "mom": MOMENTS}


def problems(file: Path, settings: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(WorkflowError) as caught:
        load(file, settings)
    return [line.replace(str(file), "flow.yaml") for line in str(caught.value).splitlines()]


def test_a_whole_workflow(write_workflow: Write) -> None:
    file = write_workflow(
        """
        name: melt
        programs:
          sim: {command: "python sim.py --steps 2000 --title 'two words'", ranks: 2}
          msd: {command: [python, msd.py, -n, 3]}
          mom: {analysis: mom.py}
        streams:
          melt: {from: sim, to: [msd, mom], queue_steps: 2, queue_bytes: 1 GiB, placement: producer}
        """,
        **SOURCES,
    )
    workflow = load(file)
    assert workflow.name == "melt"
    assert workflow.directory == file.parent
    assert workflow.programs == (
        Program("sim", ("python", "sim.py", "--steps", "2000", "--title", "two words"), ranks=2),
        Program("msd", ("python", "msd.py", "-n", "3")),
        Program("mom", analysis=AnalysisSource(file.parent / "mom.py", "Moments")),
    )
    assert workflow.streams == (Stream("melt", "sim", ("msd", "mom"), Placement.PRODUCER, 2, "1 GiB"),)
    assert workflow.processes == workflow.programs


def test_what_a_program_gets(write_workflow: Write, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = write_workflow(
        """
        parameters: {THREADS: 4, BINS: 20, HERE: work}
        programs:
          sim:
            command: sh sim.sh -v
            args: [--threads, "${THREADS}"]
            env: {OMP_NUM_THREADS: "${THREADS}", LABEL: "run ${BINS}", VERBOSE: true}
            cwd: ${HERE}
            timeout: 5 min
          mom: {analysis: mom.py, args: {bins: "${BINS}", edges: [0, 1.5], title: two words}, timeout: inf}
        streams: {s: {from: sim, to: mom}}
        """,
        mom=MAKES,
    )
    sim, mom = load(file).programs
    assert sim.command == ("sh", "sim.sh", "-v", "--threads", "4")
    assert sim.environment == {"OMP_NUM_THREADS": "4", "LABEL": "run 20", "VERBOSE": "true"}
    assert sim.directory == tmp_path / "work"
    assert (sim.timeout, mom.timeout) == (300.0, float("inf"))
    assert mom.arguments == {"bins": 20, "edges": [0, 1.5], "title": "two words"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30.0), ("0.5", 0.5), ("30 s", 30.0), ("5 min", 300.0), ("1.5h", 5400.0), ("2 d", 172800.0)]
    + [(text, float("inf")) for text in ("inf", ".inf", "INF")],
)
def test_timeouts(write_workflow: Write, text: str, seconds: float) -> None:
    assert load(write_workflow(f"programs: {{sim: {{command: ls, timeout: {text}}}}}")).programs[0].timeout == seconds


def test_scripts_are_looked_for_where_their_program_runs(write_workflow: Write, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "there.py").touch()
    file = write_workflow("programs: {a: {command: python there.py, cwd: work}, b: {command: python there.py}}")
    assert problems(file) == [f"flow.yaml:1: programs.b.command: no such file: {tmp_path}/there.py"]


def test_defaults(write_workflow: Write) -> None:
    workflow = load(write_workflow(PROGRAMS + "streams: {s: {from: sim, to: mom}}", **SOURCES))
    assert workflow.name == "flow"
    assert workflow.streams == (Stream("s", "sim", ("mom",)),)


def test_inline_analyses_are_no_processes(write_workflow: Write) -> None:
    workflow = load(write_workflow(PROGRAMS + "streams: {s: {from: sim, to: mom, placement: inline}}", **SOURCES))
    assert [program.name for program in workflow.processes] == ["sim", "msd"]


def test_the_environment_places_streams_that_the_file_does_not(
    write_workflow: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_workflow(PROGRAMS + "streams: {s: {from: sim, to: mom}}", **SOURCES)
    monkeypatch.setenv("STAITHE_PLACEMENT", "inline")
    assert load(file).streams[0].placement is Placement.INLINE
    monkeypatch.setenv("STAITHE_PLACEMENT", "node")
    assert problems(file) == [
        "flow.yaml:2: streams.s.placement: 'node' is not available in this version "
        "(allowed: producer, inline, servers, file) (from STAITHE_PLACEMENT)"
    ]


def test_servers_are_there_where_streams_need_them(write_workflow: Write) -> None:
    streams = "streams: {s: {from: sim, to: mom, placement: servers}}\n"
    assert load(write_workflow(PROGRAMS + streams, **SOURCES)).servers == Servers(1)
    assert load(write_workflow(PROGRAMS + streams + "servers: 3\n", **SOURCES)).servers == Servers(3)
    assert load(write_workflow(PROGRAMS + "streams: {s: {from: sim, to: mom}}\n", **SOURCES)).servers is None
    file = write_workflow(PROGRAMS + streams + "servers: some\n", **SOURCES)
    assert problems(file) == [
        "flow.yaml:3: servers: is 'some', but must be a whole number above 0, "
        "or a mapping with keys count, hosts, memory, spill, spill_bytes, cores"
    ]


def test_what_servers_are_given(write_workflow: Write, tmp_path: Path) -> None:
    streams = "streams: {s: {from: sim, to: mom}}\n"
    text = "servers: {count: 3, hosts: [a, b], memory: 4 GiB, spill: ., spill_bytes: 1 TiB, cores: 2}\n"
    servers = load(write_workflow(PROGRAMS + streams + text, **SOURCES)).servers
    assert servers == Servers(3, ("a", "b"), "4 GiB", tmp_path, "1 TiB", 2)
    assert servers.names == ("server-0", "server-1", "server-2")
    assert load(write_workflow(PROGRAMS + streams + "servers: {hosts: [a, b]}\n", **SOURCES)).servers == Servers(
        2, ("a", "b")
    )
    assert load(write_workflow(PROGRAMS + streams + "servers: {}\n", **SOURCES)).servers == Servers(1)
    file = write_workflow(PROGRAMS + streams + "servers: {count: 0, memry: 1, spill: away, cores: two}\n", **SOURCES)
    assert problems(file) == [
        "flow.yaml:3: servers.memry: is no key here; did you mean 'memory'? "
        "(allowed: count, hosts, memory, spill, spill_bytes, cores)",
        "flow.yaml:3: servers.count: is 0, but must be a whole number above 0",
        "flow.yaml:3: servers.spill: is 'away', but there is no such directory",
        "flow.yaml:3: servers.cores: is 'two', but must be a whole number above 0",
    ]


def test_what_servers_cannot_be(write_workflow: Write) -> None:
    file = write_workflow(
        "programs: {server-1: {command: python -c pass}}\nservers: {count: 2, hosts: [a, b, c], spill_bytes: 1}\n"
    )
    assert problems(file) == [
        "flow.yaml:2: servers.spill_bytes: goes with 'spill'; add that, or leave it out",
        "flow.yaml:2: servers.hosts: names 3 hosts for 2 servers; raise 'count'",
        "flow.yaml:1: programs.server-1: is what one of the run's servers is called; choose another name",
    ]


def test_programs_run_elsewhere_on_request(write_workflow: Write, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    file = write_workflow("programs: {sim: {command: python -c pass}}")
    assert load(file, directory=elsewhere).directory == elsewhere


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ": programs: " + NO_PROGRAMS),
        ("programs: {}", ":1: programs: " + NO_PROGRAMS),
        ("[1, 2]", ": is a list, but must be a mapping with keys name, parameters, programs, streams, servers"),
        ("programs: [sim]", ":1: programs: is a list, but must be a mapping"),
        (
            PROGRAMS + "stream: {}",
            ":2: stream: is no key here; did you mean 'streams'? "
            "(allowed: name, parameters, programs, streams, servers)",
        ),
        (
            "programs:\n  sim:\n    comand: python sim.py",
            ":3: programs.sim.comand: is no key here; did you mean 'command'? (allowed: command, analysis, "
            "args, ranks, hosts, env, cwd, timeout)",
        ),
        (
            "programs: {sim: }",
            ":1: programs.sim: is empty, but must be a mapping with keys command, analysis, args, ranks, hosts, env, "
            "cwd, timeout",
        ),
        (
            "programs: {sim: {ranks: 2}}",
            ":1: programs.sim: has neither 'command' nor 'analysis'; give one of them",
        ),
        (
            "programs: {sim: {command: python sim.py, analysis: mom.py}}",
            ":1: programs.sim: has both 'command' and 'analysis'; keep one of them",
        ),
        (
            "programs: {'a b': {command: ls}}",
            ":1: programs.a b: is no name; use letters, digits, '.', '_' and '-'",
        ),
        ("programs: {1: {command: ls}}", ":1: programs.1: the key is 1, but must be text; put it in quotes"),
        (
            "programs: {sim: {command: ls}, sim: {command: ls}}",
            ":1: programs.sim: is given twice, first on line 1; keep one of them",
        ),
        (
            "programs: {sim: {command: 3}}",
            ":1: programs.sim.command: is 3, but must be a command line, or a list of words",
        ),
        (
            "programs: {sim: {command: python sim.py > log}}",
            ":1: programs.sim.command: has '>', but commands run without a shell; write sh -c '...'",
        ),
        (
            "{parameters: {N: 3}, programs: {sim: {command: python sim.py $N}}}",
            ":1: programs.sim.command: has $N; did you mean ${N}?",
        ),
        (
            "{parameters: {N: 3}, programs: {sim: {command: python sim.py, args: [-n, $N]}}}",
            ":1: programs.sim.args: has $N; did you mean ${N}?",
        ),
        *(
            (
                f"programs: {{sim: {{command: 'python sim.py {word} -x'}}}}",
                f":1: programs.sim.command: has {word}, but commands run without a shell; "
                "put it in quotes if it stands for itself, else write sh -c '...'",
            )
            for word in ("$HOME", "~", "~/data", "*", "data/*.nc")
        ),
        (
            """programs: {sim: {command: "python 'sim.py"}}""",
            ":1: programs.sim.command: cannot be split into words (No closing quotation); "
            "check its quotes: python 'sim.py",
        ),
        (
            "programs: {sim: {command: ls, ranks: 0}}",
            ":1: programs.sim.ranks: is 0, but must be a whole number above 0",
        ),
        (
            "programs: {sim: {command: ls, ranks: yes}}",
            ":1: programs.sim.ranks: is True, but must be a whole number above 0",
        ),
        (
            "programs: {sim: {command: ls, ranks: two}}",
            ":1: programs.sim.ranks: is 'two', but must be a whole number above 0",
        ),
        *(
            (
                f"programs: {{sim: {{command: ls, timeout: {text}}}}}",
                f":1: programs.sim.timeout: is {found}, but must be a time above 0: seconds, or such as 30 s, 5 min, "
                "2 h; or inf, for as long as it takes",
            )
            for text, found in {"0": "0", "-1": "-1", ".nan": "nan", "5 mins": "'5 mins'", "yes": "True"}.items()
        ),
        (
            "programs: {sim: {command: ls, cwd: nowhere}}",
            ":1: programs.sim.cwd: is 'nowhere', but there is no such directory",
        ),
        (
            "programs: {sim: {command: ls, env: {A: [1]}}}",
            ":1: programs.sim.env.A: is a list, but must be text, a number, true or false",
        ),
        (
            "programs: {sim: {command: ls, env: {A: '${B}'}}}",
            ":1: programs.sim.env.A: '${B}' is no parameter of this workflow; it declares none under 'parameters'",
        ),
        (
            "programs: {sim: {command: ls, env: {STAITHE_TIMEOUT: 5}}}",
            ":1: programs.sim.env.STAITHE_TIMEOUT: is the program's 'timeout': write that instead",
        ),
        (
            "programs: {sim: {command: ls, env: {STAITHE_RUN_DIR: here}}}",
            ":1: programs.sim.env.STAITHE_RUN_DIR: is set by `staithe run` itself, from the other parts of this file",
        ),
        (
            "programs: {sim: {command: ls, args: {a: 1}}}",
            ":1: programs.sim.args: is a mapping, but must be a line of words, or a list of them",
        ),
        (
            PROGRAMS.replace("mom.py}", "mom.py, args: [1]}"),
            ":1: programs.mom.args: is a list, but must be a mapping",
        ),
        (
            PROGRAMS.replace("mom.py}", "mom.py, cwd: .}") + "streams: {s: {from: sim, to: mom, placement: inline}}",
            ":1: programs.mom.cwd: is for a process of its own, but this analysis runs inside the writer; "
            "give it to that program",
        ),
        (
            PROGRAMS + "streams: {s: {to: mom}}",
            ":2: streams.s: has no 'from'; name the program that writes it, or a 'file' that it was recorded in",
        ),
        (
            PROGRAMS + "streams: {s: {from: simm, to: mom}}",
            ":2: streams.s.from: 'simm' is no program of this workflow; did you mean 'sim'? (allowed: sim, msd, mom)",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: [mom, plot]}}",
            ":2: streams.s.to: 'plot' is no program of this workflow; allowed: sim, msd, mom",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: [mom, 3]}}",
            ":2: streams.s.to: is a list, but must be a program's name or a list of them, such as [msd, stats]",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: [mom, sim]}}",
            ":2: streams.s.to: 'sim' writes the stream; it cannot wait for itself",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: [mom, mom]}}",
            ":2: streams.s.to: 'mom' is listed twice; a program reads a stream once",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, queue_steps: 1.5}}",
            ":2: streams.s.queue_steps: is 1.5, but must be a whole number above 0",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, queue_bytes: 3 apples}}",
            ":2: streams.s.queue_bytes: is '3 apples', but must be a size: bytes, or such as 256 MiB or 1.5 GB",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, overflow: keep-every-0}}",
            ":2: streams.s.overflow: is 'keep-every-0', but must be block, drop-oldest, drop-newest, keep-every-K "
            "(such as keep-every-10), latest, compress or spill",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, overflow: spill, spill_dir: nowhere}}",
            ":2: streams.s.spill_dir: is 'nowhere', but there is no such directory",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, overflow: latest, spill_bytes: 1 GB}}",
            ":2: streams.s.spill_bytes: goes with 'overflow: spill'; add that, or leave it out",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, placement: prodcer}}",
            ":2: streams.s.placement: 'prodcer' is no placement; did you mean 'producer'? "
            "(allowed: producer, inline, servers, file)",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom, placement: node}}",
            ":2: streams.s.placement: 'node' is not available in this version "
            "(allowed: producer, inline, servers, file)",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: [msd, mom], placement: inline}}",
            ":2: streams.s.to: 'msd' is a command, but placement inline runs analyses in 'sim'; "
            "give it an 'analysis' instead of a 'command', or use the placement producer",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom}, t: {from: sim, to: [], placement: inline}}",
            ":2: streams.t.to: names no analysis for the placement inline; list at least one",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: msd}}",
            ":1: programs.mom: is never started: no stream has it under 'to' (streams: s)",
        ),
        (
            PROGRAMS + "streams: {s: {from: sim, to: mom}, t: {from: sim, to: mom}}",
            ":1: programs.mom: reads 2 streams (s, t), but an analysis reads one",
        ),
        (
            "programs: {sim: {command: no-such-program-here}}",
            ":1: programs.sim.command: no executable 'no-such-program-here' on PATH; install it or give its path",
        ),
        ("programs: {sim: {command: ./sim}}", ":1: programs.sim.command: no such executable: {here}/sim"),
        (
            "programs: {sim: {command: python other.py}}",
            ":1: programs.sim.command: no such file: {here}/other.py",
        ),
        ("programs: {sim: {analysis: other.py}}", ":1: programs.sim.analysis: no such file: {here}/other.py"),
        (
            "programs: {sim: {analysis: sim.py}}",
            ":1: programs.sim.analysis: {here}/sim.py has no class derived from staithe.Analysis, "
            "and no call of staithe.analysis that its text shows; say which it is: FILE.py:NAME",
        ),
        (
            "programs: {sim: {analysis: mom.py:Moment}}",
            ":1: programs.sim.analysis: {here}/mom.py has no analysis 'Moment'; did you mean 'Moments'? "
            "(allowed: Moments)",
        ),
        (
            "programs: {sim: {command: ls}",
            ":1: is not valid YAML here, column 30: while parsing a flow mapping "
            "expected ',' or '}', but got '<stream end>'",
        ),
    ],
)
def test_a_bad_file_is_refused_with_a_line_that_helps(write_workflow: Write, text: str, expected: str) -> None:
    file = write_workflow(text, **SOURCES)
    assert problems(file) == ["flow.yaml" + expected.replace("{here}", str(file.parent))]


def test_all_problems_are_told_at_once(write_workflow: Write) -> None:
    file = write_workflow("programs: {sim: {comand: ls}, msd: {command: ls, ranks: -1}, c: {}}")
    assert len(problems(file)) == 3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{bins: 3, tilte: x}", "Moments takes no 'tilte'; did you mean 'title'? (allowed: bins, edges, title)"),
        ("{edges: [0, 1]}", "Moments needs bins; give it under 'args'"),
    ],
)
def test_arguments_that_an_analysis_does_not_take(write_workflow: Write, arguments: str, problem: str) -> None:
    text = f"{PROGRAMS}streams: {{s: {{from: sim, to: mom}}}}".replace("mom.py}", f"mom.py, args: {arguments}}}")
    assert problems(write_workflow(text, **SOURCES | {"mom": MAKES})) == [f"flow.yaml:1: programs.mom.args: {problem}"]


def test_scripts_that_are_not_python(write_workflow: Write, tmp_path: Path) -> None:
    file = write_workflow("programs: {sim: {command: python sim.py}}", sim="for x in\n")
    assert problems(file) == [
        f"flow.yaml:1: programs.sim.command: {tmp_path}/sim.py, line 1, is not valid Python: invalid syntax"
    ]


def test_an_absent_file(tmp_path: Path) -> None:
    file = tmp_path / "flow.yaml"
    assert problems(file) == ["flow.yaml: cannot be read (No such file or directory); give the path of a workflow file"]


def test_an_alias_to_itself_ends(write_workflow: Write) -> None:
    assert problems(write_workflow("programs: &p {sim: *p}"))


def test_no_mpiexec(write_workflow: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("staithe.workflow.checks.find_launcher", lambda: None)
    programs, servers = "programs: {sim: {command: ls, ranks: 1}}\n", "servers: {hosts: node1}\n"
    needs = "needs mpiexec, which is neither beside this Python nor on PATH; pip install mpich mpi4py, or leave out"
    assert problems(write_workflow(programs + servers)) == [
        f"flow.yaml:1: programs.sim.ranks: {needs} 'ranks' for a plain process",
        f"flow.yaml:2: servers.hosts: {needs} 'hosts' for a plain process",
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f",
        b"a: \x00",
        b"\xff\xfe",
        b"date: 2001-99-99",
        b"a: " + b"9" * 5000,
        b"[" * 3000,
        b"a: &a [*a]\n? *a\n: 1",
    ],
    ids=["control", "null", "not UTF-8", "no date", "long number", "deep", "alias in itself"],
)
def test_bytes_that_are_no_workflow_are_problems_of_the_file(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "flow.yaml"
    file.write_bytes(content)
    assert problems(file)


def test_repeated_keys_are_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "flow.yaml"
    file.write_text("programs: {}\nprograms: {}\n")
    assert problems(file) == ["flow.yaml:2: programs: is given twice, first on line 1; keep one of them"]
