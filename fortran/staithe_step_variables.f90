! What a step says of its variables: names, dtypes, shapes, shares, blocks.
module staithe_step_variables
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array, staithe_reading
  use staithe_support
  implicit none
  private
  public :: take_view

  !> What has variables that arrays are read from: the part of staithe_read_step that describes them.
  type, abstract, extends(staithe_reading), public :: staithe_describing
  contains
    procedure :: variables => step_variables
    !> Whether there is a variable of that name, or of "name = expression" whether it can be derived.
    procedure :: has => step_has
    procedure :: dtype => step_dtype
    procedure :: shape => step_shape
    !> The unit of the values, as the writer gave it; empty if it gave none.
    procedure :: unit => step_unit
    !> By how much the writer lets values be off where they are encoded on their way: "0.01 rel", or "exact".
    procedure :: error => step_error
    procedure :: is_local => step_is_local
    procedure :: get_variable_attributes => step_get_variable_attributes
    procedure :: share => step_share
    procedure :: share_of_blocks => step_share_of_blocks
    procedure :: blocks => step_blocks
    procedure :: block => step_block
  end type

  !> A variable of a step, or one that is derived, freed when the procedure returns that has looked for it.
  type, extends(staithe_handle), public :: variable_of_step
  contains
    procedure :: find => variable_find
    procedure :: find_part => variable_find_part
    final :: variable_finalise
  end type

