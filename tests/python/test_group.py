"""Groups as users give them. With a real communicator: tests/system/test_streams_mpi.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe
from staithe import _core
from staithe import group as groups
from staithe.group import resolve


class Communicator:
    """Rank `rank` of three; what rank 0 broadcasts is known. It is on this host, and `elsewhere` others are not."""

    def __init__(self, rank: int, elsewhere: int = 0) -> None:
        self.rank = rank
        self.elsewhere = elsewhere
        self.sent: list[Any] = []

    def Get_rank(self) -> int:  # noqa: N802
        return self.rank

    def Get_size(self) -> int:  # noqa: N802
        return 3

    def bcast(self, obj: Any, root: int = 0) -> Any:
        self.sent.append(obj)
        told = ("from rank 0", _core.host_number()) if len(self.sent) == 1 else "where rank 0 is"
        return obj if self.rank == root else told

    def allreduce(self, sendobj: Any) -> Any:
        return sendobj + self.elsewhere


def test_a_single_process_is_a_group_of_one() -> None:
    assert resolve(None) == (0, 1, "")


def test_rank_and_size() -> None:
    assert resolve((1, 4)) == (1, 4, "")
    assert resolve((np.int32(1), np.int64(4))) == (1, 4, "")  # type: ignore[arg-type]
    assert resolve(staithe.Group(2, 3)) == (2, 3, "")


def test_a_communicators_ranks_agree_on_a_text_of_rank_0() -> None:
    first = Communicator(0)
    rank, size, text = resolve(first)
    assert (rank, size) == (0, 3)
    assert text
    assert resolve(Communicator(2)) == (2, 3, "from rank 0")
    assert len(first.sent) == 1, "on one host nothing else is told"
    assert resolve(Communicator(0))[2] != text, "two groups of a program are told apart"


def test_ranks_on_several_hosts_are_told_where_rank_0_is(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setattr(groups, "make_group_contact", lambda: "here")
    monkeypatch.setattr(groups, "take_group_contact", taken.append)
    first, second = Communicator(0, elsewhere=1), Communicator(1, elsewhere=1)
    resolve(first)
    resolve(second)
    assert first.sent[1:] == ["here"]
    assert second.sent[1:] == [None]
    assert taken == ["where rank 0 is"]


def test_a_contact_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(staithe.ProtocolError, match="use one version of Staithe in all ranks"):
        _core.take_group_contact("of another version")


@pytest.mark.parametrize("group", [3, (1,), (1, 2, 3), (0.5, 2), "world"])
def test_anything_else_is_refused(group: Any) -> None:
    with pytest.raises(staithe.InvalidArgument, match=r"a group is \(rank, size\)"):
        resolve(group)


@pytest.mark.parametrize("group", [(2, 2), (-1, 2), (0, 0)])
def test_a_rank_must_lie_in_its_group(group: tuple[int, int], stream: str) -> None:
    with pytest.raises(staithe.InvalidArgument):
        staithe.writer(stream, group=group)
