"""STAITHE_LOG=debug: who joined, left, dropped and waited, in lines that can be sorted by their time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

WRITER = """
import time
import numpy as np, staithe
with staithe.writer("melt", queue_steps=2) as out:
    print(flush=True)  # the reader takes its time from here on
    for index in range(6):
        with out.step() as step:
            step.put("x", np.zeros(100_000))
    time.sleep(1.2)
    with out.step() as step:
        step.put("x", np.zeros(100_000))
"""
READER = """
import sys, time
import staithe
time.sleep(float(sys.argv[1]))
with staithe.reader("melt", program=sys.argv[2], overflow=sys.argv[3]) as steps:
    for step in steps:
        pass
"""
LINE = re.compile(r"staithe\[(?P<program>\S+) (?P<pid>\d+) (?P<time>\d+\.\d{6})\] debug: (?P<text>.*)")


def test_what_happens_in_a_stream_can_be_read(start_python: Callable[..., Any], tmp_path: Any) -> None:
    debug = {"STAITHE_LOG": "debug"}
    writer = start_python(WRITER, **debug, STAITHE_PROGRAM="sim")
    writer.stdout.readline()
    reader = start_python(READER, "1.2", "plot", "block", **debug, STAITHE_PROGRAM="view")
    (_, written), (_, read) = writer.communicate(timeout=60), reader.communicate(timeout=60)
    assert writer.returncode == reader.returncode == 0, written + read
    lines = [LINE.fullmatch(line) for line in (written + read).splitlines()]
    assert all(lines), written + read
    found = [line for line in lines if line]
    assert {(line["program"], int(line["pid"])) for line in found} == {("sim", writer.pid), ("view", reader.pid)}
    text = "\n".join(line["text"] for line in sorted(found, key=lambda line: float(line["time"])))
    view = re.escape(f"view (pid {reader.pid} on ")
    in_order = (
        r"stream 'melt': opened with step 0 by 1 writer ranks, overflow block",
        r"the pool staithe:melt has grown by 80\d KB to ",
        rf"stream 'melt': reader rank 0 of 1 of group 'plot' has joined: {view}",
        r"stream 'melt': reader group 'plot' is complete and starts with step 0, overflow block",
        r"stream 'melt': writer rank 0 waited for room for step 2, for \d\.\d{3} s",
        r"stream 'melt': reader rank 0 waited for step 6, for \d\.\d{3} s",
        r"stream 'melt': ends after 7 steps, 5\.6 MB; 0 dropped",
    )
    at = 0
    for pattern in in_order[:5]:
        match = re.compile(pattern).search(text, at)
        assert match, f"{pattern} in\n{text[at:]}"
        at = match.start()
    for pattern in in_order[5:]:
        assert re.search(pattern, text), f"{pattern} in\n{text}"


def test_drops_and_leaves_are_told(start_python: Callable[..., Any]) -> None:
    writer = start_python(
        "import staithe, sys\n"
        'with staithe.writer("melt", queue_steps=4) as out:\n'
        "    sys.stdin.readline()\n"
        "    for index in range(9):\n"
        "        with out.step() as step:\n"
        '            step.put("x", index)\n'
        "    print(flush=True)\n"
        "    sys.stdin.readline()\n",
        STAITHE_LOG="debug",
    )
    reader = start_python(
        "import staithe, sys\n"
        'with staithe.reader("melt", program="plot", overflow="drop-oldest") as steps:\n'
        '    print("there", flush=True)\n'
        "    sys.stdin.readline()\n"
    )
    reader.stdout.readline()
    writer.stdin.write("go\n")
    writer.stdin.flush()
    writer.stdout.readline()
    reader.communicate("go\n", timeout=60)
    _, err = writer.communicate("go\n", timeout=60)
    assert "stream 'melt': reader group 'plot' lost 1 steps by its policy drop-oldest, 1 in all" in err
    assert re.search(rf"stream 'melt': reader rank 0 has left: .* \(pid {reader.pid} on .*\); it held 0 steps", err)
