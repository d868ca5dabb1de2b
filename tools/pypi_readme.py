"""README.md for a package's page at PyPI, where links to files of the checkout lead nowhere.

The build calls this (`tool.scikit-build.metadata.readme`). With a `Source` in `project.urls` they become links to
there; without one, their words stay and pictures go.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#)(?P<path>[^)\s]+)\)")


def dynamic_metadata(field: str, settings: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The project's description, as scikit-build-core asks for it."""
    assert field == "readme" and not settings
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    readme = Path("README.md").read_text()
    return {"content-type": "text/markdown", "text": with_absolute_links(readme, project.get("urls", {}).get("Source"))}


def with_absolute_links(text: str, source: str | None) -> str:
    """The text with links to files below `source`, a repository's page; with none of them if there is no such page."""

    def replaced(link: re.Match[str]) -> str:
        picture, words, path = link["picture"], link["text"], link["path"]
        if source is None:
            return "" if picture else words
        return f"{picture}[{words}]({source.rstrip('/')}/{'raw' if picture else 'blob'}/HEAD/{path})"

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(replaced, text))
