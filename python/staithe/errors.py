"""The errors of Staithe: each is also the builtin exception that fits, so `except TimeoutError` works."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of Staithe. The message says what happened, to whom, and what to do about it."""

    code: str
    """The stable name of this kind of error, the same in all languages."""


class InvalidArgument(Error, ValueError):
    """The call cannot mean anything: a shape, a name, a dtype that does not fit."""

    code = "invalid_argument"


class NotFound(Error, KeyError):
    """There is no such stream or variable, or nobody wrote what was asked for."""

    code = "not_found"

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return Exception.__str__(self)


class AlreadyExists(Error, FileExistsError):
    """The name is taken by a live writer, or a variable was put twice in a step."""

    code = "already_exists"


class Timeout(Error, TimeoutError):
    """A deadline passed."""

    code = "timeout"


class PeerLost(Error, ConnectionError):
    """Another process died or went away in the middle."""

    code = "peer_lost"


class Closed(Error, RuntimeError):
    """This object was closed or released before."""

    code = "closed"


class LimitReached(MemoryError, Error):  # in this order `__new__` and the type's own constructor are one
    """A budget or a limit of the machine is reached: memory, descriptors, the queue's room."""

    code = "limit_reached"


class ProtocolError(Error, ConnectionError):
    """A peer sent what this version does not understand."""

    code = "protocol"


class SystemFailure(Error, OSError):
    """The operating system refused."""

    code = "system"


class WriterFailed(PeerLost):
    """A writer ended its stream as failed: an exception left it, or its program gave up.

    All complete steps come before; the message has the program, its rank and what it said.
    """

    code = "writer_failed"


class Deadlock(Error, RuntimeError):
    """Programs wait for each other in a circle, so that none of them can go on; the message prints the circle."""

    code = "deadlock"


BY_CODE: dict[str, type[Error]] = {
    error.code: error
    for error in (
        InvalidArgument,
        NotFound,
        AlreadyExists,
        Timeout,
        PeerLost,
        Closed,
        LimitReached,
        ProtocolError,
        SystemFailure,
        WriterFailed,
        Deadlock,
    )
}
"""Which class stands for which error code of the C++ library: the bindings raise by this table."""
