"""Streams at servers of other hosts: writer ranks where there is none, a server on a node of its own, readers anywhere."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from between_hosts import WRITER, read, steps_of
from hosts import Host, Program, line_of, network, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

PLACED = {"STAITHE_PLACEMENT": "servers"}


def serve(host: Host, env: dict[str, str], *words: str) -> Program:
    """Starts a server, and waits until it is there."""
    program = host.popen([sys.executable, "-W", "error", "-m", "staithe.cli", "serve", *words], env=env)
    assert "keeps spaces" in line_of(program)
    return program


@contextlib.contextmanager
def serving(host: Host, env: dict[str, str], *words: str) -> Iterator[Program]:
    program = serve(host, env, *words)
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


@pytest.fixture
def server(hosts: list[Host], together: dict[str, str]) -> Iterator[Program]:
    """On beta. Programs are on alpha and gamma, as a rule."""
    with serving(hosts[1], together | {"STAITHE_LISTEN": "0.0.0.0:0"}) as program:
        yield program


def write(host: Host, together: dict[str, str], steps: int, options: str = "{}") -> Program:
    writer = host.python(WRITER, "melt", str(steps), options, env=together | PLACED)
    assert line_of(writer) == "opened"
    return writer


@pytest.mark.usefixtures("server")
def test_a_writer_is_gone_before_its_readers_come(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 7)
    assert result_of(writer) == "closed"
    for host in (gamma, beta, alpha):
        assert steps_of(read(host, together)) == list(range(7))


@pytest.mark.usefixtures("server")
def test_readers_follow_a_writer(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 300, "{'readers': 2, 'keep': 3}")
    readers = [read(host, together, f"{{'program': '{host.name}'}}") for host in (beta, gamma)]
    for reader in readers:
        assert steps_of(reader) == list(range(300))
    assert result_of(writer) == "closed"
    assert steps_of(read(gamma, together)) == [297, 298, 299]
