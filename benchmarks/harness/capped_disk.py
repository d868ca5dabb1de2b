"""A disk that writes no faster than a rate, for this process: by a control group of the kernel, for which one is root.

Version 1 of control groups slows down only what is written past the kernel's cache of file pages, as large writes of
Staithe are.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def capped_disk(directory: Path, bytes_a_second: int) -> Iterator[None]:
    """Of the disk on which the directory lies.

    Raises:
        OSError, subprocess.CalledProcessError: this process may not do so, or the kernel has no such groups.
    """
    device = directory.stat().st_dev
    disk = f"{os.major(device)}:{os.minor(device)}"
    with ExitStack() as stack:
        root, unified = _groups(stack)
        group = root / f"staithe-{os.getpid()}"
        group.mkdir()
        stack.callback(group.rmdir)
        if unified:
            (group / "io.max").write_text(f"{disk} wbps={bytes_a_second}")
        else:
            (group / "blkio.throttle.write_bps_device").write_text(f"{disk} {bytes_a_second}")
        stack.callback((_own_group(root, unified) / "cgroup.procs").write_text, str(os.getpid()))
        (group / "cgroup.procs").write_text(str(os.getpid()))
        yield


def _groups(stack: ExitStack) -> tuple[Path, bool]:
    """Where groups that slow disks down are made, and whether they are of version 2."""
    unified = Path("/sys/fs/cgroup")
    controllers = unified / "cgroup.controllers"
    if controllers.exists() and "io" in controllers.read_text().split():
        (unified / "cgroup.subtree_control").write_text("+io")
        return unified, True
    root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="staithe-blkio-")))
    subprocess.run(["mount", "-t", "cgroup", "-o", "blkio", "none", root], check=True, capture_output=True)
    stack.callback(_unmount, root)
    return root, False


def _own_group(root: Path, unified: bool) -> Path:
    """The one that this process is in."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if (number == "0") if unified else ("blkio" in controllers.split(",")):
            return root / path.removeprefix("/")
    return root


def _unmount(root: Path) -> None:
    subprocess.run(["umount", root], check=True)
