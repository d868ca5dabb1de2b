"""Filters a public header for Doxygen: makes of its plain comments what Doxygen reads; `///` it reads anyway.

What a C++ header declares is a group, described by the comment at its head; in a C header, rulers begin groups.
"""

import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

TOPIC = re.compile(r"// (Blocking|Errors|Memory|Ownership|Threads|Versions|C\+\+)([.:]) ")
RULER = re.compile(r"// -{4} (\w+)(.*?) -+$")
BEHIND = re.compile(r"^( +[^ /].*[\w,;)\]] +| {20,})// ")
ENDS_GROUP = re.compile(r"// -{4} |#ifdef __cplusplus|\}  // namespace staithe")


def filtered(header: Path, lines: list[str]) -> Iterator[str]:
    """The lines of a header as Doxygen is to see them."""
    group = f"{header.stem}_hpp"
    head = list(takewhile(lambda line: line.startswith("//"), lines))
    yield rf"/// \defgroup {group} <staithe/{header.name}>" if header.suffix == ".hpp" else r"/// \file"
    for line in head:
        yield "/" + TOPIC.sub(r"//\n/// **\1\2** ", line)
    in_group = False
    for line in lines[len(head) :]:
        if in_group and ENDS_GROUP.match(line):
            yield r"/// \}"
            in_group = False
        if ruler := RULER.match(line):
            yield f"/// \\defgroup c_{ruler[1].lower()} {ruler[1]}{ruler[2]}\n/// \\{{"
            in_group = True
            continue
        yield BEHIND.sub(r"\1///< ", line)
        if line.startswith("namespace staithe"):
            yield f"/// \\addtogroup {group}\n/// \\{{"
            in_group = True


if __name__ == "__main__":
    path = Path(sys.argv[1])
    print(*filtered(path, path.read_text().splitlines()), sep="\n")
