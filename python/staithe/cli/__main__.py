"""`python -m staithe.cli`: the command `staithe` of this very interpreter."""

from . import main

main()
