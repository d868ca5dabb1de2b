"""Which MPICH ranks in Fortran run with."""

from __future__ import annotations

import sys
from pathlib import Path


def in_place_of_the_systems(folder: Path) -> dict[str, str]:
    """The environment in which programs that are linked with the system's MPICH run with that of this Python, if it has
    one: their ABI is the same. `folder`, which all hosts see, holds it under the name that Debian has for it.

    Ranks on several hosts may wait for each other for ever in MPI_Finalize of an MPICH before 4.2 whose messages go by
    UCX over TCP: who has had the answer of a peer waits for all in a way that answers nobody any more, also not a peer
    that asks only now (its pull request 6596).
    """
    here = Path(sys.prefix, "lib")
    library = here / "libmpi.so.12"
    if not library.exists():
        return {}
    folder.mkdir(exist_ok=True)
    name = folder / "libmpich.so.12"
    if not name.is_symlink():
        name.symlink_to(library)
    return {"LD_LIBRARY_PATH": f"{folder}:{here / 'mpich'}"}
