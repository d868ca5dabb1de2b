"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from .errors import InvalidArgument

_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{suffix}": base**power
    for power, prefix in enumerate("KMGT", start=1)
    for suffix, base in (("B", 1000), ("iB", 1024))
}
_BY_CASELESS_NAME = {unit.casefold(): size for unit, size in _UNITS.items()}


def parse_bytes(amount: int | str) -> int:
    """Bytes: a number of them, or a text such as "256 MiB" or "1.5 GB", in any case.

    Raises:
        InvalidArgument: the text is no amount.
    """
    if isinstance(amount, int):
        return amount
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([a-z]*)\s*", str(amount), re.IGNORECASE)
    unit = _BY_CASELESS_NAME.get(match[2].casefold()) if match else None
    if match is None or unit is None:
        raise InvalidArgument(f"{amount!r} is no amount of memory: write 4096, '256 MiB' or '1.5 GB'")
    return int(float(match[1]) * unit) if "." in match[1] else int(match[1]) * unit
