"""What the two programs have in common: their group, and a line on what they reached."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI


def world() -> "MPI.Comm | None":
    """All ranks that were launched together; None without mpi4py."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def report(program: str, *, steps: int, size: int, seconds: float, waited: float, out: Path | None) -> None:
    """`size` is in bytes, over all steps and ranks."""
    reached = {
        "steps": steps,
        "bytes": size,
        "seconds": seconds,
        "waited_seconds": waited,
        "steps_per_second": steps / seconds,
        "bytes_per_second": size / seconds,
    }
    print(
        f"{program}: {steps} steps of {size / max(steps, 1) / 1e6:.3f} MB in {seconds:.3f} s: "
        f"{steps / seconds:.1f} steps/s, {size / seconds / 1e9:.3f} GB/s; waited {waited:.3f} s"
    )
    if out:
        out.write_text(json.dumps(reached))
