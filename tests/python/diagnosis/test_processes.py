from __future__ import annotations

import mmap
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from staithe.diagnosis.processes import Process, Use


def test_this_process() -> None:
    me = Process(os.getpid())
    descriptors = me.descriptors
    assert descriptors is not None
    assert 0 < descriptors.used < descriptors.limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert me.address_space is None, "unlimited"
    assert me.cores == os.sched_getaffinity(0)
    assert me.seconds_without_core >= 0.0
    assert not me.is_stopped
    assert me.start_time


def test_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    gone = Process(process.pid)
    assert gone.start_time is gone.descriptors is gone.address_space is None
    assert gone.cores == gone.written_streams == frozenset()
    assert gone.seconds_without_core == 0.0
    assert not gone.is_stopped
    assert list(gone.mappings()) == []


def test_a_process_in_a_corner() -> None:
    """Stopped, with limits, and with streams to write."""
    text = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))
print(flush=True)
sys.stdin.read()
"""
    environment = os.environ | {"STAITHE_STREAMS": '{"melt": {}, "log": {}}'}
    with subprocess.Popen(
        [sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        process = Process(child.pid)
        assert process.is_stopped
        assert process.descriptors == Use(3, 9)
        space = process.address_space
        assert space is not None
        assert space.limit == 1 << 32
        assert 0.0 < space.part < 1.0
        assert process.written_streams == {"melt", "log"}
        child.kill()


def test_pools_that_a_process_has_mapped() -> None:
    page = mmap.PAGESIZE
    descriptor = os.memfd_create("staithe:melt")
    os.ftruncate(descriptor, 8 * page)
    with mmap.mmap(descriptor, 8 * page) as pool:
        pool[0] = 1
        pool[page] = 1
        (mapping,) = (one for one in Process(os.getpid()).mappings() if one.name == "melt")
        assert (mapping.writable, mapping.size, mapping.resident) == (True, 8 * page, 2 * page)
    os.close(descriptor)


def test_a_name_with_parentheses(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    fields = " ".join(str(number) for number in range(4, 30))
    (tmp_path / "7" / "stat").write_text(f"7 (a) R (b) T {fields}\n")
    process = Process(7, tmp_path)
    assert process.is_stopped
    assert process.start_time == 22
