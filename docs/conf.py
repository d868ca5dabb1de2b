"""How Sphinx makes the site: `make docs`. The sources are the Markdown pages of the repository, where they lie."""

import sys
from pathlib import Path

import staithe

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))

project = "Staithe"
author = "the Staithe authors"
version = release = staithe.__version__

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "src/*/README.md", "*/README.md", "tests/fuzz/README.md"]
exclude_patterns = ["README.md", "build", ".*"]  # the front page shows README.md's beginning

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "breathe",
    "fortran_reference",
]
nitpicky = True

myst_heading_anchors = 4  # as code hosts name them

breathe_projects = {"staithe": str(ROOT / "build" / "doxygen" / "xml")}
breathe_default_project = "staithe"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}

fortran_sources = ROOT / "fortran"

html_theme = "furo"
html_title = f"Staithe {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
breathe_show_include = False
breathe_default_members = ("members", "undoc-members")
nitpick_ignore_regex = [
    (r"c:identifier|cpp:identifier", r"u?int\d+_t|size_t|MPI_Comm"),
    (r"cpp:identifier", r"T|staithe"),  # parameters of templates, and the namespace of what is one
]
