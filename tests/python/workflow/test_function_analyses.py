"""Analyses made of functions in workflow files: what is known of them before the launch, and runs of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import staithe
from staithe.workflow import Declared, WorkflowError, load, run, shortfalls
from staithe.workflow.analysis_file import find_analysis, unfit_arguments
from staithe.workflow.launch import RunDirectories, launches
from staithe.workflow.roster import opened_by

pytestmark = pytest.mark.timeout(60)

Write = Callable[..., Path]

SIM = """
    import numpy as np
    import staithe

    with staithe.writer("melt") as out:
        for i in range(12):
            with out.step() as step:
                step.put("x", np.arange(4.0) + i)
"""
ABOVE = """
    import staithe

    @staithe.analysis(inputs=["x"], outputs=["count"])
    def above(x, level=2.0, *, strict=True):
        return (x > level).sum() if strict else (x >= level).sum()
"""
PLOT = """
    import sys
    import staithe

    counts = [(step.attrs["step"], int(step["count"][...])) for step in staithe.reader(sys.argv[1])]
    print(len(counts), counts[0], counts[-1])
"""
FLOW = """
programs:
  sim: {command: python sim.py}
  above: {analysis: above.py, args: {level: 9.5}}
  plot: {command: python plot.py above}
streams:
  melt: {from: sim, to: above, queue_steps: 2}
  above: {from: above, to: plot, queue_steps: 2}
"""
SOURCES = {"sim": SIM, "above": ABOVE, "plot": PLOT}
INLINE = FLOW.replace("to: above,", "to: above, placement: inline,")
# Two programs of one declaration, each with a stream of its own.
TWICE = """
programs:
  sim: {command: python sim.py}
  low: {analysis: above.py, args: {level: 1.5, strict: false}}
  high: {analysis: above.py}
  plot: {command: python plot.py low}
streams:
  melt: {from: sim, to: [low, high]}
  low: {from: low, to: plot}
  high: {from: high}
