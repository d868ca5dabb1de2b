#!/usr/bin/env python3
"""Writes fortran/staithe_generics.f90: what exists once for each type and rank of Fortran's arrays.

Run it after a change of what is below; a test compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from c_header import ROOT

OUTPUT = ROOT / "fortran" / "staithe_generics.f90"

# What the names of procedures have in them, the Fortran type, the dtype.
TYPES = (
    ("bool", "logical(c_bool)", "STAITHE_BOOL"),
    ("int8", "integer(int8)", "STAITHE_I8"),
    ("int16", "integer(int16)", "STAITHE_I16"),
    ("int32", "integer(int32)", "STAITHE_I32"),
    ("int64", "integer(int64)", "STAITHE_I64"),
    ("real32", "real(real32)", "STAITHE_F32"),
    ("real64", "real(real64)", "STAITHE_F64"),
    ("complex32", "complex(real32)", "STAITHE_C64"),
    ("complex64", "complex(real64)", "STAITHE_C128"),
)
MAX_RANK = 5

HEAD = """\
! What exists once for each type and rank of arrays. Written by tools/fortran_generics.py; do not edit.
!
! staithe_array_of  where the elements of an array lie; a section of an array is described as it is, without a copy
! put; read, reduce of the types that staithe_write_step and staithe_read_step extend, which define what is done
! put, get, reduce  of the type that staithe_space extends, likewise; put of the one that staithe_batch extends
! result            of the type that staithe_running_reduction extends, likewise
! get               of what staithe_loan, staithe_view and staithe_space_array extend: a pointer to their memory
module staithe_generics
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_f_pointer, c_int32_t, c_intptr_t, c_loc, &
      c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c, only: c_dtype_name, c_dtype_size, staithe_array => c_array
  use staithe_constants
  use staithe_support, only: fail, number, staithe_handle, text_of
  implicit none
  private
  public :: staithe_accumulating, staithe_array, staithe_array_of, staithe_dense_array, staithe_gathering, &
      staithe_memory, staithe_putting, staithe_reading, staithe_storing