contains

  !> The status of looking for it.
  integer(c_int32_t) function variable_find(found, step, variable) result(status)
    class(variable_of_step), intent(inout) :: found
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable

    status = c_read_step_variable(step%handle, chars_of(variable), found%handle)
    if (status == STAITHE_NOT_FOUND .and. index(variable, '=') > 0) then
      status = c_read_step_derive(step%handle, chars_of(variable), found%handle)
    end if
  end function

  !> Looks for it, and selects the part of shape `count` that begins at `offset` and takes every `stride`-th element; all
  !> without. False where that fails.
  logical function variable_find_part(found, selection, step, variable, offset, count, stride, stat, errmsg) result(is_there)
    class(variable_of_step), intent(inout) :: found
    type(c_selection), intent(inout) :: selection
    class(staithe_reading), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer :: n

    is_there = .false.
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_select_all(found%handle, selection)
    if (status /= STAITHE_OK) then
      call conclude(status, stat, errmsg)
      return
    end if
    n = int(selection%dimensions)
    if (.not. numbers_fit('offset and count', n, offset, count, stat, errmsg)) return
    if (.not. numbers_fit('stride', n, stride, stat=stat, errmsg=errmsg)) return
    if (present(offset)) selection%start(:n) = offset
    if (present(count)) selection%count(:n) = count
    if (present(stride)) selection%step(:n) = stride
    is_there = .true.
  end function

  subroutine variable_finalise(found)
    type(variable_of_step), intent(inout) :: found

    call c_variable_free(found%handle)
  end subroutine

  !> Ends a call that has made a view, if it went well: copies what that shows to an array, which must have its shape, and
  !> frees it. `what` it shows is for messages.
  subroutine take_view(made, view, what, array, stat, errmsg)
    integer(c_int32_t), intent(in) :: made
    type(c_ptr), intent(inout) :: view
    character(*), intent(in) :: what
    type(staithe_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(staithe_array) :: shown
    integer(c_int32_t) :: status
    logical :: fits

    status = made
    fits = .true.
    if (status == STAITHE_OK) status = c_view_array(view, shown)
    if (status == STAITHE_OK) then
      fits = is_of_shape(array%shape(:array%dimensions), what, shown%shape(:shown%dimensions), stat, errmsg)
      if (fits) status = c_view_read(view, array%dtype, array%data, array%strides)
    end if
    call c_view_free(view)
    if (fits) call conclude(status, stat, errmsg)
  end subroutine

  !> The names of its variables, padded to the longest.
  function step_variables(step) result(list)
    class(staithe_describing), intent(in) :: step
    character(:), allocatable :: list(:)
    type(c_ptr) :: names

    call conclude(c_read_step_variables(step%handle, names))
    list = texts_of(names)
  end function

  logical function step_has(step, variable)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    type(variable_of_step) :: found

    step_has = found%find(step, variable) == STAITHE_OK
  end function

  !> STAITHE_F64, …; -1 on an error with `stat`.
  integer(c_int32_t) function step_dtype(step, variable, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(variable_of_step) :: found
    integer(c_int32_t) :: status

    step_dtype = -1
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_dtype(found%handle, step_dtype)
    call conclude(status, stat, errmsg)
  end function

  !> Of the whole variable. Of a local array: that of its only block, an error if it has several.
  function step_shape(step, variable, stat, errmsg) result(shape)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)
    integer(c_int64_t) :: room(STAITHE_MAX_DIMENSIONS)
    integer(c_int32_t) :: dimensions, status
    type(variable_of_step) :: found

    dimensions = 0
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_shape(found%handle, dimensions, room)
    shape = room(:dimensions)
    call conclude(status, stat, errmsg)
  end function

  function step_unit(step, variable, stat, errmsg) result(unit)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: unit
    integer(c_int32_t) :: status
    type(variable_of_step) :: found
    type(c_ptr) :: text

    unit = ''
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_unit(found%handle, text)
    if (status == STAITHE_OK) unit = text_of(text)
    call conclude(status, stat, errmsg)
  end function

  function step_error(step, variable, stat, errmsg) result(error)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: error
    integer(c_int32_t) :: status
    type(variable_of_step) :: found
    type(c_ptr) :: text

    error = ''
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_error(found%handle, text)
    if (status == STAITHE_OK) error = taken_text(text)
    call conclude(status, stat, errmsg)
  end function

  !> A local array of each writer rank, rather than one global array.
  logical function step_is_local(step, variable, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, answer
    type(variable_of_step) :: found

    answer = 0
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_is_local(found%handle, answer)
    step_is_local = answer /= 0
    call conclude(status, stat, errmsg)
  end function

  !> A copy of the variable's attributes.
  subroutine step_get_variable_attributes(step, variable, attributes, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(variable_of_step) :: found

    call attributes%free()
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_attributes(found%handle, attributes%handle)
    call conclude(status, stat, errmsg)
  end subroutine

  !> Where one rank's part of the variable lies under STAITHE_SHARE_BLOCK, _COUNT or _ROUND, for `read`.
  subroutine step_share(step, variable, share, group, offset, count, stride, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer(c_int32_t), intent(in) :: share
    type(staithe_group), intent(in) :: group
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    integer(int64), allocatable, intent(inout), optional :: stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    integer(c_int32_t) :: status
    type(variable_of_step) :: found

    selection%dimensions = 0
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_select_share(found%handle, share, group_to_c(group), selection)
    offset = selection%start(:selection%dimensions)
    count = selection%count(:selection%dimensions)
    if (present(stride)) stride = selection%step(:selection%dimensions)
    call conclude(status, stat, errmsg)
  end subroutine

  !> The numbers of one rank's blocks under STAITHE_SHARE_PROCESS.
  function step_share_of_blocks(step, variable, group, stat, errmsg) result(numbers)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_group), intent(in) :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: numbers(:)
    integer(int64), allocatable :: indices(:)
    integer(int64) :: blocks
    integer(c_size_t) :: count
    integer(c_int32_t) :: status
    type(variable_of_step) :: found

    blocks = 0
    count = 0
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_block_count(found%handle, blocks)
    allocate (indices(blocks))
    if (status == STAITHE_OK) then
      status = c_variable_share_of_blocks(found%handle, group_to_c(group), indices, size(indices, kind=c_size_t), count)
    end if
    numbers = int(indices(:count)) + 1
    call conclude(status, stat, errmsg)
  end function

  !> How many blocks the variable has.
  integer function step_blocks(step, variable, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: count
    integer(c_int32_t) :: status
    type(variable_of_step) :: found

    count = 0
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_block_count(found%handle, count)
    step_blocks = int(count)
    call conclude(status, stat, errmsg)
  end function

  !> Which rank of the writer group put block `number`, counted from 1, and which box it is.
  subroutine step_block(step, variable, number, rank, offset, count, stat, errmsg)
    class(staithe_describing), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(in) :: number
    integer, intent(inout) :: rank
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_block) :: block
    integer(c_int32_t) :: status
    type(variable_of_step) :: found

    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_block(found%handle, int(number - 1, int64), block)
    if (status == STAITHE_OK) then
      rank = block%rank
      offset = block%offset(:block%dimensions)
      count = block%count(:block%dimensions)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

end module
