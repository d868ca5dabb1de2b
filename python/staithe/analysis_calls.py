"""What a function that analyses steps is called with, and where in its results lies what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._core import Block, Step, Variable
from .contracts import Contract
from .errors import InvalidArgument
from .names import printable
from .typing import Share

Contracts = Mapping[str, Contract]
"""What variables are to be, by name."""


@dataclass(frozen=True)
class Place:
    """Of what is made of one block: as it lies in its variable, of that shape; None: it is an array of its own."""

    offset: tuple[int, ...] | None = None
    count: tuple[int, ...] | None = None
    shape: tuple[int, ...] | None = None

    def check(self, name: str, result: Any) -> None:
        """That a result can lie there."""
        shape = tuple(_shown(result).shape)
        if self.count is not None and shape != self.count:
            raise InvalidArgument(
                f"output '{printable(name)}' has the shape {shape}, and the block of which it was made {self.count}: "
                "share='process' puts it where that lies, so return an array of that shape"
            )


@dataclass(frozen=True)
class Call:
    """The arrays for one call."""

    arrays: tuple[Any, ...]
    place: Place
    lengths: dict[str, int]  # by the names that contracts have for them


def calls(step: Step, inputs: Contracts, share: Share | None) -> Iterator[Call]:
    """Those of this rank for a step: one, or one for each block of its share.

    Raises:
        InvalidArgument: an input is something else than it is to be; or the blocks of several do not go together.
    """
    variables = [step[name] for name in inputs]
    if share == "process":
        for arrays, place in _by_block(variables):
            yield Call(arrays, place, _lengths(inputs, variables, arrays))
    else:
        read = tuple(variable.read(share=share) for variable in variables)
        yield Call(read, Place(), _lengths(inputs, variables, read))


def check_results(outputs: Contracts, results: Mapping[str, Any], call: Call) -> None:
    """That results are what they are to be, and can lie in their place."""
    for name, contract in outputs.items():
        result = results[name]
        call.place.check(name, result)
        if contract == Contract():
            continue
        shown = _shown(result)
        why = contract.difference(shown.dtype, tuple(shown.shape), None, call.lengths)
        if why is not None:
            raise InvalidArgument(f"output '{printable(name)}' is to be {contract}, but {why}")


def _shown(result: Any) -> Any:
    """What has a dtype of NumPy and a shape."""
    has_both = isinstance(getattr(result, "dtype", None), np.dtype) and hasattr(result, "shape")
    return result if has_both else np.asarray(result)


def _lengths(inputs: Contracts, variables: Sequence[Variable], arrays: Sequence[Any]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for (name, contract), variable, array in zip(inputs.items(), variables, arrays, strict=True):
        why = contract.difference(array.dtype, array.shape, variable.unit, lengths)
        if why is not None:
            raise InvalidArgument(f"input '{printable(name)}' is to be {contract}, but {why}")
    return lengths


def _by_block(variables: Sequence[Variable]) -> Iterator[tuple[tuple[Any, ...], Place]]:
    """The arrays of each block of this rank's share, which all have; numbers go with every block."""
    numbers = [not variable.local and variable.shape == () for variable in variables]
    leading = variables[numbers.index(False) if False in numbers else 0]
    blocks = leading.read(share="process")
    if leading.local and len(blocks) > 1:
        raise InvalidArgument(
            f"this rank has the local arrays of {len(blocks)} writer ranks of '{printable(leading.name)}', and each "
            "rank writes one: with share='process' let as many ranks analyse as write, or analyse inline"
        )
    others = [
        None if number else {_key(variable, block): block for block in variable.read(share="process")}
        for number, variable in zip(numbers, variables, strict=True)
    ]
    for block in blocks:
        arrays = []
        for variable, by_key in zip(variables, others, strict=True):
            if by_key is None:
                arrays.append(variable.read())
                continue
            if (own := by_key.get(_key(leading, block))) is None:
                raise InvalidArgument(
                    f"'{printable(variable.name)}' has no block at {block.box} of rank {block.rank}, where "
                    f"'{printable(leading.name)}' has one: with share='process' inputs are cut alike"
                )
            arrays.append(own.data)
        local = Place() if leading.local else Place(block.box.offset, block.box.count, leading.shape)
        yield tuple(arrays), local


def _key(variable: Variable, block: Block) -> Any:
    """By which blocks of several variables go together: local arrays by their ranks alone."""
    return block.rank if variable.local else (block.rank, block.box)
