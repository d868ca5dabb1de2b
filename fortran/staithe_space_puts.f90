! What is put into spaces: what a put says besides its data, and staithe_batch.
module staithe_space_puts
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array, staithe_gathering
  use staithe_support
  implicit none
  private
  public :: describe

  !> The options of a put, and what they point to.
  type, public :: space_put
    type(c_space_put_options) :: options
    integer(int64), allocatable :: offset(:), shape(:), strides(:)
    character(kind=c_char), allocatable :: unit(:)
  end type

  !> Many small blocks of a space that are put together: staithe_space%batch makes it.
  type, extends(staithe_gathering), public :: staithe_batch
  contains
    ! put(variable, values [, offset, shape, version, unit, attributes, complete, overlap, persist, stat, errmsg]) is
    ! inherited.
    procedure :: put_array => batch_put_array
    procedure :: send => batch_send
    procedure :: pending => batch_pending
    procedure :: failures => batch_failures
    !> What was not sent is not put.
    procedure :: free => batch_free
    final :: batch_finalise
  end type

  !> A block of a batch that was not put.
  type, public :: staithe_put_failure
    !> Among all blocks that the batch was given, from 1 on.
    integer(int64) :: place = 0
    character(:), allocatable :: variable
    !> As it was asked for; STAITHE_UNSET if it was not.
    integer(int64) :: version = STAITHE_UNSET
    integer :: status = STAITHE_OK
    character(:), allocatable :: message
  end type

contains

  !> Puts together what a put says besides the data; false, and failed, if it does not fit.
  logical function describe(said, array, offset, shape, version, unit, attributes, complete, overlap, persist, stat, errmsg)
    type(space_put), intent(inout), target :: said
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    describe = numbers_fit('offset and shape', int(array%dimensions), offset, shape, stat, errmsg)
    if (.not. describe) return
    call c_space_put_options_init(said%options, c_sizeof(said%options))
    said%options%order = STAITHE_COLUMN_MAJOR
    said%options%offset = given_numbers(offset, said%offset)
    said%options%shape = given_numbers(shape, said%shape)
    said%options%strides = given_numbers(array%strides, said%strides)
    said%options%unit = given_text(unit, said%unit)
    if (present(attributes)) said%options%attributes = attributes%handle
    said%options%version = given_number(version)
    if (present(complete)) said%options%complete = merge(1_c_int32_t, 0, complete)
    if (present(overlap)) said%options%overlap = merge(1_c_int32_t, 0, overlap)
    if (present(persist)) said%options%persist = merge(1_c_int32_t, 0, persist)
  end function

  !> Copies a block, and sends it later. What it says of dtypes that Fortran does not have is the caller's.
  subroutine batch_put_array(batch, variable, array, offset, shape, version, unit, attributes, complete, overlap, persist, &
                             stat, errmsg)
    class(staithe_batch), intent(inout) :: batch
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), shape(:), version
    character(*), intent(in), optional :: unit
    type(staithe_attributes), intent(in), optional :: attributes
    logical, intent(in), optional :: complete, overlap, persist
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(space_put), target :: said

    if (.not. describe(said, array, offset, shape, version, unit, attributes, complete, overlap, persist, stat, errmsg)) return
    call conclude(c_batch_put(batch%handle, chars_of(variable), array%data, array%dtype, array%dimensions, array%shape, &
                              said%options), stat, errmsg)
  end subroutine

  !> Sends what is left, and waits until it is put. If some blocks are refused the others are put all the same.
  subroutine batch_send(batch, stat, errmsg)
    class(staithe_batch), intent(inout) :: batch
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_batch_send(batch%handle), stat, errmsg)
  end subroutine

  !> Blocks that are not sent yet.
  integer(int64) function batch_pending(batch)
    class(staithe_batch), intent(in) :: batch

    batch_pending = 0
    call conclude(c_batch_pending(batch%handle, batch_pending))
  end function

  !> What was refused of what was sent last.
  function batch_failures(batch) result(list)
    class(staithe_batch), intent(in) :: batch
    type(staithe_put_failure), allocatable :: list(:)
    type(c_put_failure) :: failure
    integer(int64) :: count, i

    count = 0
    call conclude(c_batch_failure_count(batch%handle, count))
    allocate (list(count))
    do i = 1, count
      call conclude(c_batch_failure(batch%handle, i - 1, failure, c_sizeof(failure)))
      list(i)%place = failure%place + 1
      list(i)%variable = text_of(failure%variable)
      list(i)%version = failure%version
      list(i)%status = failure%status
      list(i)%message = text_of(failure%message)
    end do
  end function

  subroutine batch_free(batch)
    class(staithe_batch), intent(inout) :: batch

    call c_batch_free(batch%handle)
  end subroutine

  subroutine batch_finalise(batch)
    type(staithe_batch), intent(inout) :: batch

    call batch%free()
  end subroutine

end module
