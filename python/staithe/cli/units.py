"""Numbers as people read them."""

from __future__ import annotations

_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
NOTHING = "-"


def size(amount: float) -> str:
    """1.24 GB: decimal units, three digits."""
    for unit in _UNITS:
        if abs(amount) < 999.5 or unit == _UNITS[-1]:
            break
        amount /= 1000.0
    return f"{amount:.0f} B" if unit == "B" else f"{_three_digits(amount)} {unit}"


def rate(bytes_per_second: float | None) -> str:
    """1.24 GB/s; never in a smaller unit than MB/s, which no one reads."""
    if bytes_per_second is None:
        return NOTHING
    if bytes_per_second >= 1e9:
        return f"{_three_digits(bytes_per_second / 1e9)} GB/s"
    return f"{_three_digits(bytes_per_second / 1e6)} MB/s"


def frequency(per_second: float | None) -> str:
    """12.3 /s."""
    return NOTHING if per_second is None else f"{_three_digits(per_second)} /s"


def known(number: int | None) -> str:
    """12; a dash where nobody can tell."""
    return NOTHING if number is None else str(number)


def percent(part: float | None) -> str:
    """12 %."""
    return NOTHING if part is None else f"{100.0 * part:.0f} %"


def duration(seconds: float | None) -> str:
    """0.42 s, 12.3 s, 3 min 20 s, 2 h 5 min."""
    if seconds is None:
        return NOTHING
    if seconds < 60.0:
        return f"{_three_digits(seconds)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _three_digits(number: float) -> str:
    if number >= 100.0:
        return f"{number:.0f}"
    return f"{number:.1f}" if number >= 10.0 else f"{number:.2f}"
