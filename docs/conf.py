"""How Sphinx makes the site: `make docs`. Its pages are the repository's Markdown files, where they lie."""

import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer

import staithe

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))  # where fortran_reference is

project = "Staithe"
project_copyright = "the Staithe authors"
release = staithe.__version__

root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/reference/*.rst",
    "src/*/README.md",
    "*/README.md",
    "tests/fuzz/README.md",
]
exclude_patterns = ["README.md", "build", ".*"]  # the front page has the beginning of README.md

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "breathe", "fortran_reference"]

# A name in a signature that leads nowhere is an error, but for those that are not ours.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!staithe\b|[A-Z]\w*\.[a-z]).*|FILE.*|staithe\._core\.(Pause|Space\w*|StepAttributes)"),
    ("py:class", r"staithe\.(reopening\.Origin|function_analysis\.FunctionAnalysis|arguments\.T)"),
    ("c:identifier|cpp:identifier", r"u?int\d+_t|size_t|MPI_Comm"),
    ("cpp:identifier", r"T|staithe|codecs"),  # parameters of templates, and namespaces before or in them
]

myst_heading_anchors = 4  # named as code hosts name them

# Else it would take "What it is" of "What it is: more" for a type.
GoogleDocstring._parse_attribute_docstring = GoogleDocstring._consume_to_end  # type: ignore[method-assign]

default_role = "py:obj"  # what single backticks in docstrings mean
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_type_aliases = {"GroupLike": "staithe.group.GroupLike", "ArrayLike": "numpy.typing.ArrayLike"} | {
    name: f"staithe.typing.{name}"
    for name in (
        *("Attribute", "Attributes", "Casting", "Extents", "Indices"),
        *("Overflow", "Placement", "ReaderPlacement", "Selection", "Share", "Start"),
    )
}
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True

# An extension module has no source: its members come in the order of its stubs, with the signatures of its docstrings.
stubs = ModuleAnalyzer.for_file(Path(staithe.__file__).with_name("_core.pyi"), "staithe._core")
stubs.analyze()
stubs.overloads.clear()
ModuleAnalyzer.cache["module", "staithe._core"] = stubs

breathe_projects = {"staithe": ROOT / "build" / "doxygen" / "xml"}
breathe_default_project = "staithe"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False

fortran_sources = ROOT / "fortran"

templates_path = ["templates"]
html_theme = "furo"
html_title = f"Staithe {release}"
html_additional_pages = {"index": "redirect.html"}  # to the front page, which lies where its source does
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def signature(
    app: Sphinx, what: str, name: str, of: object, options: object, arguments: str | None, result: str | None
) -> tuple[str, str | None] | None:
    """Signatures as users see them: without self, which those of extensions have, and with the names of types."""
    if arguments is None:
        return None
    arguments = re.sub(r"TypeAliasForwardRef\('([\w.]+)'\)", r"\1", arguments)
    return re.sub(r"^\(self(, )?", "(", arguments), result


def property_type(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Says the type of an extension's property, which its getter knows."""
    getter = getattr(of, "fget", None)
    for declared, *_ in getattr(getter, "__nb_signature__", ()):
        lines += ["", f":type: {declared.partition(' -> ')[2]}"]


def file_names(app: Sphinx, *place_and_text: Any) -> None:
    """Shows the name of a file that a fence has behind its language: ```python producer.py"""
    text: list[str] = place_and_text[-1]
    named = re.compile(r"^```(\w+) (\S+\.\w+)(?: with \w+)?$", re.MULTILINE)
    text[0] = named.sub(r"```{code-block} \1\n:caption: \2\n", text[0])


def setup(app: Sphinx) -> None:
    """For Sphinx."""
    app.connect("source-read", file_names)
    app.connect("include-read", file_names)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", property_type)