"""


def problems(file: Path) -> list[str]:
    with pytest.raises(WorkflowError) as caught:
        load(file)
    return [problem.text(file).removeprefix(f"{file.parent}/") for problem in caught.value.problems]


@pytest.mark.parametrize("flow", [FLOW, INLINE])
def test_a_third_program_reads_the_results(write_workflow: Write, recorder: Any, flow: str) -> None:
    workflow = load(write_workflow(flow, **SOURCES))
    report = run(workflow, recorder)
    assert report.outcome.ok, recorder.lines
    assert shortfalls(workflow, report) == []
    assert recorder.printed("plot") == ["12 (0, 0) (11, 4)"]
    totals = {stream.name: (stream.stats.steps, stream.stats.readers_seen) for stream in report.streams}
    assert totals == {"melt": (12, 1), "above": (12, 1)}


@pytest.mark.parametrize("placement", ["producer", "inline"])
def test_the_workflow_says_which_stream_is_written(write_workflow: Write, recorder: Any, placement: str) -> None:
    flow = TWICE.replace("[low, high]}", f"[low, high], placement: {placement}}}")
    workflow = load(write_workflow(flow, **SOURCES))
    report = run(workflow, recorder)
    assert report.outcome.ok, recorder.lines
    assert recorder.printed("plot") == ["12 (0, 2) (11, 4)"]
    assert {stream.name: stream.stats.steps for stream in report.streams} == {"melt": 12, "low": 12, "high": 12}


@pytest.mark.parametrize(("share", "expected"), [("None", "12 [0] [4]"), ("'count'", "12 [0, 0] [2, 2]")])
def test_on_two_ranks(write_workflow: Write, recorder: Any, share: str, expected: str) -> None:
    pytest.importorskip("mpi4py")
    plot = """
        import staithe

        counts = [[int(block.data) for block in step["count"].blocks] for step in staithe.reader("above")]
        print(len(counts), counts[0], counts[-1])
    """
    shared = ABOVE.replace("outputs=", f"share={share}, outputs=")
    flow = FLOW.replace("{level: 9.5}", "{level: 9.5}, ranks: 2")
    report = run(load(write_workflow(flow, **SOURCES | {"above": shared, "plot": plot})), recorder)
    assert report.outcome.ok, recorder.lines
    assert recorder.printed("plot") == [expected]


def test_what_reads_the_results_of_a_failed_analysis_is_told(write_workflow: Write, recorder: Any) -> None:
    broken = ABOVE.replace("return", "return 1 // int(3 - x[0]) or")
    report = run(load(write_workflow(FLOW, **SOURCES | {"above": broken})), recorder, grace=10)
    assert report.outcome.culprit is not None and report.outcome.culprit.program == "above"
    assert any("in analysis 'above' of <staithe.Step 3 of 'melt': x>" in line for _, _, line in recorder.lines)
    assert any("WriterFailed" in line and "ZeroDivisionError" in line for line in recorder.printed("plot", "stderr"))


def test_a_variable_that_a_step_lacks(write_workflow: Write, recorder: Any) -> None:
    report = run(load(write_workflow(FLOW, **SOURCES | {"above": ABOVE.replace('"x"', '"v"')})), recorder, grace=10)
    assert report.outcome.culprit is not None and report.outcome.culprit.program == "above"
    assert recorder.printed("above", "stderr") == [
        "staithe: NotFound: step 0 has no variable 'v'; it has 'x'",
        "staithe: in analysis 'above' of <staithe.Step 0 of 'melt': x>",
    ]


def test_what_programs_are_told(write_workflow: Write, tmp_path: Path) -> None:
    workflow = load(write_workflow(FLOW, **SOURCES))
    started = {
        launch.name: launch for launch in launches(workflow, RunDirectories(tmp_path / "run", tmp_path / "done"))
    }
    assert started["above"].words[-3:] == ("melt", "--set=level=9.5", "--writes=above")
    assert json.loads(started["above"].environment["STAITHE_STREAMS"])["above"]["readers"] == 1
    assert opened_by(workflow, workflow.program("above")) == (["above"], ["melt"])


def test_what_a_program_is_told_of_what_runs_inside_it(write_workflow: Write, tmp_path: Path) -> None:
    workflow = load(write_workflow(INLINE, **SOURCES))
    started = {
        launch.name: launch for launch in launches(workflow, RunDirectories(tmp_path / "run", tmp_path / "done"))
    }
    environment = started["sim"].environment
    assert list(started) == ["sim", "plot"]
    assert json.loads(environment["STAITHE_ANALYSES"]) == [
        {"stream": "melt", "analysis": f"{tmp_path}/above.py:above", "args": {"level": 9.5}, "writes": "above"}
    ]
    assert {name: of["placement"] for name, of in json.loads(environment["STAITHE_STREAMS"]).items()} == {
        "melt": "inline",
        "above": "producer",
    }
    assert "STAITHE_PLACEMENT" not in environment
    assert opened_by(workflow, workflow.program("sim")) == (["melt", "above"], [])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "  above: {from: above, to: plot, queue_steps: 2}\n",
            "",
            ":4: programs.above.analysis: writes stream 'above', which is not under 'streams'; add "
            "above: {from: above, to: ...}, without 'to' if nobody reads it",
        ),
        (
            "  above: {from: above",
            "  more: {from: above}\n  above: {from: above",
            ":4: programs.above.analysis: is 'from' of 2 streams (more, above), but writes one",
        ),
        ("level: 9.5", "levle: 9.5", ":4: programs.above.args: above takes no 'levle'; did you mean 'level'? "),
        ("{level: 9.5}", "{x: 1}", ":4: programs.above.args: above takes no 'x'; allowed: level, strict"),
        (
            "above.py,",
            "above.py:abvoe,",
            ":4: programs.above.analysis: {here}/above.py has no analysis 'abvoe'; did you mean 'above'? ",
        ),
        (
            "{command: python plot.py above}",
            "{analysis: last.py}",
            ":5: programs.plot.analysis: takes 'cuont', but 'above' writes no such variable; did you mean 'count'? ",
        ),
    ],
)
def test_what_is_wrong_is_said_before_the_launch(write_workflow: Write, before: str, after: str, expected: str) -> None:
    last = ABOVE.replace('"x"', '"cuont"').replace("analysis(", "analysis(stream='last.zarr', ")
    file = write_workflow(FLOW.replace(before, after), **SOURCES, last=last)
    (problem,) = problems(file)
    assert problem.startswith(f"flow.yaml{expected}".replace("{here}", str(file.parent)))


def test_a_program_cannot_read_what_is_written_inside_it(write_workflow: Write) -> None:
    file = write_workflow(INLINE.replace("to: plot", "to: [plot, sim]"), **SOURCES)
    assert problems(file) == [
        "flow.yaml:8: streams.above.to: 'above' runs inside 'sim' and writes the stream; it cannot wait for itself"
    ]


FUNCTIONS = """
import numpy as np
import staithe as st
from staithe import analysis
from other import *

INPUTS = ["x"]

def plain(x): ...

@st.analysis(inputs={"x": "", "v": "f8 (n, 3)"}, outputs="y")
def decorated(x, v, /, k): ...

@analysis("called", inputs=INPUTS, outputs=("y", "z"), stream="elsewhere")
class Made:
    def __init__(self, k=1): ...
    def __call__(self, x): ...

mean = st.analysis("mean", np.mean, inputs="x", outputs="y")
typed: st.Analysis = st.analysis(None, plain, inputs="x", outputs="y", stream=f"{1}")
later = analysis(inputs="x", outputs="y")(plain)
"""


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("decorated", Declared({"x": "", "v": "f8 (n, 3)"}, {"y": ""}, "decorated")),
        ("Made", Declared(None, {"y": "", "z": ""}, "elsewhere")),
        ("mean", Declared({"x": ""}, {"y": ""}, "mean")),
        ("typed", Declared({"x": ""}, {"y": ""}, None)),
        ("later", None),
    ],
)
def test_what_a_file_tells_without_being_run(tmp_path: Path, name: str, declared: Declared | None) -> None:
    (tmp_path / "a.py").write_text(FUNCTIONS)
    assert find_analysis(f"a.py:{name}", tmp_path).declared == declared


TEMPERATURES = """
    import staithe

    @staithe.analysis(inputs=%s, outputs={"y": "f8 (n, 3) [nm]"})
    def warm(x):
        return x
