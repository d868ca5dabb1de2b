#!/usr/bin/env python3
"""Writes fortran/staithe_c.f90: the C interface as Fortran sees it, made of include/staithe/staithe.h.

Run it after a change of the header; a test compares. The names are those of C, without `staithe_` and with `c_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from c_header import ROOT, Declarator, Function, Header, read_header

OUTPUT = ROOT / "fortran" / "staithe_c.f90"

HEAD = """\
! The C interface, as it is. Written by tools/fortran_interfaces.py; do not edit.
!
! What the calls do is said in include/staithe/staithe.h. Programs use the module staithe, which has the constants, too.
module staithe_constants
  use, intrinsic :: iso_c_binding, only: c_int32_t
  implicit none
  public
  private :: c_int32_t
"""

INTERFACES = """\
end module

module staithe_c
  use, intrinsic :: iso_c_binding
  use staithe_constants
  implicit none
  public
"""

KINDS = {
    "int32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)",
    "double": "real(c_double)",
}
# Letters of the parameters' names in a line: no line of Fortran is longer than 132.
MAX_NAMES = 80
# Where numbers are written, it is one, but through these.
ARRAYS = {"shape", "values", "indices"}
# What may be NULL, which no variable of Fortran is: its address.
NULLABLE = {"axes", "box", "offset", "pattern"}


def fortran_name(name: str) -> str:
    """The name in the module staithe_c."""
    return "c_" + name.removeprefix("staithe_")


class Translator:
    """Makes Fortran of what a header says."""

    def __init__(self, header: Header) -> None:
        self.header = header

    def module(self) -> Iterator[str]:
        """The lines of the module."""
        yield HEAD
        for name, value in self.header.numbers.items():
            yield f"  integer(c_int32_t), parameter :: {name} = {value}"
        yield INTERFACES.rstrip()
        for name, fields in self.header.structures.items():
            yield f"\n  type, bind(c) :: {fortran_name(name)}"
            yield from (f"    {self._field(field)}" for field in fields)
            yield "  end type"
        yield "\n  interface"
        for function in self.header.functions:
            yield from self._interface(function)
        yield "  end interface\nend module"

    def _number(self, type_: str) -> str | None:
        return KINDS.get(self.header.aliases.get(type_, type_))

    def _field(self, field: Declarator) -> str:
        if field.pointers:
            return f"type(c_ptr) :: {field.name}"
        shape = f"({field.length})" if field.length else ""
        if field.type == "char":
            return f"character(kind=c_char) :: {field.name}{shape}"
        kind = self._number(field.type) or f"type({fortran_name(field.type)})"
        return f"{kind} :: {field.name}{shape}"

    def _interface(self, function: Function) -> Iterator[str]:
        result = "" if function.result.type == "void" else f"{self._result(function.result)} "
        word = "function" if result else "subroutine"
        names = " &\n        ".join(wrap(", ".join(parameter.name for parameter in function.parameters), MAX_NAMES))
        yield f"    {result}{word} {fortran_name(function.name)}({names}) &"
        yield f'        bind(c, name="{function.name}")'
        yield "      import"
        yield from (f"      {self._parameter(parameter)}" for parameter in function.parameters)
        yield f"    end {word}"

    def _result(self, result: Declarator) -> str:
        return "type(c_ptr)" if result.pointers else str(self._number(result.type))

    def _parameter(self, parameter: Declarator) -> str:
        type_, name, intent = parameter.type, parameter.name, "in" if parameter.constant else "inout"
        if parameter.pointers == 2:
            return f"type(c_ptr), intent(inout) :: {name}"
        if parameter.pointers == 0:
            return f"{self._number(type_)}, value :: {name}"
        if parameter.constant and name in NULLABLE:
            return f"type(c_ptr), value :: {name}"
        if type_ == "char":
            return f"character(kind=c_char), intent({intent}) :: {name}(*)"
        if type_ in self.header.structures:
            return f"type({fortran_name(type_)}), intent({intent}) :: {name}"
        if kind := self._number(type_):
            return f"{kind}, intent({intent}) :: {name}" + ("(*)" if parameter.constant or name in ARRAYS else "")
        return f"type(c_ptr), value :: {name}"


def main() -> None:
    """Writes the module anew."""
    OUTPUT.write_text(source())
    print(f"wrote {OUTPUT}")


def source() -> str:
    """The text of the module."""
    return "\n".join(Translator(read_header()).module()) + "\n"


if __name__ == "__main__":
    main()
