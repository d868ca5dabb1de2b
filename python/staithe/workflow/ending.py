"""How a program ended, in words."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

# MPICH's mpiexec ends with the number of the signal as its exit code, and says so on its stdout.
_HYDRA_SIGNAL = re.compile(r"TERMINATED WITH THE EXIT STRING: .*\(signal (\d+)\)")
# Which host a rank was on that ended it all: MPICH's mpiexec, Open MPI's, srun.
_HOST_OF_RANK = re.compile(r"PID \d+ RUNNING AT (\S+)|with PID \d+ on node (\S+) exited|^srun: error: (\S+): tasks? ")


@dataclass(frozen=True)
class Ending:
    """The end of one program.

    `returncode` is negative for a signal, as in subprocess; `stopped` tells that the launcher had sent it a
    signal before; `last_words` are the last lines on its stderr; `host` is where it failed, if hosts were named; one
    that `served` was to go on until it was stopped.
    """

    program: str
    ranks: int | None
    returncode: int
    seconds: float
    stopped: bool = False
    last_words: tuple[str, ...] = ()
    rank_signal: int | None = None
    host: str | None = None
    served: bool = False

    @property
    def failed(self) -> bool:
        """Whether it went wrong by itself."""
        return (self.returncode != 0 or self.served) and not self.stopped

    @property
    def lost_its_peer(self) -> bool:
        """Whether it failed because another program of the run did, as far as its last words tell."""
        return any(error in line for line in self.last_words for error in ("PeerLost", "WriterFailed"))

    @property
    def how(self) -> str:
        """Exit code or signal, and the host if the file names some."""
        return self._how if self.host is None else f"{self._how} on {self.host}"

    @property
    def _how(self) -> str:
        if self.rank_signal is not None:
            what = "killed" if self.ranks is None else "a rank was killed"
            return f"{what} by {signal_name(self.rank_signal)}"
        if self.returncode < 0:
            return f"killed by {signal_name(-self.returncode)}"
        if self.returncode > 128 and _is_signal(self.returncode - 128):
            return f"exit code {self.returncode} ({signal_name(self.returncode - 128)})"
        return f"exit code {self.returncode}"


def rank_signal(line: str) -> int | None:
    """The signal that killed a rank, if this line of mpiexec's output tells of one."""
    found = _HYDRA_SIGNAL.search(line)
    return int(found[1]) if found else None


def host_of_rank(line: str) -> str | None:
    """Where the rank ran that failed first, if this line of the launcher's output tells of one."""
    found = _HOST_OF_RANK.search(line)
    return next(filter(None, found.groups())) if found else None


def signal_name(number: int) -> str:
    """SIGKILL for 9."""
    return signal.Signals(number).name if _is_signal(number) else f"signal {number}"


def _is_signal(number: int) -> bool:
    return number in signal.valid_signals()


def culprit(endings: list[Ending]) -> Ending | None:
    """The program that failed first, passing over those that only lost their peer."""
    failed = [ending for ending in endings if ending.failed]
    return next((ending for ending in failed if not ending.lost_its_peer), failed[0] if failed else None)
