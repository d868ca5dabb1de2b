"""In which chunks Dask best goes through a variable: one a block, as far as blocks lie in a grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ..box import Box

# Of blocks that lie criss-cross a grid through all their corners would be cut into far too many pieces.
MOST_CELLS_A_BLOCK = 4


def chunks_of(boxes: Sequence[Box], shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
    """The lengths of chunks along each dimension, such that each lies in one block; None where blocks do not tell."""
    cuts = [
        sorted({0, length} | {cut for box in boxes for cut in (box.offset[axis], box.offset[axis] + box.count[axis])})
        for axis, length in enumerate(shape)
    ]
    chunks = tuple(tuple(end - begin for begin, end in itertools.pairwise(places)) for places in cuts)
    cells = math.prod(map(len, chunks))
    return chunks if 0 < cells <= MOST_CELLS_A_BLOCK * len(boxes) else None
