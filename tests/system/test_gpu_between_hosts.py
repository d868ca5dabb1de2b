"""Arrays of GPUs that go from the memory of one host's into that of another's."""

from pathlib import Path

import pytest
from compiled import COMPILER
from hosts import Host, line_of, skip_reason

SUPPORT = Path(__file__).resolve().parents[1] / "support"

pytestmark = [
    pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason())),
    pytest.mark.skipif(COMPILER is None, reason="the fake GPU takes a C compiler"),
]

HEAD = f"""
import sys
sys.path.append({str(SUPPORT)!r})
import numpy as np
import staithe
from fake_gpu import FakeGpu
from staithe.devices import driver

gpu = FakeGpu()
driver.LIBRARY = str(gpu.driver)
elements = np.arange(600.0).reshape(20, 30)
"""
WRITER = """
with staithe.writer("melt", timeout=30) as out:
    print("opened", flush=True)
    for number in range(5):
        with out.step() as step:
            step["T"] = gpu.array(elements + number)
"""
READER = """
with staithe.reader("melt", timeout=30) as steps:
    for step in steps:
        whole = gpu.array(np.zeros((20, 30)), stream=None)
        part = gpu.array(np.zeros((9, 20)), np.s_[:7, ::2], stream=None)
        step["T"].read(out=whole)
        step["T"].read(np.s_[3:17:2, 5:15], out=part)
        assert (whole.content() == elements + step.index).all()
        assert (part.content() == elements[3:17:2, 5:15] + step.index).all()
        print(step.index, flush=True)
"""


def test_a_reader_on_another_host_reads_into_its_gpu(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(HEAD + WRITER, env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reader = beta.python(HEAD + READER, env=together)
    out, errors = reader.communicate(timeout=60)
    assert (out.split(), errors) == (["0", "1", "2", "3", "4"], "")
    assert writer.wait(timeout=10) == 0
