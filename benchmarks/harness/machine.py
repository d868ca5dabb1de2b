"""What the numbers were measured on."""

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """Numbers without this are worth nothing a year on."""

    processor: str
    cores: tuple[int, ...]
    memory_gib: int
    kernel: str
    python: str
    date: str
    load: float  # of everyone, when the run began
    versions: dict[str, str]

    @property
    def line(self) -> str:
        return (
            f"{self.processor}, {len(self.cores)} cores used, {self.memory_gib} GiB, Linux {self.kernel}, "
            f"Python {self.python}, {self.date}, load {self.load:.1f} at the start"
        )

    @property
    def versions_line(self) -> str:
        return ", ".join(f"{name} {version or '(not installed)'}" for name, version in self.versions.items())


def describe_machine(cores: list[int], versions: dict[str, str]) -> Machine:
    """`versions` are those of the contenders' packages."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return Machine(
        processor=names[0] if names else platform.machine(),
        cores=tuple(cores),
        memory_gib=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 30),
        kernel=platform.release(),
        python=platform.python_version(),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        load=os.getloadavg()[0],
        versions=versions,
    )
