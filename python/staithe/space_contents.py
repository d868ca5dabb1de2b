"""What a space has: names, containers, versions, and how long these stay."""

from __future__ import annotations

from abc import ABC, abstractmethod

from . import _core
from .arguments import explained
from .sizes import parse_bytes
from .space_results import Version
from .typing import Attribute


class Contents(ABC):
    """What there is of a space to list and to remove; no elements of it. `Space` is one."""

    @property
    @abstractmethod
    def _core(self) -> _core.Space: ...

    @explained
    def names(self, pattern: str = "*") -> list[str]:
        """The names of its variables, sorted.

        Args:
            pattern: those that it fits: ``*`` stands for any text, ``?`` for one letter.
        """
        return self._core.names(pattern)

    @explained
    def containers(self, pattern: str = "*") -> list[str]:
        """What names of variables have before a ``/``, and what else was given attributes; sorted.

        Args:
            pattern: those that it fits: ``*`` stands for any text, ``?`` for one letter.
        """
        return self._core.containers(pattern)

    @explained
    def set_attributes(self, path: str = "", /, **attributes: Attribute) -> None:
        """Set attributes of a container: ``space.set_attributes("run7", owner="kb", machine=None)``.

        Others that it has stay.

        Args:
            path: the container; or a variable, whatever its versions say; or "" for the space itself.
            **attributes: what it gets; None takes one away.

        Raises:
            InvalidArgument: a value is none that an attribute can have.
            PeerLost: the server is gone.
        """
        self._core.set_attributes(path, attributes)

    @explained
    def attributes(self, path: str = "", /) -> dict[str, Attribute]:
        """The attributes that a container was given; none if it was given none.

        Args:
            path: as for `set_attributes`.
        """
        return self._core.attributes(path)

    @explained
    def versions(self, name: str) -> list[Version]:
        """The versions of a variable, by their numbers; incomplete ones, too.

        Raises:
            NotFound: there is no such variable.
        """
        return self._core.versions(name, Version)

    @explained
    def remove(self, name: str, version: int | None = None) -> None:
        """Remove a version of a variable, or the variable. Arrays of it stay as they are.

        Raises:
            NotFound: there is none.
        """
        self._core.remove(name, version)

    @explained
    def remove_container(self, path: str) -> int:
        """Remove all variables in a container, and the attributes of it and of whatever is in it.

        Arrays of them stay as they are; so do the rules of `keep`.

        Args:
            path: the container, such as "run7", whose variables are called "run7/..."; or "" for all of the space.

        Returns:
            How many variables these were; 0 if there is no such container.

        Raises:
            PeerLost: the server is gone.
        """
        return self._core.remove_container(path)

    @explained
    def keep(
        self,
        name: str,
        versions: int | None = None,
        *,
        nbytes: int | str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Say which complete versions of a variable are kept from now on; others go when new ones come.

        The newest always stays, and so does what somebody holds or waits for. Incomplete ones go with the complete ones
        that are newer.

        Args:
            name: the variable; it need not be there yet.
            versions: so many of the newest ones; None: any number.
            nbytes: bytes of all of them together, or a text such as "2 GiB"; None: any number.
            seconds: how long since they were complete; None: for ever.

        Raises:
            InvalidArgument: less than one version, or less than nothing.
        """
        self._core.keep(name, versions, None if nbytes is None else parse_bytes(nbytes), seconds)
