"""What notebooks show and complete: small tables, whatever the names are."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np

import staithe


class Cells(HTMLParser):
    """The texts of a table, and whether all its elements are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("table", "caption", "tr", "th", "td", "code")
        assert "color" not in str(attrs), "the notebook's theme chooses"
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown(item: Any) -> list[str]:
    return Cells(item._repr_html_()).texts


def test_tables(pair: Any) -> None:
    with pair.out.step() as writing:
        writing.put("T", np.zeros((3, 4)), unit="K", attrs={"long": "x" * 500})
        writing["n"] = 3
        writing.attrs["time"] = 0.5
    step = next(pair.reader)
    texts = shown(step)
    for text in ("Step 0: 2 variables", "T", "float64", "3 x 4", "K", "n", "int64", "scalar", "time", "0.5"):
        assert text in texts
    assert {"Variable 'T'", "float64", "3 x 4", "1", "x" * 99 + "…"} <= set(shown(step["T"]))
    for end, what in ((pair.reader, "Reader"), (pair.out, "Writer")):
        assert {f"{what} of '{end.name}'", "0 of 1", "open", "steps"} <= set(shown(end))
    assert step._ipython_key_completions_() == ["T", "n"]
    step.release()
    assert "released" in shown(step)[0]
    pair.reader.close()
    assert "closed" in shown(pair.reader)


def test_names_cannot_leave_their_cell(pair: Any) -> None:
    name = "<script>alert('x')</script>\x1b[2J&"
    with pair.out.step() as writing:
        writing.put(name, 1, unit=name, attrs={name: name})
        writing.attrs[name] = name
    step = next(pair.reader)
    for item in (step, step[name]):
        html = item._repr_html_()
        assert "<script" not in html
        assert re.sub(r"\s", "", html).isprintable()
        assert name.replace("\x1b", r"\x1b") in shown(item)


def test_tables_are_small(pair: Any) -> None:
    with pair.out.step() as writing:
        for number in range(1000):
            writing[f"x{number}"] = number
    step = next(pair.reader)
    assert "and 980 more" in shown(step)
    assert len(step._repr_html_()) < 10_000
    assert len(step._ipython_key_completions_()) == 1000


def test_local_arrays(stream: str) -> None:
    with staithe.writer(stream, timeout=10) as out, staithe.reader(stream, timeout=10) as reader:
        with out.step() as writing:
            writing["x"] = [1, 2]
        assert "2" in shown(next(reader)["x"])
