"""Following the streams and servers of a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from staithe.workflow import ServerSample
from staithe.workflow.sampler import Sampler
from staithe.workflow.stats import Description


def test_servers_that_answer_are_known_by_their_programs() -> None:
    asked = threading.Semaphore(0)
    answers: list[list[Description]] = [
        [
            {
                "program": "server-0",
                "memory": 7,
                "memory_limit": None,
                "streams": {"field": {"memory": 30}, "log": {"memory": 5}},
                "spaces": {"results": {}},
            },
            {"name": "staithe.1-of-2", "error": "is stuck"},
        ],
    ]

    def describe(name: str) -> Description:
        raise LookupError(name)

    def describe_servers() -> Iterator[Description]:
        asked.release()
        if not answers:
            raise OSError("nobody can be asked")
        yield from answers.pop()

    with Sampler(["field"], describe, describe_servers, interval=0.001) as sampler:
        for _ in range(3):  # so that the first answers were taken
            assert asked.acquire(timeout=30)
        assert sampler.servers() == {"server-0": ServerSample(memory=42, limit=None, streams=2, spaces=1)}
        assert sampler.samples() == {}
