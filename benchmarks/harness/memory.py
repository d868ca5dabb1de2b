"""How much memory a set of processes holds: anonymous pages by PSS, shared-memory objects by their blocks.

Pages of files (libraries) do not count: they are the kernel's to drop. A shared-memory object counts once, whoever has
it open or mapped, with pages that nobody has touched yet. Who may not follow /proc/PID/map_files (others than root)
misses objects whose descriptor was closed after mapping: there the PSS of shared memory counts if it is larger.
"""

import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PROC = Path("/proc")


def descendants(roots: Iterable[int]) -> set[int]:
    """The processes and all they have started."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # it has just ended
            parent = int(stat.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return found


def held_bytes(pids: Iterable[int]) -> int:
    anonymous = shared_pss = 0
    objects: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            fields = dict(
                line.split(":", 1)
                for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
                if line.startswith("Pss")
            )
        except OSError:
            continue
        kib = {name: int(value.split()[0]) for name, value in fields.items()}
        shared_pss += 1024 * kib["Pss_Shmem"]
        anonymous += 1024 * kib["Pss_Anon"]
        objects.update(_shared_objects(pid))
    blocks = sum(objects.values())
    # Not always the larger one: processes are looked at one after the other, and a page that a second one maps in
    # between would count one and a half times.
    return anonymous + (blocks if _mappings_known() else max(blocks, shared_pss))


@cache
def _mappings_known() -> bool:
    try:
        next((PROC / "self" / "map_files").iterdir()).stat()
    except OSError:
        return False
    return True


def _shared_objects(pid: int) -> dict[tuple[int, int], int]:
    """Bytes of every memfd and file of /dev/shm that the process has open or mapped."""
    found: dict[tuple[int, int], int] = {}
    for folder in ("fd", "map_files"):
        try:
            entries = list((PROC / str(pid) / folder).iterdir())
        except OSError:
            continue
        for entry in entries:
            try:
                if str(entry.readlink()).startswith(("/memfd:", "/dev/shm/")):
                    stat = entry.stat()
                    found[stat.st_dev, stat.st_ino] = 512 * stat.st_blocks
            except OSError:
                continue
    return found


class MemoryWatch:
    """Samples the memory of processes from `start` on, and keeps the most that was seen above the start's."""

    def __init__(self, roots: Iterable[int], interval: float = 0.01) -> None:
        self._roots = tuple(roots)
        self._interval = interval
        self._baseline = held_bytes(descendants(self._roots))
        self._peak = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._stop.wait(self._interval):
            self._peak = max(self._peak, held_bytes(descendants(self._roots)) - self._baseline)

    def stop(self) -> int:
        self._stop.set()
        self._thread.join()
        return self._peak
