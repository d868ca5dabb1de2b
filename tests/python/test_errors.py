"""Every error code of the library has a Python class, which is also the builtin that fits."""

from __future__ import annotations

import pickle

import pytest

import staithe
from staithe import _core
from staithe.errors import BY_CODE

BUILTIN = {
    staithe.InvalidArgument: ValueError,
    staithe.NotFound: KeyError,
    staithe.AlreadyExists: FileExistsError,
    staithe.Timeout: TimeoutError,
    staithe.PeerLost: ConnectionError,
    staithe.Closed: RuntimeError,
    staithe.LimitReached: MemoryError,
    staithe.ProtocolError: ConnectionError,
    staithe.SystemFailure: OSError,
    staithe.WriterFailed: staithe.PeerLost,
    staithe.Deadlock: RuntimeError,
}


def test_the_table_covers_every_code() -> None:
    assert list(BY_CODE) == _core.error_codes()
    assert set(BY_CODE.values()) == set(BUILTIN)


@pytest.mark.parametrize("code", _core.error_codes())
def test_a_code_is_raised_as_its_class(code: str) -> None:
    message = "stream 'melt': the queue stayed full – 8 steps"
    with pytest.raises(BY_CODE[code]) as caught:
        _core.raise_error(_core.error_codes().index(code), message)
    assert str(caught.value) == message
    assert caught.value.code == code
    assert isinstance(caught.value, BUILTIN[type(caught.value)])
    assert isinstance(caught.value, staithe.Error)


@pytest.mark.parametrize("error", BUILTIN)
def test_errors_travel_between_processes(error: type[staithe.Error]) -> None:
    # The second as tblib unpickles exceptions, which distributed installs for all of them.
    for copy in (pickle.loads(pickle.dumps(error("why"))), error.__new__(error, "why")):
        assert type(copy) is error
        assert str(copy) == "why"
