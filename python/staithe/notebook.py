"""What notebooks show of streams: small tables, in the colours of the notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .errors import Closed
from .names import printable

if TYPE_CHECKING:
    from ._core import Reader, Step, Variable, Writer

_MOST = 20  # rows of a table


def of_step(step: Step) -> str:
    """Its variables, and its attributes."""
    try:
        names = list(step)
    except Closed:
        return _code(repr(step))
    rows = [(name, *_kind(step[name])) for name in names[:_MOST]]
    if len(names) > _MOST:
        rows.append((f"and {len(names) - _MOST} more", "", "", ""))
    title = f"Step {step.index}: {len(names)} variable{'s' * (len(names) != 1)}"
    return _table(title, ("name", "dtype", "shape", "unit"), rows) + _attributes(step.attrs)


def of_variable(variable: Variable) -> str:
    """What it is like, and its attributes: not its elements."""
    try:
        dtype, shape, unit = _kind(variable)
        blocks = len(variable.blocks)
        attributes = variable.attrs
    except Closed:
        return _code(repr(variable))
    rows = [("dtype", dtype), ("shape", shape), ("unit", unit), ("blocks", blocks)]
    return _table(f"Variable {variable.name!r}", (), rows) + _attributes(attributes)


def of_reader(reader: Reader) -> str:
    """What it reads, and how it does."""
    return _table(f"Reader of {reader.name!r}", (), _end(reader)) + _attributes(reader.attrs)


def of_writer(writer: Writer) -> str:
    """What it writes, and how it does."""
    return _table(f"Writer of {writer.name!r}", (), _end(writer))


def _kind(variable: Variable) -> tuple[str, str, str]:
    local = variable.local and len(variable.blocks) > 1
    shape = "local arrays" if local else " x ".join(map(str, variable.shape)) or "scalar"
    return str(variable.dtype), shape, variable.unit


def _end(stream: Reader | Writer) -> list[tuple[str, Any]]:
    state = [("rank", f"{stream.rank} of {stream.size}"), ("state", "closed" if stream.closed else "open")]
    return state + [
        (name.replace("_", " "), f"{value:.3g}" if isinstance(value, float) else value)
        for name, value in stream.stats().items()
    ]


def _attributes(attributes: Mapping[str, Any]) -> str:
    return _table("Attributes", (), list(attributes.items())[:_MOST]) if attributes else ""


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [_row("th", head)] if head else []
    lines += [_row("td", row) for row in rows]
    return f"<table><caption>{_text(caption)}</caption>{''.join(lines)}</table>"


def _row(cell: str, values: Iterable[Any]) -> str:
    return "<tr>" + "".join(f'<{cell} style="text-align: left">{_text(value)}</{cell}>' for value in values) + "</tr>"


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(value: Any) -> str:
    text = str(value)
    return escape(printable(text if len(text) <= 100 else text[:99] + "…"))
