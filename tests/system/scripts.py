"""Programs that a test gives as text, for children of the fork server."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

import numpy as np
from fork_server import Stage

import staithe


def run(stage: Stage, text: str, **names: Any) -> None:
    """Runs the text with `stage`, `staithe`, `np`, `tell` and the given names at hand. Its errors are told."""
    names |= {"stage": stage, "tell": stage.tell, "staithe": staithe, "np": np, "sys": sys}
    try:
        exec(compile(textwrap.dedent(text), "<script>", "exec"), names)
    except staithe.Error as error:
        stage.tell("raises", type(error).__name__, str(error))
        return
    stage.tell("done")
