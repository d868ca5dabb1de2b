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

  !> Where the elements of an array lie, with its strides.
  interface staithe_array_of
    module procedure array_of_bool_0, array_of_bool_1, array_of_bool_2, &
        array_of_bool_3, array_of_bool_4, array_of_bool_5
    module procedure array_of_int8_0, array_of_int8_1, array_of_int8_2, &
        array_of_int8_3, array_of_int8_4, array_of_int8_5
    module procedure array_of_int16_0, array_of_int16_1, array_of_int16_2, &
        array_of_int16_3, array_of_int16_4, array_of_int16_5
    module procedure array_of_int32_0, array_of_int32_1, array_of_int32_2, &
        array_of_int32_3, array_of_int32_4, array_of_int32_5
    module procedure array_of_int64_0, array_of_int64_1, array_of_int64_2, &
        array_of_int64_3, array_of_int64_4, array_of_int64_5
    module procedure array_of_real32_0, array_of_real32_1, array_of_real32_2, &
        array_of_real32_3, array_of_real32_4, array_of_real32_5
    module procedure array_of_real64_0, array_of_real64_1, array_of_real64_2, &
        array_of_real64_3, array_of_real64_4, array_of_real64_5
    module procedure array_of_complex32_0, array_of_complex32_1, array_of_complex32_2, &
        array_of_complex32_3, array_of_complex32_4, array_of_complex32_5
    module procedure array_of_complex64_0, array_of_complex64_1, array_of_complex64_2, &
        array_of_complex64_3, array_of_complex64_4, array_of_complex64_5
  end interface

  !> What arrays are put into.
  type, abstract, extends(staithe_handle) :: staithe_putting
  contains
    procedure(put_any), deferred :: put_array
    procedure, private :: put_bool_0, put_bool_1, put_bool_2, &
        put_bool_3, put_bool_4, put_bool_5
    !> Copies a block into the step, with its strides: `values` may be a section, and may change at once.
    !> With neither `offset` nor `shape`, the block of a group's only rank is the whole variable; in a group of
    !> several it is this rank's own local array.
    generic :: put => put_bool_0, put_bool_1, put_bool_2, &
        put_bool_3, put_bool_4, put_bool_5
    procedure, private :: put_int8_0, put_int8_1, put_int8_2, &
        put_int8_3, put_int8_4, put_int8_5
    generic :: put => put_int8_0, put_int8_1, put_int8_2, &
        put_int8_3, put_int8_4, put_int8_5
    procedure, private :: put_int16_0, put_int16_1, put_int16_2, &
        put_int16_3, put_int16_4, put_int16_5
    generic :: put => put_int16_0, put_int16_1, put_int16_2, &
        put_int16_3, put_int16_4, put_int16_5
    procedure, private :: put_int32_0, put_int32_1, put_int32_2, &
        put_int32_3, put_int32_4, put_int32_5
    generic :: put => put_int32_0, put_int32_1, put_int32_2, &
        put_int32_3, put_int32_4, put_int32_5
    procedure, private :: put_int64_0, put_int64_1, put_int64_2, &
        put_int64_3, put_int64_4, put_int64_5
    generic :: put => put_int64_0, put_int64_1, put_int64_2, &
        put_int64_3, put_int64_4, put_int64_5
    procedure, private :: put_real32_0, put_real32_1, put_real32_2, &
        put_real32_3, put_real32_4, put_real32_5
    generic :: put => put_real32_0, put_real32_1, put_real32_2, &
        put_real32_3, put_real32_4, put_real32_5
    procedure, private :: put_real64_0, put_real64_1, put_real64_2, &
        put_real64_3, put_real64_4, put_real64_5
    generic :: put => put_real64_0, put_real64_1, put_real64_2, &
        put_real64_3, put_real64_4, put_real64_5
    procedure, private :: put_complex32_0, put_complex32_1, put_complex32_2, &
        put_complex32_3, put_complex32_4, put_complex32_5
    generic :: put => put_complex32_0, put_complex32_1, put_complex32_2, &
        put_complex32_3, put_complex32_4, put_complex32_5
    procedure, private :: put_complex64_0, put_complex64_1, put_complex64_2, &
        put_complex64_3, put_complex64_4, put_complex64_5
    generic :: put => put_complex64_0, put_complex64_1, put_complex64_2, &
        put_complex64_3, put_complex64_4, put_complex64_5
  end type

  !> What arrays are read from.
  type, abstract, extends(staithe_handle) :: staithe_reading
  contains
    procedure(read_any), deferred :: read_array
    procedure, private :: read_bool_0, read_bool_1, read_bool_2, &
        read_bool_3, read_bool_4, read_bool_5
    !> Copies to `values`: the whole variable, whose shape it must have; or the part of its own shape that begins at
    !> `offset` and takes every `stride`-th element. The type is the variable's, or one that has all its values, as
    !> real64 has those of real32.
    generic :: read => read_bool_0, read_bool_1, read_bool_2, &
        read_bool_3, read_bool_4, read_bool_5
    procedure, private :: read_int8_0, read_int8_1, read_int8_2, &
        read_int8_3, read_int8_4, read_int8_5
    generic :: read => read_int8_0, read_int8_1, read_int8_2, &
        read_int8_3, read_int8_4, read_int8_5
    procedure, private :: read_int16_0, read_int16_1, read_int16_2, &
        read_int16_3, read_int16_4, read_int16_5
    generic :: read => read_int16_0, read_int16_1, read_int16_2, &
        read_int16_3, read_int16_4, read_int16_5
    procedure, private :: read_int32_0, read_int32_1, read_int32_2, &
        read_int32_3, read_int32_4, read_int32_5
    generic :: read => read_int32_0, read_int32_1, read_int32_2, &
        read_int32_3, read_int32_4, read_int32_5
    procedure, private :: read_int64_0, read_int64_1, read_int64_2, &
        read_int64_3, read_int64_4, read_int64_5
    generic :: read => read_int64_0, read_int64_1, read_int64_2, &
        read_int64_3, read_int64_4, read_int64_5
    procedure, private :: read_real32_0, read_real32_1, read_real32_2, &
        read_real32_3, read_real32_4, read_real32_5
    generic :: read => read_real32_0, read_real32_1, read_real32_2, &
        read_real32_3, read_real32_4, read_real32_5
    procedure, private :: read_real64_0, read_real64_1, read_real64_2, &
        read_real64_3, read_real64_4, read_real64_5
    generic :: read => read_real64_0, read_real64_1, read_real64_2, &
        read_real64_3, read_real64_4, read_real64_5
    procedure, private :: read_complex32_0, read_complex32_1, read_complex32_2, &
        read_complex32_3, read_complex32_4, read_complex32_5
    generic :: read => read_complex32_0, read_complex32_1, read_complex32_2, &
        read_complex32_3, read_complex32_4, read_complex32_5
    procedure, private :: read_complex64_0, read_complex64_1, read_complex64_2, &
        read_complex64_3, read_complex64_4, read_complex64_5
    generic :: read => read_complex64_0, read_complex64_1, read_complex64_2, &
        read_complex64_3, read_complex64_4, read_complex64_5
    procedure(condense_any), deferred :: reduce_array
    procedure, private :: condense_bool_0, condense_bool_1, condense_bool_2, &
        condense_bool_3, condense_bool_4, condense_bool_5
    !> The 'sum', 'mean', 'min', 'max', 'var' or 'std' of the elements along the dimensions `dims`, counted from
    !> 1; of all without. Or, as in 'histogram(20, -1, 1)', how many are in each of 20 bins of equal width from -1
    !> to 1, as int64 along a last dimension. Blocks of this host are looked at where they lie, and other hosts
    !> send what becomes of theirs. `values` has the shape of the dimensions that stay, and a type that has all
    !> values of what becomes of them: at least real64 for what is added up of reals. Of the whole variable, or of
    !> the part of shape `count` that begins at `offset` and takes every `stride`-th element.
    generic :: reduce => condense_bool_0, condense_bool_1, condense_bool_2, &
        condense_bool_3, condense_bool_4, condense_bool_5
    procedure, private :: condense_int8_0, condense_int8_1, condense_int8_2, &
        condense_int8_3, condense_int8_4, condense_int8_5
    generic :: reduce => condense_int8_0, condense_int8_1, condense_int8_2, &
        condense_int8_3, condense_int8_4, condense_int8_5
    procedure, private :: condense_int16_0, condense_int16_1, condense_int16_2, &
        condense_int16_3, condense_int16_4, condense_int16_5
    generic :: reduce => condense_int16_0, condense_int16_1, condense_int16_2, &
        condense_int16_3, condense_int16_4, condense_int16_5
    procedure, private :: condense_int32_0, condense_int32_1, condense_int32_2, &
        condense_int32_3, condense_int32_4, condense_int32_5
    generic :: reduce => condense_int32_0, condense_int32_1, condense_int32_2, &
        condense_int32_3, condense_int32_4, condense_int32_5
    procedure, private :: condense_int64_0, condense_int64_1, condense_int64_2, &
        condense_int64_3, condense_int64_4, condense_int64_5
    generic :: reduce => condense_int64_0, condense_int64_1, condense_int64_2, &
        condense_int64_3, condense_int64_4, condense_int64_5
    procedure, private :: condense_real32_0, condense_real32_1, condense_real32_2, &
        condense_real32_3, condense_real32_4, condense_real32_5
    generic :: reduce => condense_real32_0, condense_real32_1, condense_real32_2, &
        condense_real32_3, condense_real32_4, condense_real32_5
    procedure, private :: condense_real64_0, condense_real64_1, condense_real64_2, &
        condense_real64_3, condense_real64_4, condense_real64_5
    generic :: reduce => condense_real64_0, condense_real64_1, condense_real64_2, &
        condense_real64_3, condense_real64_4, condense_real64_5
    procedure, private :: condense_complex32_0, condense_complex32_1, condense_complex32_2, &
        condense_complex32_3, condense_complex32_4, condense_complex32_5
    generic :: reduce => condense_complex32_0, condense_complex32_1, condense_complex32_2, &
        condense_complex32_3, condense_complex32_4, condense_complex32_5
    procedure, private :: condense_complex64_0, condense_complex64_1, condense_complex64_2, &
        condense_complex64_3, condense_complex64_4, condense_complex64_5
    generic :: reduce => condense_complex64_0, condense_complex64_1, condense_complex64_2, &
        condense_complex64_3, condense_complex64_4, condense_complex64_5
  end type

  !> What becomes of many arrays.
  type, abstract, extends(staithe_handle) :: staithe_accumulating
  contains
    procedure(conclude_any), deferred :: result_array
    procedure, private :: conclude_bool_0, conclude_bool_1, conclude_bool_2, &
        conclude_bool_3, conclude_bool_4, conclude_bool_5
    !> Copies to `values` what has become of all that was added so far; more may be added then. It has the shape of
    !> the dimensions that stay, and a type that has all values of what becomes of them, as for `reduce` of a step.
    generic :: result => conclude_bool_0, conclude_bool_1, conclude_bool_2, &
        conclude_bool_3, conclude_bool_4, conclude_bool_5
    procedure, private :: conclude_int8_0, conclude_int8_1, conclude_int8_2, &
        conclude_int8_3, conclude_int8_4, conclude_int8_5
    generic :: result => conclude_int8_0, conclude_int8_1, conclude_int8_2, &
        conclude_int8_3, conclude_int8_4, conclude_int8_5
    procedure, private :: conclude_int16_0, conclude_int16_1, conclude_int16_2, &
        conclude_int16_3, conclude_int16_4, conclude_int16_5
    generic :: result => conclude_int16_0, conclude_int16_1, conclude_int16_2, &
        conclude_int16_3, conclude_int16_4, conclude_int16_5
    procedure, private :: conclude_int32_0, conclude_int32_1, conclude_int32_2, &
        conclude_int32_3, conclude_int32_4, conclude_int32_5
    generic :: result => conclude_int32_0, conclude_int32_1, conclude_int32_2, &
        conclude_int32_3, conclude_int32_4, conclude_int32_5
    procedure, private :: conclude_int64_0, conclude_int64_1, conclude_int64_2, &
        conclude_int64_3, conclude_int64_4, conclude_int64_5
    generic :: result => conclude_int64_0, conclude_int64_1, conclude_int64_2, &
        conclude_int64_3, conclude_int64_4, conclude_int64_5
    procedure, private :: conclude_real32_0, conclude_real32_1, conclude_real32_2, &
        conclude_real32_3, conclude_real32_4, conclude_real32_5
    generic :: result => conclude_real32_0, conclude_real32_1, conclude_real32_2, &
        conclude_real32_3, conclude_real32_4, conclude_real32_5
    procedure, private :: conclude_real64_0, conclude_real64_1, conclude_real64_2, &
        conclude_real64_3, conclude_real64_4, conclude_real64_5
    generic :: result => conclude_real64_0, conclude_real64_1, conclude_real64_2, &
        conclude_real64_3, conclude_real64_4, conclude_real64_5
    procedure, private :: conclude_complex32_0, conclude_complex32_1, conclude_complex32_2, &
        conclude_complex32_3, conclude_complex32_4, conclude_complex32_5
    generic :: result => conclude_complex32_0, conclude_complex32_1, conclude_complex32_2, &
        conclude_complex32_3, conclude_complex32_4, conclude_complex32_5
    procedure, private :: conclude_complex64_0, conclude_complex64_1, conclude_complex64_2, &
        conclude_complex64_3, conclude_complex64_4, conclude_complex64_5
    generic :: result => conclude_complex64_0, conclude_complex64_1, conclude_complex64_2, &
        conclude_complex64_3, conclude_complex64_4, conclude_complex64_5
  end type

  !> What arrays are put into, and got from, in versions.
  type, abstract, extends(staithe_handle) :: staithe_storing
  contains
    procedure(store_any), deferred :: put_array
    procedure(fetch_any), deferred :: get_array
    procedure(reduce_any), deferred :: reduce_array
    procedure, private :: store_bool_0, store_bool_1, store_bool_2, &
        store_bool_3, store_bool_4, store_bool_5
    !> Copies a block into the space, with its strides: `values` may be a section, and may change at once. Without
    !> `shape` it is the whole variable; without `version` a new version, which `put_version` tells. `complete` says
    !> that nothing comes after it from this rank, `overlap` whether it may lie over other blocks, `persist` that
    !> it is to be on the disk of the server, which serves it again after a crash.
    generic :: put => store_bool_0, store_bool_1, store_bool_2, &
        store_bool_3, store_bool_4, store_bool_5
    procedure, private :: store_int8_0, store_int8_1, store_int8_2, &
        store_int8_3, store_int8_4, store_int8_5
    generic :: put => store_int8_0, store_int8_1, store_int8_2, &
        store_int8_3, store_int8_4, store_int8_5
    procedure, private :: store_int16_0, store_int16_1, store_int16_2, &
        store_int16_3, store_int16_4, store_int16_5
    generic :: put => store_int16_0, store_int16_1, store_int16_2, &
        store_int16_3, store_int16_4, store_int16_5
    procedure, private :: store_int32_0, store_int32_1, store_int32_2, &
        store_int32_3, store_int32_4, store_int32_5
    generic :: put => store_int32_0, store_int32_1, store_int32_2, &
        store_int32_3, store_int32_4, store_int32_5
    procedure, private :: store_int64_0, store_int64_1, store_int64_2, &
        store_int64_3, store_int64_4, store_int64_5
    generic :: put => store_int64_0, store_int64_1, store_int64_2, &
        store_int64_3, store_int64_4, store_int64_5
    procedure, private :: store_real32_0, store_real32_1, store_real32_2, &
        store_real32_3, store_real32_4, store_real32_5
    generic :: put => store_real32_0, store_real32_1, store_real32_2, &
        store_real32_3, store_real32_4, store_real32_5
    procedure, private :: store_real64_0, store_real64_1, store_real64_2, &
        store_real64_3, store_real64_4, store_real64_5
    generic :: put => store_real64_0, store_real64_1, store_real64_2, &
        store_real64_3, store_real64_4, store_real64_5
    procedure, private :: store_complex32_0, store_complex32_1, store_complex32_2, &
        store_complex32_3, store_complex32_4, store_complex32_5
    generic :: put => store_complex32_0, store_complex32_1, store_complex32_2, &
        store_complex32_3, store_complex32_4, store_complex32_5
    procedure, private :: store_complex64_0, store_complex64_1, store_complex64_2, &
        store_complex64_3, store_complex64_4, store_complex64_5
    generic :: put => store_complex64_0, store_complex64_1, store_complex64_2, &
        store_complex64_3, store_complex64_4, store_complex64_5
    procedure, private :: fetch_bool_0, fetch_bool_1, fetch_bool_2, &
        fetch_bool_3, fetch_bool_4, fetch_bool_5
    !> Waits for the version, the newest complete one if none is named, and copies to `values`: the whole variable,
    !> whose shape it must have, or the part of its own shape that begins at `offset`; `got_version` tells which it
    !> was. Or has a staithe_space_array show them.
    generic :: get => fetch_bool_0, fetch_bool_1, fetch_bool_2, &
        fetch_bool_3, fetch_bool_4, fetch_bool_5
    procedure, private :: fetch_int8_0, fetch_int8_1, fetch_int8_2, &
        fetch_int8_3, fetch_int8_4, fetch_int8_5
    generic :: get => fetch_int8_0, fetch_int8_1, fetch_int8_2, &
        fetch_int8_3, fetch_int8_4, fetch_int8_5
    procedure, private :: fetch_int16_0, fetch_int16_1, fetch_int16_2, &
        fetch_int16_3, fetch_int16_4, fetch_int16_5
    generic :: get => fetch_int16_0, fetch_int16_1, fetch_int16_2, &
        fetch_int16_3, fetch_int16_4, fetch_int16_5
    procedure, private :: fetch_int32_0, fetch_int32_1, fetch_int32_2, &
        fetch_int32_3, fetch_int32_4, fetch_int32_5
    generic :: get => fetch_int32_0, fetch_int32_1, fetch_int32_2, &
        fetch_int32_3, fetch_int32_4, fetch_int32_5
    procedure, private :: fetch_int64_0, fetch_int64_1, fetch_int64_2, &
        fetch_int64_3, fetch_int64_4, fetch_int64_5
    generic :: get => fetch_int64_0, fetch_int64_1, fetch_int64_2, &
        fetch_int64_3, fetch_int64_4, fetch_int64_5
    procedure, private :: fetch_real32_0, fetch_real32_1, fetch_real32_2, &
        fetch_real32_3, fetch_real32_4, fetch_real32_5
    generic :: get => fetch_real32_0, fetch_real32_1, fetch_real32_2, &
        fetch_real32_3, fetch_real32_4, fetch_real32_5
    procedure, private :: fetch_real64_0, fetch_real64_1, fetch_real64_2, &
        fetch_real64_3, fetch_real64_4, fetch_real64_5
    generic :: get => fetch_real64_0, fetch_real64_1, fetch_real64_2, &
        fetch_real64_3, fetch_real64_4, fetch_real64_5
    procedure, private :: fetch_complex32_0, fetch_complex32_1, fetch_complex32_2, &
        fetch_complex32_3, fetch_complex32_4, fetch_complex32_5
    generic :: get => fetch_complex32_0, fetch_complex32_1, fetch_complex32_2, &
        fetch_complex32_3, fetch_complex32_4, fetch_complex32_5
    procedure, private :: fetch_complex64_0, fetch_complex64_1, fetch_complex64_2, &
        fetch_complex64_3, fetch_complex64_4, fetch_complex64_5
    generic :: get => fetch_complex64_0, fetch_complex64_1, fetch_complex64_2, &
        fetch_complex64_3, fetch_complex64_4, fetch_complex64_5
    procedure, private :: reduce_bool_0, reduce_bool_1, reduce_bool_2, &
        reduce_bool_3, reduce_bool_4, reduce_bool_5
    !> The 'sum', 'mean', 'min', 'max', 'var', 'std' or 'histogram(20, -1, 1)' of the elements, as `reduce` of a
    !> step has it, along the dimensions `dims`, counted from 1, made where they lie; of all without. Of the newest
    !> complete version, or the one that is named, or the box of shape `count` at `offset` of it.
    generic :: reduce => reduce_bool_0, reduce_bool_1, reduce_bool_2, &
        reduce_bool_3, reduce_bool_4, reduce_bool_5
    procedure, private :: reduce_int8_0, reduce_int8_1, reduce_int8_2, &
        reduce_int8_3, reduce_int8_4, reduce_int8_5
    generic :: reduce => reduce_int8_0, reduce_int8_1, reduce_int8_2, &
        reduce_int8_3, reduce_int8_4, reduce_int8_5
    procedure, private :: reduce_int16_0, reduce_int16_1, reduce_int16_2, &
        reduce_int16_3, reduce_int16_4, reduce_int16_5
    generic :: reduce => reduce_int16_0, reduce_int16_1, reduce_int16_2, &
        reduce_int16_3, reduce_int16_4, reduce_int16_5
    procedure, private :: reduce_int32_0, reduce_int32_1, reduce_int32_2, &
        reduce_int32_3, reduce_int32_4, reduce_int32_5
    generic :: reduce => reduce_int32_0, reduce_int32_1, reduce_int32_2, &
        reduce_int32_3, reduce_int32_4, reduce_int32_5
    procedure, private :: reduce_int64_0, reduce_int64_1, reduce_int64_2, &
        reduce_int64_3, reduce_int64_4, reduce_int64_5
    generic :: reduce => reduce_int64_0, reduce_int64_1, reduce_int64_2, &
        reduce_int64_3, reduce_int64_4, reduce_int64_5
    procedure, private :: reduce_real32_0, reduce_real32_1, reduce_real32_2, &
        reduce_real32_3, reduce_real32_4, reduce_real32_5
    generic :: reduce => reduce_real32_0, reduce_real32_1, reduce_real32_2, &
        reduce_real32_3, reduce_real32_4, reduce_real32_5
    procedure, private :: reduce_real64_0, reduce_real64_1, reduce_real64_2, &
        reduce_real64_3, reduce_real64_4, reduce_real64_5
    generic :: reduce => reduce_real64_0, reduce_real64_1, reduce_real64_2, &
        reduce_real64_3, reduce_real64_4, reduce_real64_5
    procedure, private :: reduce_complex32_0, reduce_complex32_1, reduce_complex32_2, &
        reduce_complex32_3, reduce_complex32_4, reduce_complex32_5
    generic :: reduce => reduce_complex32_0, reduce_complex32_1, reduce_complex32_2, &
        reduce_complex32_3, reduce_complex32_4, reduce_complex32_5
    procedure, private :: reduce_complex64_0, reduce_complex64_1, reduce_complex64_2, &
        reduce_complex64_3, reduce_complex64_4, reduce_complex64_5
    generic :: reduce => reduce_complex64_0, reduce_complex64_1, reduce_complex64_2, &
        reduce_complex64_3, reduce_complex64_4, reduce_complex64_5
  end type

  !> What arrays are put into, to be sent together.
  type, abstract, extends(staithe_handle) :: staithe_gathering
  contains
    procedure(gather_any), deferred :: put_array
    procedure, private :: gather_bool_0, gather_bool_1, gather_bool_2, &
        gather_bool_3, gather_bool_4, gather_bool_5
    !> Copies a block, as put of a space does, and sends it later: as soon as there is enough, or by `send`. What
    !> the space has against it is said then.
    generic :: put => gather_bool_0, gather_bool_1, gather_bool_2, &
        gather_bool_3, gather_bool_4, gather_bool_5
    procedure, private :: gather_int8_0, gather_int8_1, gather_int8_2, &
        gather_int8_3, gather_int8_4, gather_int8_5
    generic :: put => gather_int8_0, gather_int8_1, gather_int8_2, &
        gather_int8_3, gather_int8_4, gather_int8_5
    procedure, private :: gather_int16_0, gather_int16_1, gather_int16_2, &
        gather_int16_3, gather_int16_4, gather_int16_5
    generic :: put => gather_int16_0, gather_int16_1, gather_int16_2, &
        gather_int16_3, gather_int16_4, gather_int16_5
    procedure, private :: gather_int32_0, gather_int32_1, gather_int32_2, &
        gather_int32_3, gather_int32_4, gather_int32_5
    generic :: put => gather_int32_0, gather_int32_1, gather_int32_2, &
        gather_int32_3, gather_int32_4, gather_int32_5
    procedure, private :: gather_int64_0, gather_int64_1, gather_int64_2, &
        gather_int64_3, gather_int64_4, gather_int64_5
    generic :: put => gather_int64_0, gather_int64_1, gather_int64_2, &
        gather_int64_3, gather_int64_4, gather_int64_5
    procedure, private :: gather_real32_0, gather_real32_1, gather_real32_2, &
        gather_real32_3, gather_real32_4, gather_real32_5
    generic :: put => gather_real32_0, gather_real32_1, gather_real32_2, &
        gather_real32_3, gather_real32_4, gather_real32_5
    procedure, private :: gather_real64_0, gather_real64_1, gather_real64_2, &
        gather_real64_3, gather_real64_4, gather_real64_5
    generic :: put => gather_real64_0, gather_real64_1, gather_real64_2, &
        gather_real64_3, gather_real64_4, gather_real64_5
    procedure, private :: gather_complex32_0, gather_complex32_1, gather_complex32_2, &
        gather_complex32_3, gather_complex32_4, gather_complex32_5
    generic :: put => gather_complex32_0, gather_complex32_1, gather_complex32_2, &
        gather_complex32_3, gather_complex32_4, gather_complex32_5
    procedure, private :: gather_complex64_0, gather_complex64_1, gather_complex64_2, &
        gather_complex64_3, gather_complex64_4, gather_complex64_5
    generic :: put => gather_complex64_0, gather_complex64_1, gather_complex64_2, &
        gather_complex64_3, gather_complex64_4, gather_complex64_5
  end type

  !> Memory of the stream or space, which pointers may show.
  type, abstract, extends(staithe_handle) :: staithe_memory
    type(staithe_array) :: array
  contains
    procedure, private :: shows
    procedure, private :: get_bool_0, get_bool_1, get_bool_2, &
        get_bool_3, get_bool_4, get_bool_5
    !> Has a pointer show the memory. It must be of the memory's type and rank, and the memory dense.
    generic :: get => get_bool_0, get_bool_1, get_bool_2, &
        get_bool_3, get_bool_4, get_bool_5
    procedure, private :: get_int8_0, get_int8_1, get_int8_2, &
        get_int8_3, get_int8_4, get_int8_5
    generic :: get => get_int8_0, get_int8_1, get_int8_2, &
        get_int8_3, get_int8_4, get_int8_5
    procedure, private :: get_int16_0, get_int16_1, get_int16_2, &
        get_int16_3, get_int16_4, get_int16_5
    generic :: get => get_int16_0, get_int16_1, get_int16_2, &
        get_int16_3, get_int16_4, get_int16_5
    procedure, private :: get_int32_0, get_int32_1, get_int32_2, &
        get_int32_3, get_int32_4, get_int32_5
    generic :: get => get_int32_0, get_int32_1, get_int32_2, &
        get_int32_3, get_int32_4, get_int32_5
    procedure, private :: get_int64_0, get_int64_1, get_int64_2, &
        get_int64_3, get_int64_4, get_int64_5
    generic :: get => get_int64_0, get_int64_1, get_int64_2, &
        get_int64_3, get_int64_4, get_int64_5
    procedure, private :: get_real32_0, get_real32_1, get_real32_2, &
        get_real32_3, get_real32_4, get_real32_5
    generic :: get => get_real32_0, get_real32_1, get_real32_2, &
        get_real32_3, get_real32_4, get_real32_5
    procedure, private :: get_real64_0, get_real64_1, get_real64_2, &
        get_real64_3, get_real64_4, get_real64_5
    generic :: get => get_real64_0, get_real64_1, get_real64_2, &
        get_real64_3, get_real64_4, get_real64_5
    procedure, private :: get_complex32_0, get_complex32_1, get_complex32_2, &
        get_complex32_3, get_complex32_4, get_complex32_5
    generic :: get => get_complex32_0, get_complex32_1, get_complex32_2, &
        get_complex32_3, get_complex32_4, get_complex32_5
    procedure, private :: get_complex64_0, get_complex64_1, get_complex64_2, &
        get_complex64_3, get_complex64_4, get_complex64_5
    generic :: get => get_complex64_0, get_complex64_1, get_complex64_2, &
        get_complex64_3, get_complex64_4, get_complex64_5
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

  function array_of_bool_0(values) result(array)
    logical(c_bool), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_bool_1(values) result(array)
    logical(c_bool), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_bool_2(values) result(array)
    logical(c_bool), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_bool_3(values) result(array)
    logical(c_bool), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_bool_4(values) result(array)
    logical(c_bool), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_bool_5(values) result(array)
    logical(c_bool), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_BOOL, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_int8_0(values) result(array)
    integer(int8), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_int8_1(values) result(array)
    integer(int8), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_int8_2(values) result(array)
    integer(int8), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_int8_3(values) result(array)
    integer(int8), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_int8_4(values) result(array)
    integer(int8), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_int8_5(values) result(array)
    integer(int8), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I8, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_int16_0(values) result(array)
    integer(int16), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_int16_1(values) result(array)
    integer(int16), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_int16_2(values) result(array)
    integer(int16), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_int16_3(values) result(array)
    integer(int16), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_int16_4(values) result(array)
    integer(int16), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_int16_5(values) result(array)
    integer(int16), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I16, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_int32_0(values) result(array)
    integer(int32), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_int32_1(values) result(array)
    integer(int32), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_int32_2(values) result(array)
    integer(int32), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_int32_3(values) result(array)
    integer(int32), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_int32_4(values) result(array)
    integer(int32), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_int32_5(values) result(array)
    integer(int32), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_int64_0(values) result(array)
    integer(int64), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_int64_1(values) result(array)
    integer(int64), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_int64_2(values) result(array)
    integer(int64), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_int64_3(values) result(array)
    integer(int64), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_int64_4(values) result(array)
    integer(int64), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_int64_5(values) result(array)
    integer(int64), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_I64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_real32_0(values) result(array)
    real(real32), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_real32_1(values) result(array)
    real(real32), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_real32_2(values) result(array)
    real(real32), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_real32_3(values) result(array)
    real(real32), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_real32_4(values) result(array)
    real(real32), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_real32_5(values) result(array)
    real(real32), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F32, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_real64_0(values) result(array)
    real(real64), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_real64_1(values) result(array)
    real(real64), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_real64_2(values) result(array)
    real(real64), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_real64_3(values) result(array)
    real(real64), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_real64_4(values) result(array)
    real(real64), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_real64_5(values) result(array)
    real(real64), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_F64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_complex32_0(values) result(array)
    complex(real32), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_complex32_1(values) result(array)
    complex(real32), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_complex32_2(values) result(array)
    complex(real32), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_complex32_3(values) result(array)
    complex(real32), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_complex32_4(values) result(array)
    complex(real32), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_complex32_5(values) result(array)
    complex(real32), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C64, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  function array_of_complex64_0(values) result(array)
    complex(real64), intent(in), target :: values
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, [integer(int64) ::])
    array%data = c_loc(values)
  end function

  function array_of_complex64_1(values) result(array)
    complex(real64), intent(in), target :: values(:)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2)))
  end function

  function array_of_complex64_2(values) result(array)
    complex(real64), intent(in), target :: values(:, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2)))
  end function

  function array_of_complex64_3(values) result(array)
    complex(real64), intent(in), target :: values(:, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2)))
  end function

  function array_of_complex64_4(values) result(array)
    complex(real64), intent(in), target :: values(:, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2)))
  end function

  function array_of_complex64_5(values) result(array)
    complex(real64), intent(in), target :: values(:, :, :, :, :)
    type(staithe_array) :: array

    array = staithe_dense_array(STAITHE_C128, shape(values, int64))
    if (size(values) == 0) return
    array%data = c_loc(values(1, 1, 1, 1, 1))
    if (size(values, 1) > 1) array%strides(1) = distance(array%data, c_loc(values(2, 1, 1, 1, 1)))
    if (size(values, 2) > 1) array%strides(2) = distance(array%data, c_loc(values(1, 2, 1, 1, 1)))
    if (size(values, 3) > 1) array%strides(3) = distance(array%data, c_loc(values(1, 1, 2, 1, 1)))
    if (size(values, 4) > 1) array%strides(4) = distance(array%data, c_loc(values(1, 1, 1, 2, 1)))
    if (size(values, 5) > 1) array%strides(5) = distance(array%data, c_loc(values(1, 1, 1, 1, 2)))
  end function

  subroutine put_bool_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_bool_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_bool_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_bool_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_bool_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_bool_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int8_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int16_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int32_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_int64_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real32_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_real64_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex32_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_0(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_1(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_2(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_3(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_4(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine put_complex64_5(step, variable, values, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_putting), intent(inout) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%put_array(variable, staithe_array_of(values), offset, shape, unit, attributes, error, stat, errmsg)
  end subroutine

  subroutine read_bool_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_bool_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_bool_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_bool_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_bool_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_bool_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int8_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int16_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int32_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_int64_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real32_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_real64_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex32_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_0(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_1(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_2(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_3(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_4(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine read_complex64_5(step, variable, values, offset, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%read_array(variable, staithe_array_of(values), offset, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_bool_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int8_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int16_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int32_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_int64_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real32_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_real64_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex32_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_0(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_1(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_2(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_3(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_4(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine condense_complex64_5(step, variable, how, values, dims, offset, count, stride, stat, errmsg)
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, stride, stat, errmsg)
  end subroutine

  subroutine conclude_bool_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_bool_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_bool_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_bool_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_bool_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_bool_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    logical(c_bool), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int8_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int8), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int16_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int16), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int32_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_int64_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    integer(int64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real32_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_real64_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    real(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex32_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_0(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_1(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_2(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_3(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_4(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine conclude_complex64_5(reduction, values, stat, errmsg)
    class(staithe_accumulating), intent(in) :: reduction
    complex(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call reduction%result_array(staithe_array_of(values), stat, errmsg)
  end subroutine

  subroutine store_bool_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values
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

  subroutine store_bool_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:)
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

  subroutine store_bool_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :)
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

  subroutine store_bool_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :)
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

  subroutine store_bool_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :)
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

  subroutine store_bool_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_int8_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values
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

  subroutine store_int8_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:)
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

  subroutine store_int8_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :)
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

  subroutine store_int8_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :)
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

  subroutine store_int8_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :)
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

  subroutine store_int8_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_int16_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values
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

  subroutine store_int16_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:)
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

  subroutine store_int16_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :)
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

  subroutine store_int16_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :)
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

  subroutine store_int16_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :)
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

  subroutine store_int16_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_int32_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values
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

  subroutine store_int32_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:)
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

  subroutine store_int32_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :)
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

  subroutine store_int32_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :)
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

  subroutine store_int32_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :)
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

  subroutine store_int32_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_int64_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values
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

  subroutine store_int64_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:)
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

  subroutine store_int64_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :)
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

  subroutine store_int64_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :)
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

  subroutine store_int64_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :)
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

  subroutine store_int64_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_real32_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values
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

  subroutine store_real32_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:)
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

  subroutine store_real32_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :)
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

  subroutine store_real32_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :)
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

  subroutine store_real32_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :)
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

  subroutine store_real32_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_real64_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values
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

  subroutine store_real64_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:)
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

  subroutine store_real64_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :)
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

  subroutine store_real64_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :)
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

  subroutine store_real64_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :)
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

  subroutine store_real64_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_complex32_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values
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

  subroutine store_complex32_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:)
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

  subroutine store_complex32_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :)
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

  subroutine store_complex32_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :)
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

  subroutine store_complex32_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :)
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

  subroutine store_complex32_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :, :)
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

  subroutine store_complex64_0(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values
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

  subroutine store_complex64_1(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:)
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

  subroutine store_complex64_2(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :)
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

  subroutine store_complex64_3(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :)
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

  subroutine store_complex64_4(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :)
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

  subroutine store_complex64_5(space, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                            persist, put_version, stat, errmsg)
    class(staithe_storing), intent(inout) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :, :)
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

  subroutine fetch_bool_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_bool_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_bool_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_bool_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_bool_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_bool_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    logical(c_bool), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int8_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int8), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int16_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int16), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int32_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_int64_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real32_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_real64_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    real(real64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex32_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real32), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_0(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_1(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_2(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_3(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_4(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine fetch_complex64_5(space, variable, values, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable
    complex(real64), intent(inout), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%get_array(variable, staithe_array_of(values), offset, version, timeout, got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_bool_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    logical(c_bool), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int8_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int8), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int16_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int16), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int32_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_int64_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    integer(int64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real32_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_real64_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    real(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex32_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real32), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_0(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_1(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_2(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_3(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_4(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine reduce_complex64_5(space, variable, how, values, dims, offset, count, version, timeout, got_version, stat, &
                             errmsg)
    class(staithe_storing), intent(in) :: space
    character(*), intent(in) :: variable, how
    complex(real64), intent(inout), target :: values(:, :, :, :, :)
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call space%reduce_array(variable, how, staithe_array_of(values), dims, offset, count, version, timeout, &
                            got_version, stat, errmsg)
  end subroutine

  subroutine gather_bool_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_bool_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_bool_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_bool_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_bool_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_bool_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    logical(c_bool), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int8_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int8), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int16_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int16), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int32_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_int64_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    integer(int64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real32_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_real64_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    real(real64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex32_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real32), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_0(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_1(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_2(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_3(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_4(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine gather_complex64_5(batch, variable, values, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_gathering), intent(inout) :: batch
    character(*), intent(in) :: variable
    complex(real64), intent(in), target :: values(:, :, :, :, :)
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%put_array(variable, staithe_array_of(values), offset, shape, version, unit, attributes, complete, &
                         overlap, persist, stat, errmsg)
  end subroutine

  subroutine get_bool_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_bool_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_bool_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_bool_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_bool_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_bool_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    logical(c_bool), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_BOOL, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_int8_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_int8_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_int8_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_int8_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_int8_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_int8_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int8), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I8, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_int16_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_int16_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_int16_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_int16_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_int16_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_int16_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int16), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I16, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_int32_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_int32_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_int32_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_int32_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_int32_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_int32_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int32), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I32, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_int64_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_int64_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_int64_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_int64_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_int64_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_int64_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    integer(int64), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_I64, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_real32_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_real32_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_real32_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_real32_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_real32_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_real32_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real32), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F32, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_real64_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_real64_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_real64_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_real64_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_real64_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_real64_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    real(real64), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_F64, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_complex32_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_complex32_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_complex32_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_complex32_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_complex32_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_complex32_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real32), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C64, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine

  subroutine get_complex64_0(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 0, stat, errmsg)) call c_f_pointer(memory%array%data, values)
  end subroutine

  subroutine get_complex64_1(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 1, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:1))
  end subroutine

  subroutine get_complex64_2(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 2, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:2))
  end subroutine

  subroutine get_complex64_3(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 3, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:3))
  end subroutine

  subroutine get_complex64_4(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values(:, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 4, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:4))
  end subroutine

  subroutine get_complex64_5(memory, values, stat, errmsg)
    class(staithe_memory), intent(in) :: memory
    complex(real64), pointer, intent(out) :: values(:, :, :, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    nullify (values)
    if (memory%shows(STAITHE_C128, 5, stat, errmsg)) call c_f_pointer(memory%array%data, values, memory%array%shape(:5))
  end subroutine
end module
