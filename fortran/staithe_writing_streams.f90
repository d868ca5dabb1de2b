! Writing a stream: staithe_writer, staithe_write_step, staithe_loan.
module staithe_writing_streams
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics
  use staithe_support
  implicit none
  private

  !> One rank's end of a stream that is written.
  type, extends(staithe_handle), public :: staithe_writer
  contains
    procedure :: open => writer_open
    procedure :: begin_step => writer_begin_step
    procedure :: close => writer_close
    procedure :: fail => writer_fail
    !> Ends the stream without waiting, if it was neither closed nor failed.
    procedure :: free => writer_free
    !> The stream's name.
    procedure :: name => writer_name
    !> This rank, and how many ranks write the stream.
    procedure :: group => writer_group
    procedure :: placement => writer_placement
    procedure :: next_step => writer_next_step
    procedure :: statistics => writer_statistics
    final :: writer_finalise
  end type

  !> A step being written: readers see all of it after `end`, or nothing.
  type, extends(staithe_putting), public :: staithe_write_step
  contains
    ! put(variable, values [, offset, shape, unit, attributes, error, stat, errmsg]) is inherited.
    procedure :: put_array => write_step_put_array
    procedure :: loan => write_step_loan
    procedure :: publish => write_step_publish
    !> Sets all of these attributes on the step, beside those that were set before.
    procedure :: set_attributes => write_step_set_attributes
    procedure :: end => write_step_end
    procedure :: abandon => write_step_abandon
    procedure :: index => write_step_index
    final :: write_step_finalise
  end type

  !> A block lent by the stream to compute into; publishing it copies nothing.
  type, extends(staithe_memory), public :: staithe_loan
  contains
    ! get(values [, stat, errmsg]) is inherited: has a pointer show the memory.
    !> Gives the memory back unpublished.
    procedure :: free => loan_free
    final :: loan_finalise
  end type

  !> The options of a put, and what they point to.
  type :: description
    type(c_put_options) :: options
    integer(int64), allocatable :: offset(:), shape(:), strides(:)
    character(kind=c_char), allocatable :: unit(:), error(:)
  end type

