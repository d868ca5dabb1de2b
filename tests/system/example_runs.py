"""Runs of the examples on hosts, and what is left of them, for tests."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from hosts import CHECKOUT, Host, result_of
from mpich import in_place_of_the_systems
from remote_shell import LAUNCHER

# Every copy of an example is compiled anew, which takes longer than its small problems do.
QUICKLY_BUILT = {"CMAKE_BUILD_TYPE": "Debug"}


def copy_of(example: str, folder: Path) -> Path:
    """A copy of an example, since it writes beside its workflow."""
    original = CHECKOUT / "examples" / example
    return Path(shutil.copytree(original, folder / example, ignore=shutil.ignore_patterns("build")))


def run(at: Host, workflow: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """What its programs printed, and the tables that they left, by name."""
    command = [sys.executable, "-m", "staithe.cli", "run", str(workflow)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    environment = LAUNCHER | QUICKLY_BUILT | in_place_of_the_systems(workflow.parent / "mpich")
    lines = result_of(at.popen(command, env=environment), timeout=100).splitlines()
    tables = {table.name: table.read_text() for table in workflow.parent.glob("*.csv")}
    return tables | {"printed": "\n".join(re.sub(" +[|] ", " | ", line) for line in lines if " | " in line)}


def spread(workflow: Path, hosts: Mapping[str, list[str]], servers: Sequence[str] = ()) -> Path:
    """The same workflow, with its programs on these hosts, and its streams at servers, if there are hosts for such."""
    document = yaml.safe_load(workflow.read_text())
    for program, names in hosts.items():
        document["programs"][program]["hosts"] = names
    if servers:
        document["servers"] = {"hosts": list(servers)}
        for stream in document["streams"].values():
            stream["placement"] = "servers"
    copy = workflow.with_stem(f"{workflow.stem}_on_hosts")
    copy.write_text(yaml.safe_dump(document))
    return copy
