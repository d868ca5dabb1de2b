! Reading a stream: staithe_reader, staithe_read_step, staithe_view.
module staithe_reading_streams
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics
  use staithe_support
  implicit none
  private

  !> One rank's end of a stream that is read.
  type, extends(staithe_handle), public :: staithe_reader
  contains
    procedure :: open => reader_open
    !> do while (reader%next(step)): the steps, until the stream ends.
    procedure :: next => reader_next
    !> Passes by what is published until `resume`, and no longer fills the writer's queue.
    procedure :: pause => reader_pause
    procedure :: resume => reader_resume
    !> From here on the next step is the newest one.
    procedure :: follow_latest => reader_follow_latest
    procedure :: close => reader_close
    procedure :: free => reader_free
    procedure :: name => reader_name
    procedure :: group => reader_group
    procedure :: writers => reader_writers
    procedure :: get_attributes => reader_get_attributes
    procedure :: statistics => reader_statistics
    final :: reader_finalise
  end type

  !> A complete step. It keeps its room in the writer's queue until the next one is taken, or it is released.
  type, extends(staithe_reading), public :: staithe_read_step
  contains
    ! read(variable, values [, offset, stride, stat, errmsg]) is inherited.
    procedure :: read_array => read_step_read_array
    !> Without a copy, if it lies in one block of the writer.
    procedure :: view => read_step_view
    procedure :: block_view => read_step_block_view
    procedure :: index => read_step_index
    procedure :: get_attributes => read_step_get_attributes
    procedure :: release => read_step_release
    ! Of its variables.
    procedure :: variables => read_step_variables
    procedure :: has => read_step_has
    procedure :: dtype => read_step_dtype
    procedure :: shape => read_step_shape
    procedure :: unit => read_step_unit
    procedure :: is_local => read_step_is_local
    procedure :: get_variable_attributes => read_step_get_variable_attributes
    procedure :: share => read_step_share
    procedure :: share_of_blocks => read_step_share_of_blocks
    procedure :: blocks => read_step_blocks
    procedure :: block => read_step_block
    final :: read_step_finalise
  end type

  !> Elements where they lie in the writer's memory. Keeps them, and their step's room in the queue, until it is freed.
  type, extends(staithe_memory), public :: staithe_view
  contains
    ! get(values [, stat, errmsg]) is inherited: has a pointer show the elements, which must not be changed.
    procedure :: free => view_free
    final :: view_finalise
  end type