"""

TYPE_DEFINITIONS = """
  !> What arrays are put into.
  type, abstract, extends(staithe_handle) :: staithe_putting
  contains
    procedure(put_any), deferred :: put_array
    {put}
  end type

  !> What arrays are read from.
  type, abstract, extends(staithe_handle) :: staithe_reading
  contains
    procedure(read_any), deferred :: read_array
    {read}
    procedure(condense_any), deferred :: reduce_array
    {condense}
  end type

  !> What becomes of many arrays.
  type, abstract, extends(staithe_handle) :: staithe_accumulating
  contains
    procedure(conclude_any), deferred :: result_array
    {conclude}
  end type

  !> What arrays are put into, and got from, in versions.
  type, abstract, extends(staithe_handle) :: staithe_storing
  contains
    procedure(store_any), deferred :: put_array
    procedure(fetch_any), deferred :: get_array
    procedure(reduce_any), deferred :: reduce_array
    {store}
    {fetch}
    {reduce}
  end type

  !> What arrays are put into, to be sent together.
  type, abstract, extends(staithe_handle) :: staithe_gathering
  contains
    procedure(gather_any), deferred :: put_array
    {gather}
  end type

  !> Memory of the stream or space, which pointers may show.
  type, abstract, extends(staithe_handle) :: staithe_memory
    type(staithe_array) :: array
  contains
    procedure, private :: shows
    {get}
  end type

  abstract interface
    subroutine put_any(step, variable, array, offset, shape, unit, attributes, error, stat, errmsg)
      import
      class(staithe_putting), intent(inout) :: step
      character(*), intent(in) :: variable
      type(staithe_array), intent(in) :: array
      integer(int64), intent(in), optional :: offset(:), shape(:)
      character(*), intent(in), optional :: unit, error
      type(staithe_attributes), intent(in), optional :: attributes
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine read_any(step, variable, array, offset, stride, stat, errmsg)
      import
      class(staithe_reading), intent(in) :: step
      character(*), intent(in) :: variable
      type(staithe_array), intent(in) :: array
      integer(int64), intent(in), optional :: offset(:), stride(:)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine store_any(space, variable, array, offset, shape, version, unit, attributes, complete, overlap, persist, &
                         put_version, stat, errmsg)
      import
      class(staithe_storing), intent(inout) :: space
      character(*), intent(in) :: variable
      type(staithe_array), intent(in) :: array
      integer(int64), intent(in), optional :: offset(:), shape(:), version
      character(*), intent(in), optional :: unit
      type(staithe_attributes), intent(in), optional :: attributes
      logical, intent(in), optional :: complete, overlap, persist
      integer(int64), intent(inout), optional :: put_version
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine fetch_any(space, variable, array, offset, version, timeout, got_version, stat, errmsg)
      import
      class(staithe_storing), intent(in) :: space
      character(*), intent(in) :: variable
      type(staithe_array), intent(in) :: array
      integer(int64), intent(in), optional :: offset(:), version
      real(real64), intent(in), optional :: timeout
      integer(int64), intent(inout), optional :: got_version
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine condense_any(step, variable, how, array, dims, offset, count, stride, stat, errmsg)
      import
      class(staithe_reading), intent(in) :: step
      character(*), intent(in) :: variable, how
      type(staithe_array), intent(in) :: array
      integer, intent(in), optional :: dims(:)
      integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine conclude_any(reduction, array, stat, errmsg)
      import
      class(staithe_accumulating), intent(in) :: reduction
      type(staithe_array), intent(in) :: array
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine reduce_any(space, variable, how, array, dims, offset, count, version, timeout, got_version, stat, errmsg)
      import
      class(staithe_storing), intent(in) :: space
      character(*), intent(in) :: variable, how
      type(staithe_array), intent(in) :: array
      integer, intent(in), optional :: dims(:)
      integer(int64), intent(in), optional :: offset(:), count(:), version
      real(real64), intent(in), optional :: timeout
      integer(int64), intent(inout), optional :: got_version
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    subroutine gather_any(batch, variable, array, offset, shape, version, unit, attributes, complete, overlap, &
                          persist, stat, errmsg)
      import
      class(staithe_gathering), intent(inout) :: batch
      character(*), intent(in) :: variable
      type(staithe_array), intent(in) :: array
      integer(int64), intent(in), optional :: offset(:), shape(:), version
      character(*), intent(in), optional :: unit
      type(staithe_attributes), intent(in), optional :: attributes
      logical, intent(in), optional :: complete, overlap, persist
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
  end interface
