#!/usr/bin/env python3
"""Checks the built documentation: every link within it leads somewhere, and no page loads anything from elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, rather than when a reader follows it.
LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("object", "data"), ("link", "href")}
LOADED_BY_CSS = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")


@dataclass
class Page(HTMLParser):
    """What a page refers to, and what may be referred to in it."""

    path: Path
    links: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        text = self.path.read_text()
        self.loaded |= set(LOADED_BY_CSS.findall(text))
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADED:
                self.loaded.add(value)
            elif name == "href":
                self.links.add(value)


def problems(site: Path) -> Iterator[str]:
    """What is wrong, a line each."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for url in sorted(page.links | page.loaded):
            problem = _problem(url, page, pages)
            if problem:
                yield f"{path.relative_to(site)}: {url} {problem}"
    for path in sorted(site.rglob("*.css")):
        for url in LOADED_BY_CSS.findall(path.read_text()):
            yield f"{path.relative_to(site)}: {url} is loaded from elsewhere"


def _problem(url: str, page: Page, pages: dict[Path, Page]) -> str | None:
    parts = urlsplit(url)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return "is loaded from elsewhere" if url in page.loaded else None
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not target.is_file():
        return "is not there"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "is no place there"
    return None


def main() -> None:
    """Prints what is wrong, and fails if anything is."""
    site = Path(sys.argv[1]).resolve()
    if not (site / "index.html").is_file():
        sys.exit(f"check_site: there is no {site}/index.html: make docs makes it")
    found = list(problems(site))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