contains

  !> Joins the stream as a reader; every rank of the group does. Waits until the writer group is there.
  subroutine reader_open(reader, stream, group, timeout, overflow, start, resume, program, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    character(*), intent(in) :: stream
    type(staithe_group), intent(in), optional :: group
    real(real64), intent(in), optional :: timeout
    character(*), intent(in), optional :: overflow, program
    integer(int64), intent(in), optional :: start
    logical, intent(in), optional :: resume
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_reader_options) :: options
    character(kind=c_char), allocatable, target :: policy(:), shown(:)

    call reader%free()
    call c_reader_options_init(options, c_sizeof(options))
    if (present(group)) options%group = group_to_c(group)
    options%timeout = seconds(timeout)
    if (present(overflow)) then
      policy = chars_of(overflow)
      options%overflow = c_loc(policy)
    end if
    if (present(start)) options%start = start
    if (present(resume)) options%resume = merge(1_c_int32_t, 0, resume)
    if (present(program)) then
      shown = chars_of(program)
      options%program = c_loc(shown)
    end if
    call conclude(c_reader_open(chars_of(stream), options, reader%handle), stat, errmsg)
  end subroutine

  !> Releases the step, and takes the next complete one; false when the stream has ended, or on an error with `stat`.
  logical function reader_next(reader, step, timeout, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    type(staithe_read_step), intent(inout) :: step
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call step%release()
    call conclude(c_reader_next(reader%handle, seconds(timeout), step%handle), stat, errmsg)
    reader_next = step%exists()
  end function

  subroutine reader_pause(reader, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_reader_pause(reader%handle), stat, errmsg)
  end subroutine

  subroutine reader_resume(reader, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_reader_resume(reader%handle), stat, errmsg)
  end subroutine

  subroutine reader_follow_latest(reader, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_reader_follow_latest(reader%handle), stat, errmsg)
  end subroutine

  !> Leaves the stream. The step that was taken last stays good.
  subroutine reader_close(reader, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_reader_close(reader%handle), stat, errmsg)
  end subroutine

  subroutine reader_free(reader)
    class(staithe_reader), intent(inout) :: reader

    call c_reader_free(reader%handle)
  end subroutine

  subroutine reader_finalise(reader)
    type(staithe_reader), intent(inout) :: reader

    call reader%free()
  end subroutine

  function reader_name(reader) result(name)
    class(staithe_reader), intent(in) :: reader
    character(:), allocatable :: name
    type(c_ptr) :: text

    call conclude(c_reader_name(reader%handle, text))
    name = text_of(text)
  end function

  type(staithe_group) function reader_group(reader)
    class(staithe_reader), intent(in) :: reader
    type(c_group) :: group

    call conclude(c_reader_group(reader%handle, group))
    reader_group = group_of(group)
  end function

  !> Size of the writer group.
  integer function reader_writers(reader)
    class(staithe_reader), intent(in) :: reader
    integer(c_int32_t) :: writers

    call conclude(c_reader_writers(reader%handle, writers))
    reader_writers = writers
  end function

  !> A copy of the stream's attributes.
  subroutine reader_get_attributes(reader, attributes, stat, errmsg)
    class(staithe_reader), intent(in) :: reader
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%free()
    call conclude(c_reader_attributes(reader%handle, attributes%handle), stat, errmsg)
  end subroutine

  !> steps, pinned, wait_seconds, dropped.
  type(c_reader_statistics) function reader_statistics(reader)
    class(staithe_reader), intent(in) :: reader

    call conclude(c_reader_get_statistics(reader%handle, reader_statistics, c_sizeof(reader_statistics)))
  end function

  !> Copies to an array: the whole variable, whose shape it must have; or the part of its own shape that begins at
  !> `offset` and takes every `stride`-th element.
  subroutine read_step_read_array(step, variable, array, offset, stride, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    type(c_ptr) :: handle
    integer(c_int32_t) :: status
    integer :: n

    n = array%dimensions
    if (.not. numbers_fit(n, offset, stride, stat, errmsg)) return
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_select_all(handle, selection)
    if (status == STAITHE_OK) then
      if (selection%dimensions /= n .or. (.not. present(offset) .and. .not. present(stride) .and. &
                                          any(selection%count(:n) /= array%shape(:n)))) then
        call c_variable_free(handle)
        call fail(STAITHE_INVALID_ARGUMENT, 'variable ''' // trim(variable) // ''' has the shape ' // &
                  shape_text(selection%count(:selection%dimensions)) // ', the array ' // shape_text(array%shape(:n)) // &
                  ': to read a part, say where it begins (offset=)', stat, errmsg)
        return
      end if
      if (present(offset)) selection%start(:n) = offset
      if (present(stride)) selection%step(:n) = stride
      selection%count(:n) = array%shape(:n)
      status = c_variable_read(handle, selection, array%dtype, array%data, array%strides)
    end if
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end subroutine

  !> The whole variable, or the box of shape `count` at `offset`; empty if it does not lie in one block.
  subroutine read_step_view(step, variable, view, offset, count, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_view), intent(inout) :: view
    integer(int64), intent(in), optional :: offset(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    type(c_ptr) :: handle
    integer(c_int32_t) :: status
    integer :: n

    call view%free()
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_select_all(handle, selection)
    if (status == STAITHE_OK) then
      n = int(selection%dimensions)
      if (.not. numbers_fit(n, offset, count, stat, errmsg)) then
        call c_variable_free(handle)
        return
      end if
      if (present(offset)) selection%start(:n) = offset
      if (present(count)) selection%count(:n) = count
      status = c_variable_view(handle, selection, view%handle)
    end if
    if (status == STAITHE_OK .and. view%exists()) status = c_view_array(view%handle, view%array)
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end subroutine

  !> Block `number` of the variable, counted from 1.
  subroutine read_step_block_view(step, variable, number, view, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(in) :: number
    type(staithe_view), intent(inout) :: view
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: status

    call view%free()
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_block_view(handle, int(number - 1, int64), view%handle)
    if (status == STAITHE_OK) status = c_view_array(view%handle, view%array)
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine view_free(view)
    class(staithe_view), intent(inout) :: view

    call c_view_free(view%handle)
  end subroutine

  subroutine view_finalise(view)
    type(staithe_view), intent(inout) :: view

    call view%free()
  end subroutine

  !> The step's number, counted from 0.
  integer(int64) function read_step_index(step)
    class(staithe_read_step), intent(in) :: step

    call conclude(c_read_step_index(step%handle, read_step_index))
  end function

  !> A copy of the step's attributes.
  subroutine read_step_get_attributes(step, attributes, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%free()
    call conclude(c_read_step_attributes(step%handle, attributes%handle), stat, errmsg)
  end subroutine

  subroutine read_step_release(step)
    class(staithe_read_step), intent(inout) :: step

    call c_read_step_release(step%handle)
  end subroutine

  subroutine read_step_finalise(step)
    type(staithe_read_step), intent(inout) :: step

    call step%release()
  end subroutine

  !> The names of its variables, padded to the longest.
  function read_step_variables(step) result(list)
    class(staithe_read_step), intent(in) :: step
    character(:), allocatable :: list(:)
    type(c_ptr) :: names

    call conclude(c_read_step_variables(step%handle, names))
    list = texts_of(names)
  end function

  logical function read_step_has(step, variable)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(c_ptr) :: handle

    read_step_has = c_read_step_variable(step%handle, chars_of(variable), handle) == STAITHE_OK
    call c_variable_free(handle)
  end function

  !> STAITHE_F64, …; -1 on an error with `stat`.
  integer(c_int32_t) function read_step_dtype(step, variable, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int32_t) :: status

    read_step_dtype = -1
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_dtype(handle, read_step_dtype)
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end function

  !> Of the whole variable. Of a local array: that of its only block, an error if it has several.
  function read_step_shape(step, variable, stat, errmsg) result(shape)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: shape(:)
    integer(c_int64_t) :: room(STAITHE_MAX_DIMENSIONS)
    integer(c_int32_t) :: dimensions, status
    type(c_ptr) :: handle

    dimensions = 0
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_shape(handle, dimensions, room)
    call c_variable_free(handle)
    shape = room(:dimensions)
    call conclude(status, stat, errmsg)
  end function

  function read_step_unit(step, variable, stat, errmsg) result(unit)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: unit
    integer(c_int32_t) :: status
    type(c_ptr) :: handle, text

    unit = ''
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_unit(handle, text)
    if (status == STAITHE_OK) unit = text_of(text)
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end function

  !> A local array of each writer rank, rather than one global array.
  logical function read_step_is_local(step, variable, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, answer
    type(c_ptr) :: handle

    answer = 0
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_is_local(handle, answer)
    call c_variable_free(handle)
    read_step_is_local = answer /= 0
    call conclude(status, stat, errmsg)
  end function

  !> A copy of the variable's attributes.
  subroutine read_step_get_variable_attributes(step, variable, attributes, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: handle

    call attributes%free()
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_attributes(handle, attributes%handle)
    call c_variable_free(handle)
    call conclude(status, stat, errmsg)
  end subroutine

  !> Where one rank's part of the variable lies under STAITHE_SHARE_BLOCK, _COUNT or _ROUND, for `read`.
  subroutine read_step_share(step, variable, share, group, offset, count, stride, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer(c_int32_t), intent(in) :: share
    type(staithe_group), intent(in) :: group
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    integer(int64), allocatable, intent(inout), optional :: stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    integer(c_int32_t) :: status
    type(c_ptr) :: handle

    selection%dimensions = 0
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_select_share(handle, share, group_to_c(group), selection)
    call c_variable_free(handle)
    offset = selection%start(:selection%dimensions)
    count = selection%count(:selection%dimensions)
    if (present(stride)) stride = selection%step(:selection%dimensions)
    call conclude(status, stat, errmsg)
  end subroutine

  !> The numbers of one rank's blocks under STAITHE_SHARE_PROCESS.
  function read_step_share_of_blocks(step, variable, group, stat, errmsg) result(numbers)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_group), intent(in) :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer, allocatable :: numbers(:)
    integer(int64), allocatable :: indices(:)
    integer(int64) :: blocks
    integer(c_size_t) :: count
    integer(c_int32_t) :: status
    type(c_ptr) :: handle

    blocks = 0
    count = 0
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_block_count(handle, blocks)
    allocate (indices(blocks))
    if (status == STAITHE_OK) then
      status = c_variable_share_of_blocks(handle, group_to_c(group), indices, size(indices, kind=c_size_t), count)
    end if
    call c_variable_free(handle)
    numbers = int(indices(:count)) + 1
    call conclude(status, stat, errmsg)
  end function

  !> How many blocks the variable has.
  integer function read_step_blocks(step, variable, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: count
    integer(c_int32_t) :: status
    type(c_ptr) :: handle

    count = 0
    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_block_count(handle, count)
    call c_variable_free(handle)
    read_step_blocks = int(count)
    call conclude(status, stat, errmsg)
  end function

  !> Which rank of the writer group put block `number`, counted from 1, and which box it is.
  subroutine read_step_block(step, variable, number, rank, offset, count, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer, intent(in) :: number
    integer, intent(inout) :: rank
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_block) :: block
    integer(c_int32_t) :: status
    type(c_ptr) :: handle

    status = c_read_step_variable(step%handle, chars_of(variable), handle)
    if (status == STAITHE_OK) status = c_variable_block(handle, int(number - 1, int64), block)
    call c_variable_free(handle)
    if (status == STAITHE_OK) then
      rank = block%rank
      offset = block%offset(:block%dimensions)
      count = block%count(:block%dimensions)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> Whether there is a number for each dimension wherever there are any; fails if not.
  logical function numbers_fit(dimensions, first, second, stat, errmsg)
    integer, intent(in) :: dimensions
    integer(int64), intent(in), optional :: first(:), second(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    numbers_fit = .true.
    if (present(first)) numbers_fit = size(first) == dimensions
    if (present(second)) numbers_fit = numbers_fit .and. size(second) == dimensions
    if (.not. numbers_fit) then
      call fail(STAITHE_INVALID_ARGUMENT, 'a selection needs a number for each dimension, of which there are ' // &
                number(int(dimensions, int64)), stat, errmsg)
    end if
  end function

  !> (3, 4)
  function shape_text(shape) result(text)
    integer(int64), intent(in) :: shape(:)
    character(:), allocatable :: text
    integer :: i

    text = '('
    do i = 1, size(shape)
      if (i > 1) text = text // ', '
      text = text // number(shape(i))
    end do
    text = text // ')'
  end function

end module
