"""Files in /dev/shm that the processes of a trial made and did not remove: some peers forget theirs."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SHARED = Path("/dev/shm")


class Leftovers:
    """Knows what was there before; what others make in the meantime is theirs."""

    def __init__(self) -> None:
        self._before = set(SHARED.iterdir())
        self._mapped: set[Path] = set()

    def note(self, pids: Iterable[int]) -> None:
        """Remembers what these processes have mapped; to be called while they live."""
        for pid in pids:
            with suppress(OSError):
                for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
                    place = line.find(str(SHARED))
                    if place >= 0:
                        self._mapped.add(Path(line[place:].removesuffix(" (deleted)")))

    def remove(self) -> None:
        for path in self._mapped - self._before:
            path.unlink(missing_ok=True)
