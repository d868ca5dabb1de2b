"""Analyses: as reader programs and in the simulation's thread, with the same result."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staithe

FILE = """
from dataclasses import dataclass
import staithe
from beside import NAME

@dataclass
class Record:
    index: int

class Base(staithe.Analysis):
    pass

class Recorder(Base):
    steps = []
    def step(self, step):
        self.steps.append((NAME, Record(step.index).index, step["x"][...].tolist()))
"""


class Means(staithe.Analysis):
    """Remembers all its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.kept: list[Any] = []

    def start(self, group: staithe.Group, attrs: Mapping[str, Any]) -> None:
        self.calls.append((tuple(group), dict(attrs)))

    def step(self, step: staithe.Step) -> None:
        x = step["x"].read(share="count")
        self.kept.append(x[:1])
        self.calls.append((step.index, step.attrs["time"], float(x.mean())))

    def finish(self) -> None:
        self.calls.append("finished")


def simulate(out: staithe.Writer, steps: int = 3) -> None:
    for i in range(steps):
        with out.step() as step:
            step.attrs["time"] = i / 2
            step.put("x", np.arange(4.0) + i)


EXPECTED = [((0, 1), {"a": 1}), (0, 0.0, 1.5), (1, 0.5, 2.5), (2, 1.0, 3.5), "finished"]


def test_inline_in_this_thread(stream: str) -> None:
    analysis = Means()
    with staithe.writer(stream, attrs={"a": 1}, analyses=[analysis]) as out:
        assert out.placement == "inline"
        simulate(out)
        assert analysis.calls == EXPECTED[:-1]
    assert analysis.calls == EXPECTED
    assert [x[0] for x in analysis.kept] == [0, 1, 2], "arrays outlive their step, and the stream"


def test_as_a_reader_program(stream: str) -> None:
    analysis = Means()
    thread = threading.Thread(target=staithe.analyse, args=(analysis, stream), kwargs={"program": "means"})
    thread.start()
    with staithe.writer(stream, attrs={"a": 1}) as out:
        simulate(out)
    thread.join()
    assert analysis.calls == EXPECTED


def test_inline_beside_readers(stream: str) -> None:
    first, second = Means(), Means()
    with staithe.writer(stream, attrs={"a": 1}, analyses=[first, second], readers=2) as out:
        reader = staithe.reader(stream)
        simulate(out)
    assert [float(step["x"][0]) for step in reader] == [0, 1, 2]
    assert first.calls == second.calls == EXPECTED


def test_inline_on_every_rank(stream: str) -> None:
    analyses = [Means(), Means()]

    def run(rank: int) -> None:
        with staithe.writer(stream, group=(rank, 2), analyses=[analyses[rank]]) as out, out.step() as step:
            step.attrs["time"] = 0
            step.put("x", np.arange(3.0) + 3 * rank, offset=3 * rank, shape=6)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [a.calls for a in analyses] == [
        [((0, 2), {}), (0, 0, 1.0), "finished"],
        [((1, 2), {}), (0, 0, 4.0), "finished"],
    ]


class Failing(staithe.Analysis):
    def step(self, step: staithe.Step) -> None:
        raise KeyError(f"in step {step.index}")


def test_what_an_inline_analysis_raises_comes_out_of_the_step(stream: str) -> None:
    with staithe.writer(stream, analyses=[Failing()]) as out:
        with pytest.raises(KeyError, match="in step 0"), out.step() as step:
            step.put("x", 1)
        with pytest.raises(KeyError, match="in step 1"), out.step() as step:
            step.put("x", 1)


def test_a_step_given_to_an_analysis_is_released_afterwards(stream: str) -> None:
    kept: list[staithe.Step] = []

    class Keeper(staithe.Analysis):
        def step(self, step: staithe.Step) -> None:
            kept.append(step)

    with staithe.writer(stream, analyses=[Keeper()], queue_steps=1) as out:
        simulate(out)
    with pytest.raises(staithe.Closed, match="released"):
        kept[0]["x"]


def test_an_analysis_must_not_write_the_stream_it_is_run_by(stream: str) -> None:
    class Meddler(staithe.Analysis):
        out: staithe.Writer

        def step(self, step: staithe.Step) -> None:
            self.out.step()

    analysis = Meddler()
    with (
        staithe.writer(stream, analyses=[analysis]) as analysis.out,
        pytest.raises(staithe.InvalidArgument, match="an analysis"),
    ):
        simulate(analysis.out)
    del analysis.out


def test_an_analysis_that_fails_to_start_leaves_no_stream(stream: str) -> None:
    class Unwilling(Failing):
        def start(self, group: staithe.Group, attrs: Mapping[str, Any]) -> None:
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        staithe.writer(stream, analyses=[Unwilling()])
    with staithe.writer(stream, readers=0):
        pass


def test_step_must_be_overridden() -> None:
    with pytest.raises(TypeError, match="step"):
        staithe.Analysis()  # type: ignore[abstract]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("NAME = 'beside'")
    path = tmp_path / "recorder.py"
    path.write_text(FILE)
    return path


def test_the_only_analysis_of_a_file(file: Path) -> None:
    cls = staithe.load_analysis(str(file))
    assert cls.__name__ == "Recorder"
    assert issubclass(cls, staithe.Analysis)
    assert staithe.load_analysis(f"{file}:Base").__name__ == "Base"


@pytest.mark.parametrize(
    ("text", "name", "error", "message"),
    [
        (None, "", staithe.NotFound, "there is no file"),
        ("", "", staithe.NotFound, "no class derived from staithe.Analysis"),
        ("", ":Missing", staithe.NotFound, "has no analysis Missing"),
        ("class A: pass", ":A", staithe.InvalidArgument, "does not derive"),
        ("a = 1", ":a", staithe.InvalidArgument, "does not derive"),
        (
            "import staithe\nclass A(staithe.Analysis): pass\nclass B(staithe.Analysis): pass",
            "",
            staithe.InvalidArgument,
            "several analyses, choose one of a.py:A, a.py:B",
        ),
        ("1 / 0", "", ZeroDivisionError, "division"),
    ],
)
def test_files_that_do_not_serve(
    tmp_path: Path, text: str | None, name: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "a.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(error, match=message):
        staithe.load_analysis(f"{path}{name}")


def test_analyses_named_by_a_workflow(stream: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_ANALYSES", f"{stream}={file}:Recorder,other={file}:Missing")
    monkeypatch.setenv("STAITHE_PLACEMENT", "inline")
    with staithe.writer(stream) as out:
        simulate(out, 2)
        monkeypatch.delenv("STAITHE_ANALYSES")
    recorder = __import__("sys").modules["staithe_analysis_recorder"].Recorder
    assert recorder.steps == [("beside", 0, [0.0, 1.0, 2.0, 3.0]), ("beside", 1, [1.0, 2.0, 3.0, 4.0])]


def test_they_run_only_at_placement_inline(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_ANALYSES", f"{stream}=missing.py")
    with staithe.writer(stream, readers=0):
        pass
    with pytest.raises(staithe.NotFound, match=r"missing\.py"):
        staithe.writer(stream, placement="inline")


def test_a_garbled_list_of_analyses(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_ANALYSES", "a.py")
    with pytest.raises(staithe.InvalidArgument, match="STAITHE_ANALYSES"):
        staithe.writer(stream, placement="inline")
