"""What a variable is to be: "floating (n, 3) [nm]", its dtype, shape and unit, each as far as it is said."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from .errors import InvalidArgument
from .names import printable

_TEXT = re.compile(r"\s*(?P<dtype>[^\s()\[\]]+)?\s*(?P<shape>\([^()]*\))?\s*(?P<unit>\[[^\[\]]*\])?\s*")
# Of NumPy's abstract types those that arrays of streams can be.
_ABSTRACT = ("number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating")
_KINDS = "biufc"

Length = int | str | EllipsisType


@dataclass(frozen=True)
class Contract:
    """One of them. None stands for whatever it is; a length that is a name for the same wherever that name stands."""

    dtype: str | None = None
    shape: tuple[Length, ...] | None = None
    unit: str | None = None

    @classmethod
    def parse(cls, text: str) -> Contract:
        """Of a text, of which each part may be missing.

        Raises:
            InvalidArgument: it is none; the message says what is wrong with it.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise InvalidArgument(
                f"'{printable(text)}' does not say what a variable is: write dtype, shape and unit, such as "
                "'f8 (n, 3) [nm]', 'floating' or '(n, ...)'"
            )
        unit = found["unit"]
        return cls(_dtype(found["dtype"]), _shape(found["shape"]), None if unit is None else unit[1:-1].strip())

    def __str__(self) -> str:
        shape = None if self.shape is None else _written(self.shape)
        unit = None if self.unit is None else f"[{self.unit}]"
        return " ".join(part for part in (self.dtype, shape, unit) if part is not None) or "anything"

    def difference(self, dtype: Any, shape: tuple[int, ...], unit: str | None, lengths: dict[str, int]) -> str | None:
        """Why a variable is not so, in a few words; None if it is. `lengths` are those that names have had, and get."""
        if self.dtype is not None and not _is_a(dtype, self.dtype):
            return f"its dtype is {np.dtype(dtype)}"
        if self.shape is not None and (why := _difference(self.shape, shape, lengths)) is not None:
            return why
        if self.unit is not None and unit is not None and not _is_same(unit, self.unit):
            return f"its unit is '{printable(unit)}'" if unit else "it has no unit"
        return None

    def may_be(self, source: Contract) -> bool:
        """Whether a variable may be so that is as `source` says."""
        return (
            (self.dtype is None or source.dtype is None or _are_alike(source.dtype, self.dtype))
            and (self.shape is None or source.shape is None or _can_be_same(source.shape, self.shape))
            and (self.unit is None or source.unit is None or _is_same(source.unit, self.unit))
        )


def _dtype(text: str | None) -> str | None:
    if text is None or text in _ABSTRACT:
        return text
    try:
        with warnings.catch_warnings(action="ignore"):  # of old names
            dtype = None if "," in text else np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or dtype.kind not in _KINDS:
        raise InvalidArgument(
            f"'{printable(text)}' is no dtype of variables: write one of NumPy's numbers, such as 'f8' or 'int32', or "
            f"{', '.join(_ABSTRACT)} for any of the kind"
        )
    return text


def _shape(text: str | None) -> tuple[Length, ...] | None:
    if text is None:
        return None
    inside = text[1:-1].strip().removesuffix(",")
    entries = [entry.strip() for entry in inside.split(",")] if inside else []
    shape = tuple(_length(entry, text) for entry in entries)
    if shape.count(...) > 1:
        raise InvalidArgument(f"'{printable(text)}' has '...' twice, which does not say how long either is")
    return shape


def _length(entry: str, text: str) -> Length:
    if entry == "...":
        return ...
    if entry.isdecimal():
        return int(entry)
    if entry.isidentifier():
        return entry
    raise InvalidArgument(
        f"'{printable(text)}' is no shape: lengths are whole numbers, names for those that may be any, or '...'"
    )


def _written(shape: tuple[Length, ...]) -> str:
    lengths = ["..." if length is ... else str(length) for length in shape]
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def _is_a(dtype: Any, wanted: str) -> bool:
    given = np.dtype(dtype)
    if wanted in _ABSTRACT:
        return bool(np.issubdtype(given, getattr(np, wanted)))
    return bool(given.newbyteorder("=") == np.dtype(wanted).newbyteorder("="))


def _are_alike(source: str, wanted: str) -> bool:
    """Whether something can be both."""
    if source not in _ABSTRACT:
        return _is_a(source, wanted)
    if wanted not in _ABSTRACT:
        return _is_a(wanted, source)
    kinds = getattr(np, source), getattr(np, wanted)
    return issubclass(kinds[0], kinds[1]) or issubclass(kinds[1], kinds[0])


def _aligned(shape: tuple[Length, ...], dimensions: int) -> tuple[Length | None, ...] | None:
    """A length for each of so many dimensions, None for any; None if it has others."""
    if ... not in shape:
        return shape if len(shape) == dimensions else None
    before = shape.index(...)
    missing = dimensions - (len(shape) - 1)
    return (*shape[:before], *[None] * missing, *shape[before + 1 :]) if missing >= 0 else None


def _difference(wanted: tuple[Length, ...], shape: tuple[int, ...], lengths: dict[str, int]) -> str | None:
    aligned = _aligned(wanted, len(shape))
    if aligned is None:
        return f"its shape is {shape}"
    for length, own in zip(aligned, shape, strict=True):
        known = lengths.setdefault(length, own) if isinstance(length, str) else length
        if known is not None and known != own:
            called = f", and {length} is {known}" if isinstance(length, str) else ""
            return f"its shape is {shape}{called}"
    return None


def _can_be_same(source: tuple[Length, ...], wanted: tuple[Length, ...]) -> bool:
    if ... in source:
        return True
    aligned = _aligned(wanted, len(source))
    return aligned is not None and all(
        not isinstance(one, int) or not isinstance(other, int) or one == other
        for one, other in zip(source, aligned, strict=True)
    )


def _is_same(unit: str, wanted: str) -> bool:
    if unit == wanted:
        return True
    if not unit or not wanted:
        return False
    from .labelled.units import are_same  # it imports pint, which takes a while

    return are_same(unit, wanted)
