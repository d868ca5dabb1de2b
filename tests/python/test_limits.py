"""What a process may hold: set by the program or by the environment, and met by the streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import staithe


@pytest.fixture(autouse=True)
def no_limits() -> Iterator[None]:
    yield
    staithe.set_limits()


def test_without_limits_there_are_none() -> None:
    staithe.set_limits()
    assert staithe.limits() == staithe.Limits(None, None, None, None, None)


def test_limits_are_amounts_and_replace_those_before() -> None:
    staithe.set_limits(memory="8 GiB", descriptors=100, connections=10, bytes_in_flight="1 GB", prefetch="1 MiB")
    assert staithe.limits() == staithe.Limits(8 << 30, 100, 10, 10**9, 1 << 20)
    staithe.set_limits(connections=5)
    assert staithe.limits() == staithe.Limits(None, None, 5, None, None)


@pytest.mark.parametrize("wrong", [{"memory": -1}, {"memory": "much"}, {"connections": -5}])
def test_limits_that_cannot_be(wrong: dict[str, int | str]) -> None:
    staithe.set_limits(connections=5)
    with pytest.raises(staithe.InvalidArgument):
        staithe.set_limits(**wrong)  # type: ignore[arg-type]
    assert staithe.limits().connections == 5


def test_environment_says_what_the_program_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAITHE_LIMITS", '{"memory": "2 GiB", "connections": 100}')
    staithe.set_limits(connections=5)
    assert staithe.limits() == staithe.Limits(2 << 30, None, 5, None, None)


def test_environment_that_makes_no_sense_is_named(monkeypatch: pytest.MonkeyPatch, stream: str) -> None:
    monkeypatch.setenv("STAITHE_LIMITS", '{"ram": 5}')
    with pytest.raises(staithe.InvalidArgument, match="no limit 'ram'"):
        staithe.limits()
    with pytest.raises(staithe.InvalidArgument, match="STAITHE_LIMITS"):
        staithe.writer(stream)
    monkeypatch.delenv("STAITHE_LIMITS")  # for the fixture


def test_usage_follows_what_is_held(stream: str) -> None:
    before = staithe.usage()
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        with out.step() as step:
            step.put("x", np.zeros(100_000))
        held = staithe.usage()
        assert held.bytes_in_flight == before.bytes_in_flight + 800_000
        assert held.memory > before.memory + 800_000
        assert held.descriptors > before.descriptors
        assert held.connections == before.connections + 2, "the same process is at both ends"
        next(reader)
    assert staithe.usage().bytes_in_flight == before.bytes_in_flight


def test_limit_of_memory_names_what_to_change(stream: str) -> None:
    with staithe.writer(stream, readers=0) as out, out.step() as step:
        staithe.set_limits(memory=staithe.usage().memory + 100_000)
        with pytest.raises(staithe.LimitReached, match=rf"the pool 'staithe:{stream}'.*`memory`.*STAITHE_LIMITS"):
            step.put("x", np.zeros(100_000))
        step.put("x", np.zeros(1_000))


def test_limit_is_waited_for(stream: str) -> None:
    with staithe.writer(stream, timeout=0.1) as out, staithe.reader(stream) as reader:
        for _ in range(2):
            with out.step() as step:
                step.put("x", np.zeros(1_000))
        staithe.set_limits(bytes_in_flight=staithe.usage().bytes_in_flight)
        with pytest.raises(staithe.LimitReached, match=r"in flight.*waited 0\.1 s.*has not released 2 steps"):
            out.step()
        next(reader)
        next(reader)  # releases the first
        with out.step() as step:
            step.put("x", np.zeros(1_000))


def test_key_that_others_can_read_or_that_is_none_is_refused(run_python: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "key"
    for content, mode, words in (("ab" * 32, 0o640, "chmod 600"), ("short", 0o600, "64 hexadecimal digits")):
        file.write_text(content)
        file.chmod(mode)
        output = run_python(
            """
import staithe
try:
    staithe.writer("s")
except staithe.Error as error:
    print(error)
""",
            STAITHE_KEY_FILE=str(file),
            STAITHE_RUN_DIR=str(tmp_path / "run"),
        )
        assert words in output and content not in output
