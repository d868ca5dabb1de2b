"""Who encodes: Staithe's codecs in their modes, peers, and the limit, which only copies."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from staithe import codecs

from ..contenders.base import untyped
from .fields import Array

LIMIT, SZ3 = "memcpy", "SZ3"
MODES: tuple[codecs.Mode, ...] = ("fast", "dense")


def title_of(share: float) -> str:
    return f"within {share:g} of the range" if share else "exact"


class Coder(ABC):
    """One row of the tables. Bounds are absolute, so that all have the same; 0: exactly."""

    name: str
    package: str = ""
    lossy = True  # takes a bound
    exact = False  # can do without
    reference = False  # measured beside all others, bound or not
    most_repeats = 9  # fewer for those that take their time

    def missing(self) -> str:
        """Why it cannot run here, if so."""
        return "" if not self.package or self.version() else "not installed"

    def takes_part(self, share: float) -> bool:
        """Whether it is measured within that share of the range; 0: exactly."""
        return self.reference or (self.lossy if share else self.exact)

    def version(self) -> str:
        try:
            return version(self.package) if self.package else ""
        except PackageNotFoundError:
            return ""

    @abstractmethod
    def encode(self, array: Array, bound: float, fill: float | None) -> Any: ...

    @abstractmethod
    def decode(self, payload: Any, out: Array) -> Array:
        """The array, in `out` if it can be told to."""

    def size(self, payload: Any) -> int:
        return len(payload)


class Limit(Coder):
    """One copy, into memory that was touched before."""

    name = LIMIT
    lossy = False
    reference = True

    def __init__(self) -> None:
        self._copies: dict[tuple[int, ...], Array] = {}

    def encode(self, array: Array, bound: float, fill: float | None) -> Array:
        copy = self._copies.get(array.shape)
        if copy is None:
            copy = self._copies[array.shape] = np.zeros_like(array)
        np.copyto(copy, array)
        return copy

    def decode(self, payload: Any, out: Array) -> Array:
        np.copyto(out, payload)
        return out

    def size(self, payload: Any) -> int:
        return int(payload.nbytes)


class Staithe(Coder):
    package = "staithe"

    def __init__(self, codec: codecs.Codec, mode: codecs.Mode) -> None:
        self.codec, self.mode = codec, mode
        self.name = f"{codec.name} {mode}"
        self.lossy, self.exact = bool(codec.lossy), codec.lossless
        if codec.name != "dq":  # the others take as long as the libraries that they use
            self.most_repeats = 3

    def missing(self) -> str:
        return self.codec.missing

    def encode(self, array: Array, bound: float, fill: float | None) -> Array:
        return codecs.encode(array, self.codec.name, self.mode, abs=bound, fill=fill)

    def decode(self, payload: Any, out: Array) -> Array:
        return codecs.decode(payload, out=out)


class Sz3(Coder):
    """SZ3 by its defaults: interpolation and Lorenzo, Huffman, zstd."""

    name = SZ3
    package = "pysz"
    most_repeats = 3

    def encode(self, array: Array, bound: float, fill: float | None) -> Any:
        pysz = untyped("pysz")
        config = pysz.szConfig()
        config.errorBoundMode = pysz.szErrorBoundMode.ABS
        config.absErrorBound = bound
        return pysz.sz.compress(array, config)[0]

    def decode(self, payload: Any, out: Array) -> Array:
        found: Array = untyped("pysz").sz.decompress(payload, out.dtype, out.shape)[0]
        return found


class Zfp(Coder):
    """zfp at a fixed accuracy, or reversible. It knows no fill: blocks with very large values break their bound."""

    name = "zfp"
    package = "zfpy"
    exact = True
    most_repeats = 3

    def encode(self, array: Array, bound: float, fill: float | None) -> Any:
        return untyped("zfpy").compress_numpy(array, tolerance=bound or -1)

    def decode(self, payload: Any, out: Array) -> Array:
        found: Array = untyped("zfpy").decompress_numpy(payload)
        return found


class Zstd(Coder):
    """The bytes as they are: what a compressor without knowledge of numbers reaches."""

    name = "zstd -1"
    package = "zstandard"
    lossy = False
    reference = True
    most_repeats = 3

    def encode(self, array: Array, bound: float, fill: float | None) -> Any:
        return untyped("zstandard").ZstdCompressor(level=1).compress(array)

    def decode(self, payload: Any, out: Array) -> Array:
        content = untyped("zstandard").ZstdDecompressor().decompress(payload)
        return np.frombuffer(content, out.dtype).reshape(out.shape)


def all_coders() -> Sequence[Coder]:
    """In the order of the tables' rows."""
    ours = [Staithe(codec, mode) for codec in codecs.list() for mode in MODES]
    return [Limit(), *ours, Sz3(), Zfp(), Zstd()]
