"""Arrays in the memory of GPUs: what `put` and `read(out=)` do with them.

No library of such arrays is imported, and none is needed: an array says by ``__cuda_array_interface__`` or DLPack where
it lies, and CUDA's driver, which its program has loaded, copies it.
"""

from __future__ import annotations

from .arrays import DeviceArray, find
from .copying import CopyToHost, read_into

__all__ = ["CopyToHost", "DeviceArray", "find", "read_into"]
