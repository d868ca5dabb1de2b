"""Many small blocks of a space, put or got at once."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray

from . import _core
from .arguments import explained
from .box import Box
from .errors import Closed
from .space_arguments import ARGUMENTS_OF_PUT, block_of, checked, number, refuse_slips
from .typing import Attribute, Extents


class BatchGet:
    """An array that a batch gets: there at the end of its ``with`` block. `Batch.get` makes it."""

    def __init__(self, got: _core.SpaceBatchGet, name: str) -> None:
        self._core = got
        self._name = name

    def result(self) -> NDArray[Any]:
        """The array, as `Space.get` returns it. If the batch was not sent yet, it is sent now.

        Raises:
            Timeout, NotFound, InvalidArgument, PeerLost: as `Space.get`.
            Closed: the batch has gone without being sent.
        """
        return self._core.result()

    def __repr__(self) -> str:
        return f"<staithe.BatchGet of '{self._name}'>"


class Batch:
    """Blocks that are put or got together, some hundreds or thousands at a time. `Space.batch` makes it.

    They are put in the order in which they came, each for itself: if some are refused, the others are put all the
    same. At the end of the ``with`` block all of them are there; when an exception leaves it, what was not sent yet is
    not put. What is got is as of the puts before it. One thread at a time uses a batch.
    """

    def __init__(self, space: _core.Space) -> None:
        self._is_over = False
        self._is_told = True  # what became of all that was put
        self._core = space.batch()

    @explained
    def put(
        self,
        name: str,
        array: ArrayLike,
        *,
        offset: Extents | None = None,
        shape: Extents | None = None,
        version: int | None = None,
        unit: str = "",
        complete: bool = False,
        overlap: bool | None = None,
        persist: bool = False,
        **attributes: Attribute,
    ) -> None:
        """Put a block, as `Space.put` does: it is copied at once, and sent later.

        Sends what was gathered once it is 1024 blocks or 1 MiB. A block of more than 64 KiB is put at once, after them.

        Raises:
            InvalidArgument: the block does not lie in the shape; elements are masked.
            Closed: the ``with`` block of this batch is over.
            Error: what was sent was refused, as `send` raises it.
        """
        if self._is_over:
            raise Closed(f"'{name}' is put in a batch whose `with` block is over: make another (Space.batch)")
        refuse_slips("put", attributes, ARGUMENTS_OF_PUT)
        block = block_of(name, array, unit, attributes)
        self._core.put(
            name,
            block.array,
            offset=offset,
            shape=shape,
            version=version,
            unit=block.unit,
            attributes=block.attributes,
            complete=complete,
            overlap=overlap,
            persist=persist,
        )
        self._is_told = len(self) == 0

    @explained
    def get(self, name: str, *, version: int | Literal["latest"] = "latest", box: Box | None = None) -> BatchGet:
        """Get a variable, or a box of it, as `Space.get` does, together with others.

        Its `BatchGet.result` is there once the batch is sent, which waits for versions that are not there yet, for the
        space's timeout at most. Sends what was gathered once it is 1024 gets.

        Raises:
            Closed: the ``with`` block of this batch is over.
        """
        if self._is_over:
            raise Closed(f"'{name}' is got in a batch whose `with` block is over: make another (Space.batch)")
        got = BatchGet(self._core.get(name, version=number(version), box=checked(box)), name)
        self._is_told = len(self) == 0
        return got

    def send(self) -> None:
        """Send what is left, and wait until all of it is put, and got. The end of the ``with`` block does so, too.

        Raises:
            AlreadyExists, InvalidArgument, Closed, LimitReached, PeerLost: some blocks were refused; the others were
                put. The class is that of the first one, the message names all, and `failures` has them.
        """
        self._is_told = True
        self._core.send()

    @property
    def failures(self) -> list[tuple[int, str, int | None, str]]:
        """What was refused of what was sent last: the place among all blocks, its name, version, and why."""
        return self._core.failures()

    def __len__(self) -> int:
        return self._core.pending

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = self._is_told = True
        if kind is None:
            self.send()

    def __del__(self) -> None:
        if not self._is_told:
            warnings.warn(
                f"{len(self)} blocks of a batch are lost, since they were not sent: use it in a `with` block, or call "
                "send()",
                RuntimeWarning,
                stacklevel=2,
            )

    def __repr__(self) -> str:
        return f"<staithe.Batch of {len(self)} blocks>"