"""

COMMON_PROCEDURES = """\
contains

  !> An array without gaps in Fortran's order; where it lies, its `data`, is not set yet.
  function staithe_dense_array(dtype, count) result(array)
    integer(c_int32_t), intent(in) :: dtype
    integer(int64), intent(in) :: count(:)
    type(staithe_array) :: array
    integer :: i

    array%data = c_null_ptr
    array%dtype = dtype
    array%dimensions = size(count)
    array%shape = 0
    array%shape(:size(count)) = count
    array%strides = c_dtype_size(dtype)
    do i = 2, size(count)
      array%strides(i) = array%strides(i - 1) * count(i - 1)
    end do
  end function

  !> Bytes from one address to another.
  integer(int64) function distance(from, to)
    type(c_ptr), intent(in) :: from, to

    distance = transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)
  end function

  !> Whether a pointer of that type and rank can show the memory; fails if not.
  logical function shows(memory, dtype, rank, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(c_int32_t), intent(in) :: dtype
    integer, intent(in) :: rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(staithe_array) :: wanted
    integer :: i

    shows = .false.
    if (.not. c_associated(memory%handle)) then
      call fail(STAITHE_CLOSED, 'there is no memory: the loan was published or freed, or the view is empty', &
                stat, errmsg)
      return
    end if
    if (memory%array%dtype /= dtype .or. memory%array%dimensions /= rank) then
      call fail(STAITHE_INVALID_ARGUMENT, 'the memory is ' // text_of(c_dtype_name(memory%array%dtype)) // ' of ' // &
                number(int(memory%array%dimensions, int64)) // ' dimensions, the pointer is ' // &
                text_of(c_dtype_name(dtype)) // ' of ' // number(int(rank, int64)), stat, errmsg)
      return
    end if
    wanted = staithe_dense_array(dtype, memory%array%shape(:rank))
    do i = 1, rank
      if (wanted%shape(i) > 1 .and. memory%array%strides(i) /= wanted%strides(i)) then
        call fail(STAITHE_INVALID_ARGUMENT, 'the memory does not lie dense in Fortran''s order, so that no ' // &
                  'pointer shows it: read it instead', stat, errmsg)
        return
      end if
    end do
    if (present(stat)) stat = 0
    shows = .true.
  end function
"""

# What the procedures are called by, where that is not what their own names begin with.
CALLED = {"condense": "reduce", "conclude": "result", "store": "put", "fetch": "get", "gather": "put"}

COMMENTS = {
    "put": (
        "Copies a block into the step, with its strides: `values` may be a section, and may change at once.",
        "With neither `offset` nor `shape`, the block of a group's only rank is the whole variable; in a group of",
        "several it is this rank's own local array.",
    ),
    "read": (
        "Copies to `values`: the whole variable, whose shape it must have; or the part of its own shape that begins at",
        "`offset` and takes every `stride`-th element. The type is the variable's, or one that has all its values, as",
        "real64 has those of real32.",
    ),
    "condense": (
        "The 'sum', 'mean', 'min', 'max', 'var' or 'std' of the elements along the dimensions `dims`, counted from",
        "1; of all without. Or, as in 'histogram(20, -1, 1)', how many are in each of 20 bins of equal width from -1",
        "to 1, as int64 along a last dimension. Blocks of this host are looked at where they lie, and other hosts",
        "send what becomes of theirs. `values` has the shape of the dimensions that stay, and a type that has all",
        "values of what becomes of them: at least real64 for what is added up of reals. Of the whole variable, or of",
        "the part of shape `count` that begins at `offset` and takes every `stride`-th element.",
    ),
    "conclude": (
        "Copies to `values` what has become of all that was added so far; more may be added then. It has the shape of",
        "the dimensions that stay, and a type that has all values of what becomes of them, as for `reduce` of a step.",
    ),
    "store": (
        "Copies a block into the space, with its strides: `values` may be a section, and may change at once. Without",
        "`shape` it is the whole variable; without `version` a new version, which `put_version` tells. `complete` says",
        "that nothing comes after it from this rank, `overlap` whether it may lie over other blocks, `persist` that",
        "it is to be on the disk of the server, which serves it again after a crash.",
    ),
    "fetch": (
        "Waits for the version, the newest complete one if none is named, and copies to `values`: the whole variable,",
        "whose shape it must have, or the part of its own shape that begins at `offset`; `got_version` tells which it",
        "was. Or has a staithe_space_array show them.",
    ),
    "reduce": (
        "The 'sum', 'mean', 'min', 'max', 'var', 'std' or 'histogram(20, -1, 1)' of the elements, as `reduce` of a",
        "step has it, along the dimensions `dims`, counted from 1, made where they lie; of all without. Of the newest",
        "complete version, or the one that is named, or the box of shape `count` at `offset` of it.",
    ),
    "gather": (
        "Copies a block, as put of a space does, and sends it later: as soon as there is enough, or by `send`. What",
        "the space has against it is said then.",
    ),
    "get": ("Has a pointer show the memory. It must be of the memory's type and rank, and the memory dense.",),
}

ARRAY_OF = """
  function array_of_{suffix}(values) result(array)
    {type}, intent(in), target :: values{dimensions}
    type(staithe_array) :: array

    array = staithe_dense_array({dtype}, {shape})
    {address}
  end function
"""

PUT = """
  subroutine put_{suffix}(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    {type}, intent(in), target :: values{dimensions}
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine
"""

READ = """
  subroutine read_{suffix}(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    {type}, intent(inout), target :: values{dimensions}
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine
"""

CONDENSE = """
  subroutine condense_{suffix}(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    {type}, intent(inout), target :: values{dimensions}
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine
"""

CONCLUDE = """
  subroutine conclude_{suffix}(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    {type}, intent(inout), target :: values{dimensions}
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine
"""

STORE = """
  subroutine store_{suffix}(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    {type}, intent(in), target :: values{dimensions}
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer(int64), intent(inout), optional :: put_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, put_version, stat, errmsg)
  end subroutine
"""

FETCH = """
  subroutine fetch_{suffix}(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    {type}, intent(inout), target :: values{dimensions}
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine
"""

REDUCE = """
  subroutine reduce_{suffix}(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    {type}, intent(inout), target :: values{dimensions}
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine
"""

GATHER = """
  subroutine gather_{suffix}(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    {type}, intent(in), target :: values{dimensions}
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine
"""

GET = """
  subroutine get_{suffix}(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    {type}, pointer, intent(out) :: values{dimensions}
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows({dtype}, {rank}, stat, errmsg)) call c_f_pointer(memory%array%data, values{pointer_shape})
  end subroutine
"""


@dataclass(frozen=True)
class Case:
    """One type at one rank."""

    name: str
    type: str
    dtype: str
    rank: int

    @property
    def suffix(self) -> str:
        """What the names of its procedures end with."""
        return f"{self.name}_{self.rank}"

    def filled(self, template: str) -> str:
        """The procedure of this case."""
        return template.format(
            suffix=self.suffix,
            type=self.type,
            dtype=self.dtype,
            rank=self.rank,
            dimensions=f"({', '.join(':' * self.rank)})" if self.rank else "",
            shape="shape(values, int64)" if self.rank else "[integer(int64) ::]",
            address="\n    ".join(self._address()),
            pointer_shape=f", memory%array%shape(:{self.rank})" if self.rank else "",
        )

    def _address(self) -> Iterator[str]:
        if not self.rank:
            yield "array%data = c_loc(values)"
            return
        yield "if (size(values) == 0) return"
        yield f"array%data = c_loc({self._element()})"
        for i in range(self.rank):
            stride = f"distance(array%data, c_loc({self._element(i)}))"
            yield f"if (size(values, {i + 1}) > 1) array%strides({i + 1}) = {stride}"

    def _element(self, neighbour: int | None = None) -> str:
        """The first element, or the one after it along a dimension."""
        return f"values({', '.join('2' if i == neighbour else '1' for i in range(self.rank))})"


TEMPLATES = (ARRAY_OF, PUT, READ, CONDENSE, CONCLUDE, STORE, FETCH, REDUCE, GATHER, GET)
CASES = [Case(*type_, rank) for type_, rank in product(TYPES, range(MAX_RANK + 1))]


def source() -> str:
    """The text of the module."""
    parts = [HEAD, "\n  !> Where the elements of an array lie, with its strides.\n  interface staithe_array_of"]
    parts += [f"\n    module procedure {names}" for names in _names("array_of")]
    parts.append("\n  end interface\n")
    bindings = {generic: "\n    ".join(_bindings(generic)) for generic in COMMENTS}
    parts += [TYPE_DEFINITIONS.format(**bindings), "\n", COMMON_PROCEDURES]
    parts += [case.filled(template) for template in TEMPLATES for case in CASES]
    parts.append("end module\n")
    return "".join(parts)


def _names(prefix: str) -> Iterable[str]:
    """The names of all procedures that begin so, those of a type at a time, in lines that are not too long."""
    for name, _, _ in TYPES:
        names = [f"{prefix}_{case.suffix}" for case in CASES if case.name == name]
        half = len(names) // 2
        yield ", &\n        ".join((", ".join(names[:half]), ", ".join(names[half:])))


def _bindings(generic: str) -> Iterator[str]:
    comment = [f"!> {line}" for line in COMMENTS[generic]]
    for names in _names(generic):
        yield f"procedure, private :: {names}"
        yield from comment
        yield f"generic :: {CALLED.get(generic, generic)} => {names}"
        comment = []  # said once


def main() -> None:
    """Writes the module anew."""
    OUTPUT.write_text(source())
    print(f"wrote {OUTPUT}")


if __name__ == "__main__":
    main()
