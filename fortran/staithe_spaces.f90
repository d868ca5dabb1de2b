! Spaces: staithe_space.
module staithe_spaces
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array
  use staithe_space_contents, only: staithe_keeping
  use staithe_space_puts, only: describe, space_put, staithe_batch
  use staithe_space_results
  use staithe_space_waiting, only: staithe_future, staithe_lock, staithe_watch
  use staithe_support
  use staithe_writing_streams, only: staithe_loan
  implicit none
  private

  !> A named store of variables in versions, which any program puts to and gets from, in any order.
  type, extends(staithe_keeping), public :: staithe_space
  contains
    ! put(variable, values [, offset, shape, version, unit, attributes, complete, overlap, persist, put_version, stat,
    ! errmsg]), get(variable, values [, offset, version, timeout, got_version, stat, errmsg]), reduce(variable, how, values
    ! [, dims, offset, count, version, timeout, got_version, stat, errmsg]) and what lists its contents are inherited.
    procedure :: open => space_open
    procedure :: put_array => space_put_array
    procedure :: get_array => space_get_array
    procedure, private :: space_get_in_place
    generic :: get => space_get_in_place
    procedure :: get_async => space_get_async
    procedure :: values => space_values
    procedure :: put_async => space_put_async
    procedure :: batch => space_batch
    procedure :: watch => space_watch
    procedure :: lock => space_lock
    procedure :: loan => space_loan
    procedure :: publish => space_publish
    procedure :: name => space_name
    procedure :: kept_by => space_kept_by
    !> Lets go of the space: what a server keeps stays there.
    procedure :: close => space_close
    !> Closes the space, if it was not closed.
    procedure :: free => space_free
    final :: space_finalise
  end type