contains

  !> Opens the stream for writing; every rank of the group does. What is not given is taken from the workflow file, or
  !> is the default: see include/staithe/staithe.h.
  subroutine writer_open(writer, stream, group, timeout, queue_steps, queue_bytes, readers, overflow, spill_directory, &
                         spill_bytes, resume, placement, reserve_bytes, attributes, listen, address, error, &
                         keep_steps, keep_bytes, codec, stat, errmsg)
    class(staithe_writer), intent(inout) :: writer
    character(*), intent(in) :: stream
    type(staithe_group), intent(in), optional :: group
    real(real64), intent(in), optional :: timeout
    integer, intent(in), optional :: queue_steps, readers
    integer(int64), intent(in), optional :: queue_bytes, spill_bytes, reserve_bytes, keep_steps, keep_bytes
    character(*), intent(in), optional :: overflow, spill_directory, placement, listen, address, error, codec
    logical, intent(in), optional :: resume
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_writer_options) :: options
    character(kind=c_char), allocatable, target :: policy(:), directory(:), place(:), port(:), host(:), bounds(:), coded(:)

    call writer%free()
    call c_writer_options_init(options, c_sizeof(options))
    if (present(group)) options%group = group_to_c(group)
    options%timeout = seconds(timeout)
    if (present(queue_steps)) options%queue_steps = queue_steps
    if (present(queue_bytes)) options%queue_bytes = queue_bytes
    if (present(readers)) options%readers = readers
    options%overflow = given_text(overflow, policy)
    options%spill_directory = given_text(spill_directory, directory)
    if (present(spill_bytes)) options%spill_bytes = spill_bytes
    if (present(resume)) options%resume = merge(1_c_int32_t, 0, resume)
    options%placement = given_text(placement, place)
    if (present(reserve_bytes)) options%reserve_bytes = reserve_bytes
    if (present(attributes)) options%attributes = attributes%handle
    options%listen = given_text(listen, port)
    options%address = given_text(address, host)
    options%error = given_text(error, bounds)
    if (present(keep_steps)) options%keep_steps = keep_steps
    if (present(keep_bytes)) options%keep_bytes = keep_bytes
    options%codec = given_text(codec, coded)
    call conclude(c_writer_open(chars_of(stream), options, writer%handle), stat, errmsg)
  end subroutine

  !> Opens the next step; waits while the queue is full.
  subroutine writer_begin_step(writer, step, timeout, stat, errmsg)
    class(staithe_writer), intent(inout) :: writer
    type(staithe_write_step), intent(inout) :: step
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (step%exists()) then
      call fail(STAITHE_INVALID_ARGUMENT, 'this step is still open: end or abandon it before the next begins', stat, errmsg)
      return
    end if
    call conclude(c_writer_begin_step(writer%handle, seconds(timeout), step%handle), stat, errmsg)
  end subroutine

  !> Ends the stream; waits for the readers that are expected.
  subroutine writer_close(writer, stat, errmsg)
    class(staithe_writer), intent(inout) :: writer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_writer_close(writer%handle), stat, errmsg)
  end subroutine

  !> Ends the stream as failed: readers get what is complete, then STAITHE_WRITER_FAILED with the first line of `reason`.
  subroutine writer_fail(writer, reason, stat, errmsg)
    class(staithe_writer), intent(inout) :: writer
    character(*), intent(in) :: reason
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_writer_fail(writer%handle, chars_of(reason)), stat, errmsg)
  end subroutine

  subroutine writer_free(writer)
    class(staithe_writer), intent(inout) :: writer

    call c_writer_free(writer%handle)
  end subroutine

  subroutine writer_finalise(writer)
    type(staithe_writer), intent(inout) :: writer

    call writer%free()
  end subroutine

  function writer_name(writer) result(name)
    class(staithe_writer), intent(in) :: writer
    character(:), allocatable :: name
    type(c_ptr) :: text

    call conclude(c_writer_name(writer%handle, text))
    name = text_of(text)
  end function

  type(staithe_group) function writer_group(writer)
    class(staithe_writer), intent(in) :: writer
    type(c_group) :: group

    call conclude(c_writer_group(writer%handle, group))
    writer_group = group_of(group)
  end function

  !> Where the blocks live: 'producer' or 'inline'.
  function writer_placement(writer) result(placement)
    class(staithe_writer), intent(in) :: writer
    character(:), allocatable :: placement
    type(c_ptr) :: text

    call conclude(c_writer_placement(writer%handle, text))
    placement = text_of(text)
  end function

  !> The number of the step that is opened next; not 0 at first for a writer that resumed.
  integer(int64) function writer_next_step(writer)
    class(staithe_writer), intent(in) :: writer

    call conclude(c_writer_next_step(writer%handle, writer_next_step))
  end function

  !> steps, bytes, stall_seconds, pool_bytes, dropped, spilled_steps, spilled_bytes, unread, compressed_steps,
  !> compressed_bytes.
  type(c_writer_statistics) function writer_statistics(writer)
    class(staithe_writer), intent(in) :: writer

    call conclude(c_writer_get_statistics(writer%handle, writer_statistics, c_sizeof(writer_statistics)))
  end function

  !> Copies a block into the step. What it says of dtypes that Fortran does not have is the caller's: see staithe_array.
  subroutine write_step_put_array(step, variable, array, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(description), target :: said

    if (.not. describe(said, int(array%dimensions), offset, shape, unit, attributes, error, stat, errmsg)) return
    said%options%strides = given_numbers(array%strides, said%strides)
    call conclude(c_write_step_put(step%handle, chars_of(variable), array%data, array%dtype, array%dimensions, &
                                   array%shape, said%options), stat, errmsg)
  end subroutine

  !> Memory of the stream to compute a block of shape `count` in, in Fortran's order.
  subroutine write_step_loan(step, variable, dtype, count, loan, offset, shape, unit, attributes, error, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    character(*), intent(in) :: variable
    integer(c_int32_t), intent(in) :: dtype
    integer(int64), intent(in) :: count(:)
    type(staithe_loan), intent(inout) :: loan
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(description), target :: said
    integer(c_int32_t) :: status

    call loan%free()
    if (.not. describe(said, size(count), offset, shape, unit, attributes, error, stat, errmsg)) return
    status = c_write_step_loan(step%handle, chars_of(variable), dtype, size(count, kind=c_int32_t), count, &
                               said%options, loan%handle)
    if (status == STAITHE_OK) then
      loan%array = staithe_dense_array(dtype, count)
      status = c_loan_data(loan%handle, loan%array%data)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> Makes the loan a block of this step; its pointers must not be used any more.
  subroutine write_step_publish(step, loan, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    type(staithe_loan), intent(inout) :: loan
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_write_step_publish(step%handle, loan%handle), stat, errmsg)
  end subroutine

  subroutine loan_free(loan)
    class(staithe_loan), intent(inout) :: loan

    call c_loan_free(loan%handle)
  end subroutine

  subroutine loan_finalise(loan)
    type(staithe_loan), intent(inout) :: loan

    call loan%free()
  end subroutine

  subroutine write_step_set_attributes(step, attributes, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    type(staithe_attributes), intent(in) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_write_step_set_attributes(step%handle, attributes%handle), stat, errmsg)
  end subroutine

  !> Publishes the step.
  subroutine write_step_end(step, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_write_step_end(step%handle), stat, errmsg)
  end subroutine

  !> Drops the step, if it is open: readers never see it, and its number is not used again.
  subroutine write_step_abandon(step, stat, errmsg)
    class(staithe_write_step), intent(inout) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_write_step_abandon(step%handle), stat, errmsg)
  end subroutine

  !> The step's number, counted from 0.
  integer(int64) function write_step_index(step)
    class(staithe_write_step), intent(in) :: step

    call conclude(c_write_step_index(step%handle, write_step_index))
  end function

  subroutine write_step_finalise(step)
    type(staithe_write_step), intent(inout) :: step
    integer :: ignored

    call step%abandon(ignored)
  end subroutine

  !> Puts together what a put or a loan says besides the data.
  logical function describe(said, dimensions, offset, shape, unit, attributes, error, stat, errmsg)
    type(description), intent(inout), target :: said
    integer, intent(in) :: dimensions
    integer(int64), intent(in), optional :: offset(:), shape(:)
    character(*), intent(in), optional :: unit, error
    type(staithe_attributes), intent(in), optional :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    describe = numbers_fit('offset and shape', dimensions, offset, shape, stat, errmsg)
    if (.not. describe) return
    call c_put_options_init(said%options, c_sizeof(said%options))
    said%options%order = STAITHE_COLUMN_MAJOR
    said%options%offset = given_numbers(offset, said%offset)
    said%options%shape = given_numbers(shape, said%shape)
    said%options%unit = given_text(unit, said%unit)
    if (present(attributes)) said%options%attributes = attributes%handle
    said%options%error = given_text(error, said%error)
  end function

end module
