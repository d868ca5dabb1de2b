"""What the package's page at PyPI says: README.md without a link that leads nowhere."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

from pypi_readme import with_absolute_links

README = Path(__file__).parents[2] / "README.md"
TEXT = """![Two
programs](docs/a.svg)

See [the
guide](docs/guide/README.md), [NumPy](https://numpy.org) and [this](#top).
"""


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_links_lead_to_the_source() -> None:
    assert with_absolute_links(TEXT, "https://example.org/staithe/") == (
        "![Two\nprograms](https://example.org/staithe/raw/HEAD/docs/a.svg)\n\n"
        "See [the\nguide](https://example.org/staithe/blob/HEAD/docs/guide/README.md), "
        "[NumPy](https://numpy.org) and [this](#top).\n"
    )
    for link in links(with_absolute_links(README.read_text(), "https://example.org")):
        assert link.startswith("https://"), link


def test_without_a_source_words_stay() -> None:
    assert with_absolute_links(TEXT, None) == "\n\nSee the\nguide, [NumPy](https://numpy.org) and [this](#top).\n"


def test_the_package_has_no_link_that_leads_nowhere() -> None:
    description = metadata("staithe")["Description"]
    assert description.startswith("# Staithe\n")
    assert all(link.startswith("https://") for link in links(description))
    assert 'staithe.writer("waves")' in description
