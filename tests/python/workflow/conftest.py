from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from staithe.workflow import Ending, RunReport, Sample, ServerSample, load, run


class Recorder:
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str]] = []
        self.endings: list[Ending] = []
        self.stops: list[tuple[list[str], str]] = []
        self.ticks = 0
        self.samples: Callable[[], Mapping[str, Sample]] = dict

    def follow(
        self, samples: Callable[[], Mapping[str, Sample]], servers: Callable[[], Mapping[str, ServerSample]]
    ) -> None:
        self.samples = samples

    def started(self, program: str) -> None:
        pass

    def output(self, program: str, pipe: str, line: str) -> None:
        self.lines.append((program, pipe, line))

    def ended(self, ending: Ending) -> None:
        self.endings.append(ending)

    def stopping(self, programs: list[str], why: str) -> None:
        self.stops.append((programs, why))

    def tick(self) -> None:
        self.ticks += 1

    def printed(self, program: str, pipe: str = "stdout") -> list[str]:
        return [line for name, of, line in self.lines if (name, of) == (program, pipe)]

    def __getitem__(self, program: str) -> Ending:
        return next(ending for ending in self.endings if ending.program == program)


@pytest.fixture
def write_workflow(tmp_path: Path) -> Callable[..., Path]:
    """Writes flow.yaml, and Python files beside it."""

    def write(text: str, **files: str) -> Path:
        for name, content in files.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(content))
        file = tmp_path / "flow.yaml"
        file.write_text(textwrap.dedent(text))
        return file

    return write


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def run_programs(write_workflow: Callable[..., Path], recorder: Recorder) -> Callable[..., tuple[RunReport, Recorder]]:
    """Runs a workflow of Python files without a core: no stream is ever seen."""

    def describe(name: str) -> Mapping[str, object]:
        raise LookupError(name)

    def start(text: str, grace: float = 5.0, **files: str) -> tuple[RunReport, Recorder]:
        return run(load(write_workflow(text, **files)), recorder, grace, describe), recorder

    return start
