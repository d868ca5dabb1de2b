"""What tools/check_site.py finds in a built site."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_site

LOADED = "is loaded from elsewhere"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<a href="other.html#here">', []),
        ('<a href="https://example.org/">', []),
        ('<img src="data:image/png;base64,AA==">', []),
        ('<a href="gone.html">', ["index.html: gone.html is not there"]),
        ('<a href="other.html#there">', ["index.html: other.html#there is no place there"]),
        ('<a href="#there">', ["index.html: #there is no place there"]),
        ('<img src="//example.org/a.png">', [f"index.html: //example.org/a.png {LOADED}"]),
        ('<script src="https://example.org/a.js">', [f"index.html: https://example.org/a.js {LOADED}"]),
        ("<style>@import 'https://example.org/a.css'</style>", [f"index.html: https://example.org/a.css {LOADED}"]),
    ],
)
def test_links_and_what_is_loaded(tmp_path: Path, body: str, found: list[str]) -> None:
    (tmp_path / "index.html").write_text(body)
    (tmp_path / "other.html").write_text('<p id="here">')
    assert list(check_site.problems(tmp_path)) == found


def test_fonts_of_style_sheets(tmp_path: Path) -> None:
    (tmp_path / "site.css").write_text("@font-face { src: url(https://example.org/font.woff2) }")
    assert list(check_site.problems(tmp_path)) == [f"site.css: https://example.org/font.woff2 {LOADED}"]
