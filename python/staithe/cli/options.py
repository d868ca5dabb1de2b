"""Options of commands that are to start at once: typer takes many times as long to import as such a command to start.

They are defined here in a form that needs no typer. It is made of them for help, for completion and for whatever is
not plain; plain command lines are read without it, to the same values.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which takes a while to import, too
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Option:
    """One of a command, and what its help says of it; `least` and `most` are limits of a number.

    One of kind bool is given or not, without a value.
    """

    def __init__(
        self,
        name: str,
        kind: type[str] | type[int] | type[bool],
        says: str,
        *,
        default: str | int | None = None,
        metavar: str | None = None,
        least: int | None = None,
        most: int | None = None,
    ) -> None:
        self.name = name
        self.flag = "--" + name.replace("_", "-")
        self.kind = kind
        self.says = says
        self.default = default
        self.metavar = metavar
        self.least = least
        self.most = most

    def plain_value(self, text: str) -> str | int | None:
        """What the text stands for; None if there is anything to think about."""
        if text.startswith("-") or not text.isprintable():
            return None
        if self.kind is str:
            return text
        number = int(text) if text.isdecimal() else -1
        fits = (self.least is None or number >= self.least) and (self.most is None or number <= self.most)
        return number if fits and str(number) == text else None


def plain_values(options: Iterable[Option], words: list[str]) -> dict[str, Any] | None:
    """The value of each option on a command line; None unless that is of nothing but options with plain values."""
    by_flag = {option.flag: option for option in options}
    values: dict[str, Any] = {option.name: option.default for option in by_flag.values()}
    left = iter(words)
    for word in left:
        flag, equals, text = word.partition("=")
        if (option := by_flag.get(flag)) is None:
            return None
        if option.kind is bool:
            if equals:
                return None
            values[option.name] = True
            continue
        if (value := option.plain_value(text if equals else next(left, "-"))) is None:
            return None
        values[option.name] = value
    return values


def for_typer(function: Callable[..., None], options: Iterable[Option]) -> Callable[..., None]:
    """The function, with a signature of which typer makes a command with these options."""
    import inspect
    from typing import Annotated

    import typer

    def command(**values: Any) -> None:
        function(**values)

    parameters = []
    for option in options:
        kind: Any = option.kind if option.default is not None else option.kind | None
        shown = typer.Option(option.flag, metavar=option.metavar, help=option.says, min=option.least, max=option.most)
        parameters.append(
            inspect.Parameter(
                option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[kind, shown]
            )
        )
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command
