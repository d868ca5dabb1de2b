"""The program that every writer and reader process runs: `python -m benchmarks.harness.worker SEAT`.

Loads its contender, pins itself, and plays its role of the case.
"""

import ctypes
import faulthandler
import os
import signal
import sys
import traceback
from pathlib import Path

from ..cases import case_named
from ..contenders import contender_named
from .control import Control
from .trial import Seat

PR_SET_PDEATHSIG = 1


def main() -> None:
    seat = Seat.from_json(sys.argv[1])
    # Whatever hangs, here or in a peer's library, ends with every thread's stack on stderr.
    faulthandler.dump_traceback_later(seat.trial.timeout, exit=True)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    control = Control(seat.control, seat.trial.timeout)
    try:
        case, contender = case_named(seat.trial.case), contender_named(seat.trial.contender)
        contender.load(seat)
        # After loading: what a contender starts for itself (Ray's servers) may use every core.
        _keep_to(seat.core)
        control.send({"hello": seat.role, "rank": seat.rank, "pid": os.getpid()})
        control.wait_for("go")
        result = (case.write if seat.role == "writer" else case.read)(contender, seat)
        control.send({"result": result, "role": seat.role, "rank": seat.rank})
        control.wait_for("leave")
    except Exception as problem:
        traceback.print_exc()
        control.send({"failure": f"{seat.role} {seat.rank}: {type(problem).__name__}: {problem}"})
        sys.exit(1)
    # Not by way of every library's destructors: some peers wait there for others, or abort.
    contender.unload()
    sys.stdout.flush()
    os._exit(0)


def _keep_to(core: int) -> None:
    """All threads, those that a library started while it was loaded, too."""
    for thread in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


if __name__ == "__main__":
    main()
