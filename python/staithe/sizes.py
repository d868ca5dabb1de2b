"""Amounts of memory as people write them."""

from __future__ import annotations

from . import _core


def parse_bytes(amount: float | str) -> int:
    """Bytes: a number of them, or a text such as "256 MiB" or "1.5 GB", in any case.

    Raises:
        InvalidArgument: the text is no amount.
    """
    return amount if isinstance(amount, int) else _core.parse_bytes(str(amount))
