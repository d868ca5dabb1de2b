! Reading a stream: staithe_reader, staithe_read_step, staithe_view.
module staithe_reading_streams
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array, staithe_memory
  use staithe_step_variables, only: staithe_describing, take_view, variable_of_step
  use staithe_support
  implicit none
  private

  !> One rank's end of a stream that is read.
  type, extends(staithe_handle), public :: staithe_reader
  contains
    procedure :: open => reader_open
    !> `do while (reader%next(step))`: the steps, until the stream ends.
    procedure :: next => reader_next
    !> Passes by what is published until `resume`, and no longer fills the writer's queue.
    procedure :: pause => reader_pause
    !> Takes steps again, from the next one on that is published.
    procedure :: resume => reader_resume
    !> From here on the next step is the newest one.
    procedure :: follow_latest => reader_follow_latest
    procedure :: close => reader_close
    !> Leaves the stream, if it was not closed.
    procedure :: free => reader_free
    !> The stream's name.
    procedure :: name => reader_name
    !> This rank, and how many ranks read together.
    procedure :: group => reader_group
    procedure :: writers => reader_writers
    procedure :: get_attributes => reader_get_attributes
    procedure :: statistics => reader_statistics
    final :: reader_finalise
  end type

  !> A complete step. It keeps its room in the writer's queue until the next one is taken, or it is released.
  type, extends(staithe_describing), public :: staithe_read_step
  contains
    ! read(variable, values [, offset, stride, stat, errmsg]) is inherited, and so are
    ! reduce(variable, how, values [, dims, offset, count, stride, stat, errmsg]) and what describes the variables.
    ! In place of a variable all take "name = expression", as "speed = sqrt(u**2 + v**2)": what is computed of variables.
    procedure :: read_array => read_step_read_array
    procedure :: reduce_array => read_step_reduce_array
    !> Without a copy, if it lies in one block of the writer.
    procedure :: view => read_step_view
    procedure :: block_view => read_step_block_view
    procedure :: index => read_step_index
    procedure :: get_attributes => read_step_get_attributes
    !> Gives the step back before the next one is taken.
    procedure :: release => read_step_release
    final :: read_step_finalise
  end type

  !> Elements where they lie in the writer's memory. Keeps them, and their step's room in the queue, until it is freed.
  type, extends(staithe_memory), public :: staithe_view
  contains
    ! get(values [, stat, errmsg]) is inherited: has a pointer show the elements, which must not be changed.
    !> Gives the elements back; pointers to them are no good any more.
    procedure :: free => view_free
    final :: view_finalise
  end type

contains

  !> Joins the stream as a reader; every rank of the group does. Waits until the writer group is there.
  subroutine reader_open(reader, stream, group, timeout, overflow, start, resume, program, placement, listen, address, &
                         error, codec, derive, history, stat, errmsg)
    class(staithe_reader), intent(inout) :: reader
    character(*), intent(in) :: stream
    type(staithe_group), intent(in), optional :: group
    real(real64), intent(in), optional :: timeout
    character(*), intent(in), optional :: overflow, program, placement, listen, address, error, codec, derive, history
    integer(int64), intent(in), optional :: start
    logical, intent(in), optional :: resume
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_reader_options) :: options
    character(kind=c_char), allocatable, target :: policy(:), shown(:), place(:), port(:), host(:), bounds(:), coded(:), &
      defined(:), recorded(:)

    call reader%free()
    call c_reader_options_init(options, c_sizeof(options))
    if (present(group)) options%group = group_to_c(group)
    options%timeout = seconds(timeout)
    options%overflow = given_text(overflow, policy)
    if (present(start)) options%start = start
    if (present(resume)) options%resume = merge(1_c_int32_t, 0, resume)
    options%program = given_text(program, shown)
    options%placement = given_text(placement, place)
    options%listen = given_text(listen, port)
    options%address = given_text(address, host)
    options%error = given_text(error, bounds)
    options%codec = given_text(codec, coded)
    options%derive = given_text(derive, defined)
    options%history = given_text(history, recorded)
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
  !> `offset` and takes every `stride`-th element. Its dtype is the variable's, or one that has all its values.
  subroutine read_step_read_array(step, variable, array, offset, stride, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    type(variable_of_step) :: found
    integer(c_int32_t) :: status
    integer :: n

    n = array%dimensions
    if (.not. numbers_fit('offset and stride', n, offset, stride, stat, errmsg)) return
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_select_all(found%handle, selection)
    if (status == STAITHE_OK) then
      if (selection%dimensions /= n .or. .not. (present(offset) .or. present(stride))) then
        if (.not. shapes_agree(variable, selection%count(:selection%dimensions), array%shape(:n), stat, errmsg)) return
      end if
      if (present(offset)) selection%start(:n) = offset
      if (present(stride)) selection%step(:n) = stride
      selection%count(:n) = array%shape(:n)
      status = c_variable_read(found%handle, selection, array%dtype, array%data, array%strides)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> Copies what becomes of the elements to an array, whose shape is that of the dimensions that stay.
  subroutine read_step_reduce_array(step, variable, how, array, dims, offset, count, stride, stat, errmsg)
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable, how
    type(staithe_array), intent(in) :: array
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: axes(:)
    type(c_selection) :: selection
    type(variable_of_step) :: found
    type(c_ptr) :: gone, reduced
    integer(c_int32_t) :: status

    if (.not. axes_fit(axes, gone, dims, stat, errmsg)) return
    if (.not. found%find_part(selection, step, variable, offset, count, stride, stat, errmsg)) return
    status = c_variable_reduce(found%handle, chars_of(how), selection, gone, size(axes, kind=c_size_t) - 1_c_size_t, reduced)
    call take_view(status, reduced, 'the ' // trim(how) // ' of ''' // trim(variable) // '''', array, stat, errmsg)
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
    type(variable_of_step) :: found
    integer(c_int32_t) :: status

    call view%free()
    if (.not. found%find_part(selection, step, variable, offset, count, stat=stat, errmsg=errmsg)) return
    status = c_variable_view(found%handle, selection, view%handle)
    if (status == STAITHE_OK .and. view%exists()) status = c_view_array(view%handle, view%array)
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
    type(variable_of_step) :: found
    integer(c_int32_t) :: status

    call view%free()
    status = found%find(step, variable)
    if (status == STAITHE_OK) status = c_variable_block_view(found%handle, int(number - 1, int64), view%handle)
    if (status == STAITHE_OK) status = c_view_array(view%handle, view%array)
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

end module
