"""The types in Staithe's signatures, for programs that annotate their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from .box import Box

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""A number per dimension: an offset, a count, a shape. One number means one dimension."""

Attribute: TypeAlias = (
    bool
    | int
    | float
    | str
    | np.bool_
    | np.integer[Any]
    | np.floating[Any]
    | NDArray[Any]
    | Sequence["Attribute"]
    | Mapping[str, "Attribute"]
    | None
)
"""What an attribute may hold. It is read back as None, bool, int, float, str, list or dict."""

Indices: TypeAlias = Sequence[int] | Sequence[bool] | NDArray[np.integer[Any]] | NDArray[np.bool_]
"""A list of indices or a mask, along one dimension."""

Selection: TypeAlias = (
    SupportsIndex
    | slice
    | EllipsisType
    | Box
    | Indices
    | tuple[SupportsIndex | slice | EllipsisType | Indices | None, ...]
    | None
)
"""What a variable is indexed by."""

Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
"""What conversions NumPy may do: see np.can_cast."""

Attributes: TypeAlias = Mapping[str, Attribute]
"""The attributes of a stream, a step or a variable, by name."""

Overflow: TypeAlias = Literal["block", "drop-oldest", "drop-newest", "latest", "compress", "spill"] | str
"""What happens when readers do not keep up and the queue is full. The text that is none of these is "keep-every-N"."""

Reduction: TypeAlias = Literal["sum", "mean", "min", "max", "var", "std"] | str
"""What is made of elements. The text that is none of these is "histogram(BINS, LEAST, GREATEST)": so many bins of equal
width between two values, as in "histogram(20, -1, 1)"."""

Share: TypeAlias = Literal["block", "count", "round", "process"]
"""How the ranks of a reader group share a variable."""

Placement: TypeAlias = Literal["producer", "inline", "servers", "file"]
"""Where blocks live and who serves them; or a recording, in a file."""

ReaderPlacement: TypeAlias = Placement | Literal["npy"]
"""Where a reader finds steps: where a writer has them, or in a folder of .npy files."""

Start: TypeAlias = Literal["oldest", "next"] | int
"""Where a reader group begins: with the oldest step that is left, the next one, or the step of that number."""


class CudaArray(Protocol):
    """An array in the memory of a GPU that shows itself as those of CuPy, PyTorch, JAX and Numba do."""

    @property
    def __cuda_array_interface__(self) -> Mapping[str, Any]:
        """Where it lies, its shape, strides and type, and the stream on which its program works with it."""
        ...


class DlpackArray(Protocol):
    """An array that shows by DLPack where it lies."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of its device and that device's number."""
        ...

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        """What describes it, usable on that stream."""
        ...


CudaArrayT = TypeVar("CudaArrayT", bound=CudaArray)
"""The type of the array that `staithe.Variable.read` was given, and returns."""


class Communicator(Protocol):
    """What Staithe asks of an mpi4py communicator."""

    def Get_rank(self) -> int:  # noqa: N802, the names are mpi4py's
        """The rank of this process."""
        ...

    def Get_size(self) -> int:  # noqa: N802
        """The number of ranks."""
        ...

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """Send an object from one rank to all others."""
        ...

    def allreduce(self, sendobj: Any) -> Any:
        """Give all ranks the sum of what each has."""
        ...


class WriterStats(TypedDict):
    """What one rank of a writer did so far."""

    steps: int
    """Steps published."""
    bytes: int
    """Bytes in these steps."""
    stall_seconds: float
    """Seconds waited for room in the queue."""
    pool_bytes: int
    """Bytes of shared memory held."""
    dropped: int
    """Steps that reader groups lost by the overflow policy, summed over the groups."""
    spilled_steps: int
    """Steps that went to files."""
    spilled_bytes: int
    unread: int
    """Bytes in these."""


class ReaderStats(TypedDict):
    """What one rank of a reader did so far."""

    steps: int
    """Steps received."""
    pinned: int
    """Steps not released yet."""
    wait_seconds: float
    """Seconds waited for steps."""
    dropped: int
    """Steps that this group lost by its overflow policy."""
