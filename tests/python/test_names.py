"""Names that other programs chose, in messages and in what repr() says: escaped, and not all of ten thousand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import staithe
from staithe import _core
from staithe.names import printable, some

EVIL = "\x1b]0;owned\x07\n\u202ex\x9b2J"


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    assert printable(EVIL) == r"\x1b]0;owned\x07\n\u202ex\x9b2J"
    for harmless in ("", "a b", "Temperatur in °C", "温度", r"C:\path"):
        assert printable(harmless) == harmless
    assert some(["a", "b"]) == "a, b"
    assert some([str(i) for i in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"


def test_no_message_and_no_repr_has_control_characters(pair: Any) -> None:
    with pair.out.step() as writing:
        writing.put(EVIL, [1.0, 2.0], unit=EVIL, attrs={EVIL: 1})
        loan = writing.loan(EVIL + "2", count=3)
        shown = [repr(loan)]
        refused: list[Callable[[], Any]] = [
            lambda: writing.put(EVIL, 1),
            lambda: writing.put(EVIL + "3", "x"),
            lambda: writing.put("y", 1, attrs={EVIL: object()}),
            lambda: writing.loan(EVIL, dtype="U1", count=1),
            lambda: writing.put("z", 1, **{EVIL: 2}),
            lambda: staithe.reader(EVIL),
        ]
        for call in refused:
            with pytest.raises((staithe.Error, TypeError)) as caught:
                call()
            shown.append(str(caught.value))
        del loan
    step = next(pair.reader)
    x = step[EVIL]
    shown += [repr(step), repr(x), repr(x.blocks[0])]
    for call in (lambda: step[EVIL + "?"], lambda: x.read(out=x[...]), lambda: x[[[0]], [0]], lambda: x.astype("i1")):
        with pytest.raises((staithe.Error, IndexError)) as caught:
            call()
        shown.append(str(caught.value))
    step.release()
    with pytest.raises(staithe.Closed) as closed:
        x[...]
    shown += [str(closed.value), repr(x), repr(step)]
    for text in shown:
        assert text.isprintable(), ascii(text)
    assert sum(r"\x1b]0;owned\x07\n\u202e" in text for text in shown) > 10


def test_a_message_of_the_library_comes_escaped() -> None:
    with pytest.raises(staithe.PeerLost) as caught:
        _core.raise_error(_core.error_codes().index("peer_lost"), f"program '{EVIL}' died – °C")
    assert str(caught.value) == f"program '{printable(EVIL)}' died – °C"


def test_a_mistyped_name_among_ten_thousand(pair: Any) -> None:
    with pair.out.step() as writing:
        for number in range(10_000):
            writing[f"tracer_{number:05}"] = number
    step = next(pair.reader)
    with pytest.raises(staithe.NotFound, match=r"it has 'tracer_01234', .* and 9990 more$") as caught:
        step["tracr_01234"]
    assert len(str(caught.value)) < 300
    assert repr(step).endswith("tracer_00008, tracer_00009 and 9990 more>")
    assert len(repr(step)) < 250
