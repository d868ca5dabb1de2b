"""What the library logs goes to Python's logging, where a program has configured it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from staithe import log_lines

SETUP = """
import logging, os, sys
import staithe
logging.basicConfig(format="%(levelname)s %(name)s %(process)d %(message)s", stream=sys.stdout, level={level})
"""
STREAM = """
with staithe.writer("melt", readers=0) as out, out.step() as step:
    step.put("x", 1)
"""
OPENED = "stream 'melt': opened with step 0"


def test_lines_reach_the_logger_with_their_levels(run_python: Callable[..., str]) -> None:
    printed = run_python(SETUP.format(level="logging.DEBUG") + STREAM).splitlines()
    assert all(re.match(r"DEBUG staithe \d+ ", line) for line in printed), printed
    assert any(OPENED in line for line in printed)
    assert "ends after 1 steps" in printed[-1]  # which came up when the stream was closed: Python has ended since


@pytest.mark.parametrize("imports", ["import logging, staithe", "import staithe, logging"])
def test_logging_is_shut_down_after_the_last_line(run_python: Callable[..., str], tmp_path: Path, imports: str) -> None:
    # Nobody writes to that file any more once it is closed; lines still wait then, since the filter is slow.
    setup = f"""
import time
{imports}
logging.basicConfig(filename={str(tmp_path / "log.txt")!r}, filemode="w", level=logging.DEBUG)
logging.getLogger("staithe").addFilter(lambda record: time.sleep(0.05) or True)
"""
    run_python(setup + STREAM)
    lines = (tmp_path / "log.txt").read_text().splitlines()
    assert OPENED in "".join(lines) and "ends after 1 steps" in lines[-1]


def test_the_logger_decides_what_there_is(run_python: Callable[..., str]) -> None:
    assert run_python(SETUP.format(level="logging.INFO") + STREAM) == ""
    quiet = SETUP.format(level="logging.DEBUG") + "logging.getLogger('staithe').setLevel(logging.CRITICAL)\n"
    assert run_python(quiet + STREAM) == ""


def test_staithe_log_goes_before_it(run_python: Callable[..., str]) -> None:
    assert OPENED in run_python(SETUP.format(level="logging.ERROR") + STREAM, STAITHE_LOG="debug")
    assert run_python(SETUP.format(level="logging.DEBUG") + STREAM, STAITHE_LOG="warn") == ""


def test_standard_error_without_handlers(start_python: Callable[..., Any]) -> None:
    program = start_python("import logging, staithe\n" + STREAM, STAITHE_LOG="debug")
    out, err = program.communicate(timeout=60)
    assert program.returncode == 0 and out == ""
    assert re.search(rf"staithe\[\S+ {program.pid} \d+\.\d+\] debug: {OPENED}", err)


def test_a_forked_child_logs_as_well(run_python: Callable[..., str]) -> None:
    fork = """
with staithe.writer("before", readers=0) as out:
    child = os.fork()
    if child == 0:
        with staithe.writer("melt", readers=0):
            pass
        sys.exit()
    os.waitpid(child, 0)
    print("child", child)
"""
    printed = run_python(
        SETUP.format(level="logging.DEBUG") + "import warnings; warnings.simplefilter('ignore')\n" + fork
    )
    child = re.search(r"^child (\d+)$", printed, re.MULTILINE)
    assert child and f"DEBUG staithe {child[1]} {OPENED}" in printed


def test_a_handler_may_use_streams_and_fail(start_python: Callable[..., Any]) -> None:
    handler = """
class Handler(logging.Handler):
    def emit(self, record):
        if record.getMessage().startswith("stream 'melt'"):
            with staithe.writer("log", readers=0) as out, out.step() as step:
                step.put("line", len(record.getMessage()))
            print(record.getMessage(), flush=True)
            raise RuntimeError("of the handler")

class Filter(logging.Filter):
    def filter(self, record):
        if "ends" in record.getMessage():
            raise RuntimeError("of the filter")
        return True

sys.unraisablehook = lambda failure: print("unraisable:", failure.exc_value, flush=True)
logging.raiseExceptions = False
logger = logging.getLogger("staithe")
logger.addHandler(Handler())
logger.addFilter(Filter())
logger.setLevel(logging.DEBUG)
"""
    program = start_python("import logging, sys\nimport staithe\n" + handler + STREAM)
    printed, errors = program.communicate(timeout=60)
    # What a handler's streams log while Python ends goes to standard error.
    assert program.returncode == 0, errors
    assert OPENED in printed and "ends after" not in printed
    assert "unraisable: of the filter" in printed


def test_lines_of_busy_threads_all_arrive(run_python: Callable[..., str]) -> None:
    # Each reader that joins and leaves makes lines, in threads of the library, while this one holds the GIL.
    busy = """
import threading
def read():
    with staithe.reader("melt", program="p"):
        pass
with staithe.writer("melt") as out:
    for turn in range(5):
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            sum(range(1000))
"""
    printed = run_python(SETUP.format(level="logging.DEBUG") + busy)
    assert len(re.findall(r"reader rank 0 has left", printed)) == 20


def test_a_line_has_the_time_when_it_was_made(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "staithe"):
        log_lines._receive(1, 1234.5, "100 % of it")
    (record,) = caplog.records
    assert (record.levelno, record.created, record.msecs) == (logging.WARNING, 1234.5, 500)
    assert record.getMessage() == "100 % of it"
