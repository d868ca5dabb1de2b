"""Streams in two servers (`--replicas 2`) of several hosts, one of which is killed while they are written and read."""

from __future__ import annotations

import contextlib
import json

import pytest
from between_hosts import PLACED, WHOLE, serving, steps_of
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

STEPS = 60
WRITES = """
    import numpy, staithe, time
    with staithe.writer("melt", timeout=30) as out:
        for i in range({steps}):
            with out.step() as step:
                step.put("T", numpy.full((64, 4096), float(i)))
            time.sleep(0.02)
    print("closed", flush=True)
"""
WHO = """
    import json
    from staithe import _core
    for rank, name in enumerate(_core.server_names()):
        print(json.dumps([rank, sorted(_core.describe_server(name, 5.0)["streams"])]))
"""


def directs(host: Host, together: dict[str, str], stream: str) -> int:
    """The rank of the server that does."""
    said = [json.loads(line) for line in result_of(host.python(WHO, env=together)).splitlines()]
    [rank] = [rank for rank, streams in said if stream in streams]
    return int(rank)


@pytest.mark.parametrize("dies", ["melt", "melt.twin"])
@pytest.mark.parametrize("writes_on", ["alpha", "beta"])
def test_no_step_is_lost_with_a_server_of_another_host(
    hosts: list[Host], together: dict[str, str], writes_on: str, dies: str
) -> None:
    """The servers are on beta, beta and gamma; who reads is on alpha."""
    alpha, beta, gamma = hosts
    listening = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    with contextlib.ExitStack() as stack:
        servers: list[Program] = [
            stack.enter_context(serving(host, listening, "--rank", str(rank), "--size", "3", "--replicas", "2"))
            for rank, host in enumerate((beta, beta, gamma))
        ]
        by_name = {host.name: host for host in hosts}
        writer = by_name[writes_on].python(WRITES.format(steps=STEPS), env=listening | PLACED)
        reader = alpha.python(WHOLE, env=together)
        while int(line_of(reader)) < STEPS // 4:
            pass
        servers[directs(alpha, together, dies)].kill()
        assert steps_of(reader)[-1] == STEPS - 1
        assert result_of(writer).split() == ["closed"]
