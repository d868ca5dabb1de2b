"""Builds laplace.cpp, unless it is up to date, and becomes it. Each rank comes here: one builds, the rest wait."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parent / "build"


def main() -> None:
    # The tools of this Python's environment come first: its mpicxx, and its staithe.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (BUILD / "Makefile").exists():
            prefix = subprocess.check_output(["staithe", "config", "--cmake-dir"], text=True).strip()
            run("cmake", "-S", str(BUILD.parent), "-B", str(BUILD), f"-Dstaithe_DIR={prefix}")
        run("cmake", "--build", str(BUILD))
    os.execv(BUILD / "laplace", ["laplace", *sys.argv[1:]])


def run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
