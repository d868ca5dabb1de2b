"""Starts the processes of a trial, watches over them, and gathers what they report."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..contenders import contender_named
from .control import Desk
from .memory import MemoryWatch
from .native import NotBuilt, program
from .trial import Outcome, Role, Seat, Trial

REPOSITORY = Path(__file__).resolve().parents[2]
# A worker ends itself at the trial's timeout, with its stacks; the launcher kills what is left a little later.
GRACE = 5.0


class Failed(Exception):
    """The trial came to nothing; the text says why."""


class Launcher:
    """Runs trials, one at a time, on the given cores."""

    def __init__(self, cores: Sequence[int]) -> None:
        self._cores = tuple(cores)
        self._count = 0

    def run(self, trial: Trial) -> Outcome:
        reason = contender_named(trial.contender).missing()
        if reason:
            return Outcome(failure=reason)
        self._count += 1
        # Short, and in /tmp: the paths of Unix sockets hold 107 characters.
        directory = Path(tempfile.mkdtemp(prefix="staithe-bench-", dir="/tmp"))
        try:
            return self._run_in(directory, trial)
        except Failed as problem:
            return Outcome(failure=str(problem))
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def _run_in(self, directory: Path, trial: Trial) -> Outcome:
        commands = self._commands(directory, trial)
        desk = Desk(str(directory / "control"))
        output = directory / "output"
        with output.open("wb") as stream:
            processes = [
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    cwd=directory,
                    env=self._environment(directory),
                    start_new_session=True,  # a group of its own, so that all of it can be killed
                )
                for command in commands
            ]
        try:
            if trial.program:
                return self._program_result(processes[0], trial, output)
            return self._follow(desk, processes, trial)
        except Failed as problem:
            raise Failed(f"{problem}{_last_words(output)}") from None
        finally:
            for process in processes:
                _end(process)
            desk.close()

    def _commands(self, directory: Path, trial: Trial) -> list[list[str]]:
        if trial.program:
            name, *arguments = trial.program
            try:
                return [[str(program(name)), *arguments, *map(str, self._cores[:2])]]
            except NotBuilt as problem:
                raise Failed(str(problem)) from None
        ranks: list[tuple[Role, int]] = [("writer", rank) for rank in range(trial.writers)]
        ranks += [("reader", rank) for rank in range(trial.readers)]
        workers: list[list[str]] = []
        for role, rank in ranks:
            # One writer and one reader get a core each; more of them go round.
            core = rank if trial.writers > 1 else (0 if role == "writer" else rank + 1)
            seat = Seat(
                trial=trial,
                role=role,
                rank=rank,
                core=self._cores[core % len(self._cores)],
                stream=f"bench-{os.getpid()}-{self._count}",
                directory=str(directory),
                control=str(directory / "control"),
            )
            workers.append([sys.executable, "-m", "benchmarks.harness.worker", seat.to_json()])
        if not contender_named(trial.contender).uses_mpiexec:
            return workers
        mpiexec = [str(Path(sys.executable).parent / "mpiexec")]
        for worker in workers:
            mpiexec += [*([":"] if len(mpiexec) > 1 else []), "-n", "1", *worker]
        return [mpiexec]

    def _environment(self, directory: Path) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUNBUFFERED": "1",
            "STAITHE_RUN_DIR": str(directory / "run"),
            # One thread a process: the cores are shared out already.
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def _follow(self, desk: Desk, processes: list[subprocess.Popen[bytes]], trial: Trial) -> Outcome:
        expected = trial.writers + trial.readers
        deadline = time.monotonic() + trial.timeout + GRACE
        pids: list[int] = []
        results: dict[Role, dict[int, dict[str, Any]]] = {"writer": {}, "reader": {}}
        watch: MemoryWatch | None = None
        pause = 0.001
        while sum(map(len, results.values())) < expected:
            for message in desk.messages():
                if "failure" in message:
                    raise Failed(message["failure"].splitlines()[0])
                if "hello" in message:
                    pids.append(message["pid"])
                    if len(pids) == expected:
                        watch = MemoryWatch(pids) if trial.watch_memory else None
                        desk.tell_all("go")
                        pause = 0.02  # from here on the cores belong to the workers
                else:
                    results[message["role"]][message["rank"]] = message["result"]
            if time.monotonic() > deadline:
                raise Failed(f"not done after {trial.timeout:.0f} s")
            ended = [process.returncode for process in processes if process.poll() is not None]
            if any(ended):
                raise Failed(f"a process ended with {next(code for code in ended if code)}")
            time.sleep(pause)
        peak = watch.stop() if watch else 0
        desk.tell_all("leave")
        for process in processes:
            with suppress(subprocess.TimeoutExpired):  # it has reported; _end sees to the rest
                process.wait(GRACE)
        return Outcome(
            writers=tuple(results["writer"][rank] for rank in range(trial.writers)),
            readers=tuple(results["reader"][rank] for rank in range(trial.readers)),
            peak_bytes=peak,
        )

    def _program_result(self, process: subprocess.Popen[bytes], trial: Trial, output: Path) -> Outcome:
        try:
            code = process.wait(trial.timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"not done after {trial.timeout:.0f} s") from None
        if code:
            raise Failed(f"the program ended with {code}")
        return Outcome(program=json.loads(output.read_text().splitlines()[-1]))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the process and all of its group; those that moved to a group of their own follow their parent."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_words(output: Path) -> str:
    lines = [line for line in output.read_text(errors="replace").splitlines() if line.strip()]
    return f" ({lines[-1].strip()[:200]})" if lines else ""
