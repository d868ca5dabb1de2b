"""A process that writes streams as the tests tell it: tasks come pickled on stdin, what they raise goes back on
stdout.

A task is (stream, group, options, steps); a step is a list of puts: (name, array, layout, keywords).
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import staithe

Put = tuple[str, NDArray[Any], str, dict[str, Any]]


def lay_out(array: Any, layout: str) -> Any:
    """An equal array that lies differently in memory."""
    match layout:
        case "C" | "F":
            return np.array(array, order=layout)
        case "reversed":
            flip = (slice(None, None, -1),) * array.ndim
            return np.array(array[*flip, ...], order="C")[*flip, ...]
        case "strided":
            wide: Any = np.zeros([2 * count + 1 for count in array.shape], array.dtype)
            part = [slice(1, 2 * count + 1, 2) for count in array.shape]
            wide[*part, ...] = array
            return wide[*part, ...]
        case "middle first":
            axes = sorted(range(array.ndim), key=lambda axis: axis != array.ndim // 2)
            return np.array(array.transpose(axes), order="C").transpose(np.argsort(axes))
        case "swapped":
            return array.astype(array.dtype.newbyteorder())
        case "unaligned":
            raw = np.zeros(array.nbytes + 1, np.uint8)[1:]
            moved = raw.view(array.dtype).reshape(array.shape)
            moved[...] = array
            return moved
    raise ValueError(layout)


LAYOUTS = ("C", "F", "reversed", "strided", "middle first", "swapped", "unaligned")


def write(stream: str, group: tuple[int, int], options: dict[str, Any], steps: Sequence[Sequence[Put]]) -> None:
    """Writes all steps of a stream."""
    with staithe.writer(stream, group=group, **options) as out:
        for puts in steps:
            with out.step() as step:
                for name, array, layout, keywords in puts:
                    if layout == "loan":
                        with step.loan(name, count=array.shape, dtype=array.dtype, **keywords) as lent:
                            lent[...] = array
                    else:
                        step.put(name, lay_out(array, layout), **keywords)


def serve() -> None:
    """Does what stdin says, until it ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed must not garble the answers
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        failure: Exception | None = None
        try:
            write(*task)
        except Exception as error:
            failure = error
        pickle.dump(failure, answers)
        answers.flush()


if __name__ == "__main__":
    serve()