"""
CHAIN = """
programs:
  sim: {command: python sim.py}
  first: {analysis: "first.py:warm"}
  second: {analysis: "second.py:warm"}
streams:
  melt: {from: sim, to: first, %s}
  warm: {from: first, to: second}
  warmer: {from: second}
"""


@pytest.mark.parametrize(
    ("variables", "first", "second", "problems"),
    [
        ("queue_steps: 2", '"x"', '"y"', []),
        ("variables: [x, v]", '{"x": "floating (n, 3) [K]"}', '{"y": "number (m, 3) [nm]"}', []),
        ("variables: {x: 'f4 (n, 3) [K]', v: }", '{"x": "floating (..., 3) [kelvin]"}', '{"y": "(n, m)"}', []),
        ("variables: [v]", '"x"', '"z"', ["'x', but stream 'melt' has no such", "'z', but 'first' writes no such"]),
        (
            "variables: {x: 'i4 (n, 3)'}",
            '{"x": "floating (n, 3)"}',
            '{"y": "f4"}',
            [
                "takes 'x' as floating (n, 3), but stream 'melt' has it as i4 (n, 3)",
                "takes 'y' as f4, but 'first' writes it as f8 (n, 3) [nm]",
            ],
        ),
        ("variables: {x: '(n, 3)'}", '{"x": "(4, n, 3)"}', '{"y": "(n, 2)"}', ["'x' as (4, n, 3)", "'y' as (n, 2)"]),
        ("variables: {x: '[K]'}", '{"x": "[degC]"}', '{"y": "[K]"}', ["as [degC], but", "as [K], but 'first' writes"]),
        ("variables: {x: 'f9 (n, 3)'}", '"x"', '"y"', ["melt.variables.x: 'f9' is no dtype"]),
        ("variables: {x: '(n, 3'}", '"x"', '{"y": "a b"}', ["'(n, 3' does not say what", "'y': 'a b' does not say"]),
        ("variables: [1]", '"x"', '"y"', ["must be a list of names, or what each variable is"]),
    ],
)
def test_what_functions_take_is_compared_with_what_is_written(
    tmp_path: Path, variables: str, first: str, second: str, problems: list[str]
) -> None:
    (tmp_path / "sim.py").write_text("")
    (tmp_path / "first.py").write_text(dedent(TEMPERATURES % first))
    (tmp_path / "second.py").write_text(dedent(TEMPERATURES % second))
    (tmp_path / "flow.yaml").write_text(CHAIN % variables)
    if not problems:
        load(tmp_path / "flow.yaml")
        return
    with pytest.raises(WorkflowError) as raised:
        load(tmp_path / "flow.yaml")
    for problem in problems:
        assert problem in str(raised.value)


def test_what_a_recording_has_is_looked_at(tmp_path: Path) -> None:
    with staithe.writer(str(tmp_path / "melt.zarr")) as out, out.step() as step:
        step.put("x", np.zeros((4, 3), "f4"), unit="K")
    flow = """
programs:
  warm: {analysis: "first.py:warm"}
streams:
  melt: {file: melt.zarr, to: warm}
  results: {from: warm}
"""
    (tmp_path / "flow.yaml").write_text(flow)
    (tmp_path / "first.py").write_text(dedent(TEMPERATURES % '{"x": "f4 (n, 3) [K]"}'))
    load(tmp_path / "flow.yaml")
    (tmp_path / "first.py").write_text(dedent(TEMPERATURES % '{"x": "f4 (n, 2) [K]"}'))
    with pytest.raises(WorkflowError, match=r"but melt\.zarr has it as float32 \(4, 3\) \[K\]"):
        load(tmp_path / "flow.yaml")


def test_several_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FUNCTIONS)
    with pytest.raises(ValueError, match=r"choose one of a\.py:decorated, a\.py:Made, a\.py:mean, a\.py:typed$"):
        find_analysis("a.py", tmp_path)


def test_a_function_that_is_not_declared(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def msd(x): ...\n")
    with pytest.raises(ValueError, match=r"has no analysis 'msd'; put @staithe\.analysis\(inputs=\.\.\., outputs="):
        find_analysis("a.py:msd", tmp_path)


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("decorated", {}, "decorated needs k; give it under 'args'"),
        ("Made", {"x": 1}, "Made takes no 'x'; allowed: k"),
        ("Made", {"k": 1}, None),
        ("mean", {"axis": 0}, None),
    ],
)
def test_arguments(tmp_path: Path, name: str, arguments: dict[str, Any], problem: str | None) -> None:
    (tmp_path / "a.py").write_text(FUNCTIONS)
    assert unfit_arguments(find_analysis(f"a.py:{name}", tmp_path), arguments) == problem