contains

  !> Opens the space of that name. `server` is the one that keeps it, '' for none: this process does. Without it that is
  !> a server of this user's run directory if there is one, else this process. `group` are those who put together.
  subroutine space_open(space, name, group, timeout, server, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: name
    type(staithe_group), intent(in), optional :: group
    real(real64), intent(in), optional :: timeout
    character(*), intent(in), optional :: server
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_space_options) :: options
    character(kind=c_char), allocatable, target :: keeper(:)

    call space%free()
    call c_space_options_init(options, c_sizeof(options))
    if (present(group)) options%group = group_to_c(group)
    options%timeout = seconds(timeout)
    options%server = given_text(server, keeper)
    call conclude(c_space_open(chars_of(name), options, space%handle), stat, errmsg)
  end subroutine

  !> Copies a block into the space. What it says of dtypes that Fortran does not have is the caller's: see staithe_array.
  subroutine space_put_array(space, variable, array, offset, shape, version, unit, attributes, complete, overlap, persist, &
                             put_version, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer(int64), intent(inout), optional :: put_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(space_put), target :: said
    integer(int64) :: number
    integer(c_int32_t) :: status

    if (.not. describe(said, array, offset, shape, version, unit, attributes, complete, overlap, persist, stat, errmsg)) return
    number = 0
    status = c_space_put(space%handle, chars_of(variable), array%data, array%dtype, array%dimensions, array%shape, &
                         said%options, number)
    if (present(put_version) .and. status == STAITHE_OK) put_version = number
    call conclude(status, stat, errmsg)
  end subroutine

  !> Copies to an array: the whole variable, whose shape it must have, or the part of its own shape at `offset`.
  subroutine space_get_array(space, variable, array, offset, version, timeout, got_version, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: from(:)
    type(c_ptr) :: begin
    integer(int64) :: number
    integer(c_int32_t) :: status

    if (.not. numbers_fit('offset', int(array%dimensions), offset, stat=stat, errmsg=errmsg)) return
    begin = given_numbers(offset, from)
    status = c_space_read(space%handle, chars_of(variable), given_number(version), begin, seconds(timeout), array%dtype, &
                          array%dimensions, array%shape, array%data, array%strides, number)
    if (present(got_version) .and. status == STAITHE_OK) got_version = number
    call conclude(status, stat, errmsg)
  end subroutine

  !> Without a copy where one block has all: the whole variable, or the box of shape `count` at `offset`. With a
  !> `completion`, of the very version that has it, as lists of versions and hits tell it: STAITHE_NOT_FOUND if another one
  !> has got its number since.
  subroutine space_get_in_place(space, variable, array, offset, count, version, completion, timeout, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_space_array), intent(inout) :: array
    integer(int64), intent(in), optional :: offset(:), count(:), version, completion
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection), target :: box
    type(c_ptr) :: wanted
    integer(c_int32_t) :: status

    call array%free()
    if (.not. box_fits(box, wanted, offset, count, stat, errmsg)) return
    if (present(completion)) then
      status = c_space_get_completed(space%handle, chars_of(variable), given_number(version), completion, wanted, &
                                     seconds(timeout), array%handle)
    else
      status = c_space_get(space%handle, chars_of(variable), given_number(version), wanted, seconds(timeout), array%handle)
    end if
    if (status == STAITHE_OK) status = shown(array)
    call conclude(status, stat, errmsg)
  end subroutine

  !> A variable's elements in all boxes of the hits of a query, box after box, each in array element order:
  !> an array of one dimension, copied.
  subroutine space_values(space, hits, variable, array, stat, errmsg)
    class(staithe_space), intent(in) :: space
    type(staithe_hits), intent(in) :: hits
    character(*), intent(in) :: variable
    type(staithe_space_array), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    call array%free()
    status = c_space_values(space%handle, hits%handle, chars_of(variable), array%handle)
    if (status == STAITHE_OK) status = shown(array)
    call conclude(status, stat, errmsg)
  end subroutine

  !> As `get` in place, without waiting: future%get_array gives what it got.
  subroutine space_get_async(space, variable, future, offset, count, version, timeout, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_future), intent(inout) :: future
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection), target :: box
    type(c_ptr) :: wanted

    call future%free()
    if (.not. box_fits(box, wanted, offset, count, stat, errmsg)) return
    call conclude(c_space_get_async(space%handle, chars_of(variable), given_number(version), wanted, seconds(timeout), &
                                    future%handle), stat, errmsg)
  end subroutine

  !> As `put`, without waiting: `array` is staithe_array_of(values). The values have the attribute TARGET, and stay as they
  !> are until the future is ready. Puts are done in the order of the calls.
  subroutine space_put_async(space, variable, array, future, offset, shape, version, unit, attributes, complete, overlap, &
                             persist, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    type(staithe_future), intent(inout) :: future
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(space_put), target :: said

    call future%free()
    if (.not. describe(said, array, offset, shape, version, unit, attributes, complete, overlap, persist, stat, errmsg)) return
    call conclude(c_space_put_async(space%handle, chars_of(variable), array%data, array%dtype, array%dimensions, &
                                    array%shape, said%options, future%handle), stat, errmsg)
  end subroutine

  !> To put many small blocks: they are sent together.
  subroutine space_batch(space, batch, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    type(staithe_batch), intent(inout) :: batch
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call batch%free()
    call conclude(c_space_batch(space%handle, batch%handle), stat, errmsg)
  end subroutine

  !> Each version of a variable once it is complete: from now on, or with `oldest` those that are complete already, too.
  !> `timeout`: seconds to wait for each; as long as it takes without.
  subroutine space_watch(space, variable, watch, oldest, timeout, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_watch), intent(inout) :: watch
    logical, intent(in), optional :: oldest
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: from_the_oldest

    call watch%free()
    from_the_oldest = 0
    if (present(oldest)) from_the_oldest = merge(1_c_int32_t, 0, oldest)
    call conclude(c_space_watch(space%handle, chars_of(variable), from_the_oldest, seconds(timeout), watch%handle), &
                  stat, errmsg)
  end subroutine

  !> Waits until nobody else holds, or has asked before for, a lock that excludes it: `mode` is STAITHE_LOCK_READ or
  !> STAITHE_LOCK_WRITE. Locks the box of shape `count` at `offset`, or all. `lease`: seconds after which it is free if this
  !> process is stopped; 5 without.
  subroutine space_lock(space, variable, mode, lock, offset, count, timeout, lease, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(c_int32_t), intent(in) :: mode
    type(staithe_lock), intent(inout) :: lock
    integer(int64), intent(in), optional :: offset(:), count(:)
    real(real64), intent(in), optional :: timeout, lease
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection), target :: box
    type(c_ptr) :: wanted

    call lock%free()
    if (.not. box_fits(box, wanted, offset, count, stat, errmsg)) return
    call conclude(c_space_lock(space%handle, chars_of(variable), mode, wanted, seconds(timeout), seconds(lease), &
                               lock%handle), stat, errmsg)
  end subroutine

  !> A view to write into: memory of whoever keeps the space, under a write lock of its box, for a block of a new version, or
  !> the one that is named. It has what the newest complete version has there, or 0. `dtype`, `shape` and `unit` are those of
  !> that version if they are not given.
  subroutine space_loan(space, variable, loan, offset, count, version, dtype, shape, unit, attributes, complete, persist, &
                        timeout, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    type(staithe_loan), intent(inout) :: loan
    integer(int64), intent(in), optional :: offset(:), count(:), version
    integer(c_int32_t), intent(in), optional :: dtype
    integer(int64), intent(in), optional :: shape(:)
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, persist
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_space_loan_options) :: options
    type(c_selection), target :: box
    integer(int64), allocatable, target :: whole(:)
    character(kind=c_char), allocatable, target :: unit_chars(:)
    integer(c_int32_t) :: status

    call loan%free()
    call c_space_loan_options_init(options, c_sizeof(options))
    if (.not. box_fits(box, options%box, offset, count, stat, errmsg)) return
    options%shape = given_numbers(shape, whole)
    if (present(shape)) options%dimensions = size(shape)
    if (present(dtype)) options%dtype = dtype
    options%order = STAITHE_COLUMN_MAJOR
    options%version = given_number(version)
    options%unit = given_text(unit, unit_chars)
    if (present(attributes)) options%attributes = attributes%handle
    if (present(complete)) options%complete = merge(1_c_int32_t, 0, complete)
    if (present(persist)) options%persist = merge(1_c_int32_t, 0, persist)
    options%timeout = seconds(timeout)
    status = c_space_loan(space%handle, chars_of(variable), options, loan%handle)
    if (status == STAITHE_OK) status = c_loan_array(loan%handle, loan%array)
    call conclude(status, stat, errmsg)
  end subroutine

  !> Puts it, without a copy; its pointers must not be used any more. STAITHE_CLOSED if its lock was lost meanwhile.
  subroutine space_publish(space, loan, put_version, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    type(staithe_loan), intent(inout) :: loan
    integer(int64), intent(inout), optional :: put_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int32_t) :: status

    status = c_space_publish(space%handle, loan%handle, number)
    if (present(put_version) .and. status == STAITHE_OK) put_version = number
    call conclude(status, stat, errmsg)
  end subroutine

  function space_name(space) result(name)
    class(staithe_space), intent(in) :: space
    character(:), allocatable :: name
    type(c_ptr) :: text

    call conclude(c_space_name(space%handle, text))
    name = text_of(text)
  end function

  !> Who keeps it, for people.
  function space_kept_by(space, stat, errmsg) result(title)
    class(staithe_space), intent(in) :: space
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: title
    integer(c_int32_t) :: status
    type(c_ptr) :: text

    status = c_space_kept_by(space%handle, text)
    title = taken_text(text)
    call conclude(status, stat, errmsg)
  end function

  subroutine space_close(space, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_space_close(space%handle), stat, errmsg)
  end subroutine

  subroutine space_free(space)
    class(staithe_space), intent(inout) :: space

    call c_space_free(space%handle)
  end subroutine

  subroutine space_finalise(space)
    type(staithe_space), intent(inout) :: space

    call space%free()
  end subroutine

end module
