"""What all Python tests share: a run directory of their own, stream names, programs that are started and ended.

Every test has a deadline: pytest-timeout, set in pyproject.toml, and below it the streams' own timeout.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

import thoroughness

# A busy machine is no bug, so Hypothesis has no deadline of its own. What it found is drawn again by the seed.
settings.register_profile("staithe", deadline=None, database=None, max_examples=thoroughness.examples(100))
settings.load_profile("staithe")

_numbers = itertools.count()


@pytest.hookimpl(tryfirst=True)  # before Hypothesis looks at its option
def pytest_configure(config: pytest.Config) -> None:
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = thoroughness.SEED
    if hasattr(config, "workerinput"):
        os.setpgid(0, 0)  # what a test sends to its own process group reaches no other test, nor who collects them
    else:
        config.pluginmanager.register(_FailuresAtOnce(config))


class _FailuresAtOnce:
    """Tells of a failure when it is known: a run that is killed never comes to its summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal:
            terminal.write_line(f"\n{report.nodeid} failed ({report.when}):\n{report.longreprtext}")


def pytest_report_header() -> str:
    return f"cases: {thoroughness.extent()}; the same again: {thoroughness.again('pytest')}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the tests, and of tests that are marked as sampled the cases, that run now."""
    left_out: set[pytest.Item] = set()
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if (mark := item.get_closest_marker("seldom")) and not thoroughness.has_its_turn(item.nodeid, *mark.args):
            left_out.add(item)
        if mark := item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
            item.user_properties.append((mark.args[0], 1))
    for name, group in cases.items():
        chosen = thoroughness.sample([_fields_of(item) for item in group], name)
        left_out |= set(group) - {group[number] for number in chosen}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _fields_of(item: pytest.Item) -> dict[str, str]:
    """The parameters of a case."""
    return {name: repr(value) for name, value in item.callspec.params.items()} if hasattr(item, "callspec") else {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        line = thoroughness.again(f"{sys.executable} -m pytest {shlex.quote(item.nodeid)}")
        report.sections.append(("To run this again", line))
    return report


@pytest.fixture(scope="session", autouse=True)
def run_directory() -> Iterator[Path]:
    """A private run directory, so that no stream of the user's is seen or disturbed."""
    with tempfile.TemporaryDirectory(prefix="staithe-") as directory, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("STAITHE_")]:
            patch.delenv(name)
        patch.setenv("STAITHE_RUN_DIR", directory)
        patch.setenv("STAITHE_TIMEOUT", "30")
        yield Path(directory)


@pytest.fixture(scope="session")
def fortran_mpi(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips tests where there is no Fortran compiler for MPI programs of today."""
    if shutil.which("mpifort") is None:
        pytest.skip("there is no mpifort")
    program = tmp_path_factory.mktemp("mpi") / "program.f90"
    program.write_text("use mpi_f08\nend\n")
    if subprocess.run(["mpifort", "-fsyntax-only", program], capture_output=True, check=False).returncode != 0:
        pytest.skip("mpifort has no module mpi_f08")


@pytest.fixture
def stream() -> str:
    """A name that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"


Program = subprocess.Popen[str]

# Jobs that a shell runs in the background ignore Ctrl-C, and so does all that they start. Tests send it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _kill(program: Program) -> None:
    if program.poll() is None:
        program.kill()


@pytest.fixture
def start_python(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts a Python program given as text, with arguments, as the last part of a command. What still runs at the end
    of the test is killed."""
    with contextlib.ExitStack() as programs:
        numbers = itertools.count()

        def start(text: str, *arguments: str, command: Sequence[str] = (), **environment: str) -> Program:
            file = tmp_path / f"program{next(numbers)}.py"
            file.write_text(text)
            program = subprocess.Popen(
                [*command, sys.executable, "-W", "error", str(file), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | environment,
            )
            programs.enter_context(program)  # closes the pipes
            programs.callback(_kill, program)
            return program

        yield start


@pytest.fixture
def run_python(start_python: Callable[..., Program]) -> Callable[..., str]:
    """Runs a Python program given as text; returns what it printed. It must succeed, and print no error."""

    def run(text: str, *arguments: str, **environment: str) -> str:
        program = start_python(text, *arguments, **environment)
        output, errors = program.communicate(timeout=60)
        assert program.returncode == 0, errors
        assert errors == ""
        return output

    return run
