! Reductions over steps: staithe_running_reduction.
module staithe_running_reductions
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_c
  use staithe_generics, only: staithe_accumulating, staithe_array
  use staithe_reading_streams, only: staithe_read_step
  use staithe_step_variables, only: take_view, variable_of_step
  use staithe_support
  implicit none
  private

  !> What becomes of the elements of many steps, as they come: such as the mean of a field over time. Keeps no step, and
  !> none of its elements.
  type, extends(staithe_accumulating), public :: staithe_running_reduction
  contains
    ! result(values [, stat, errmsg]) is inherited.
    procedure :: result_array => running_result_array
    procedure :: begin => running_begin
    procedure :: add => running_add
    procedure :: steps => running_steps
    procedure :: free => running_free
    final :: running_finalise
  end type

contains

  !> `how` and `dims` are as for `reduce` of a step. With `elementwise` in the place of `dims` none goes: each element has a
  !> result of its own, over time. Without both all elements of all steps have one. What was added before is forgotten.
  subroutine running_begin(reduction, how, dims, elementwise, stat, errmsg)
    class(staithe_running_reduction), intent(inout) :: reduction
    character(*), intent(in) :: how
    integer, intent(in), optional :: dims(:)
    logical, intent(in), optional :: elementwise
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: axes(:)
    type(c_ptr) :: gone

    call reduction%free()
    if (.not. axes_fit(axes, gone, dims, stat, errmsg)) return
    if (present(elementwise)) then
      if (elementwise .and. present(dims)) then
        call fail(STAITHE_INVALID_ARGUMENT, 'give dims, or elementwise: not both', stat, errmsg)
        return
      end if
      if (elementwise) gone = c_loc(axes)  ! an empty dims would do, but compilers take [integer ::] for none at all
    end if
    call conclude(c_running_reduction_create(chars_of(how), gone, size(axes, kind=c_size_t) - 1_c_size_t, &
                                             reduction%handle), stat, errmsg)
  end subroutine

  !> Adds a variable, or what is derived of some: "name = expression"; or the part of shape `count` that begins at `offset`
  !> and takes every `stride`-th element. Along the dimensions that go there may be another number of elements each time.
  subroutine running_add(reduction, step, variable, offset, count, stride, stat, errmsg)
    class(staithe_running_reduction), intent(inout) :: reduction
    class(staithe_read_step), intent(in) :: step
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: offset(:), count(:), stride(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: selection
    type(variable_of_step) :: found

    if (.not. found%find_part(selection, step, variable, offset, count, stride, stat, errmsg)) return
    call conclude(c_running_reduction_add(reduction%handle, found%handle, selection), stat, errmsg)
  end subroutine

  !> Copies what has become of all that was added so far to an array, which must have its shape.
  subroutine running_result_array(reduction, array, stat, errmsg)
    class(staithe_running_reduction), intent(in) :: reduction
    type(staithe_array), intent(in) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: view
    integer(c_int32_t) :: status

    status = c_running_reduction_result(reduction%handle, view)
    call take_view(status, view, 'the running reduction', array, stat, errmsg)
  end subroutine

  !> How many times something was added.
  integer(int64) function running_steps(reduction)
    class(staithe_running_reduction), intent(in) :: reduction

    call conclude(c_running_reduction_steps(reduction%handle, running_steps))
  end function

  subroutine running_free(reduction)
    class(staithe_running_reduction), intent(inout) :: reduction

    call c_running_reduction_free(reduction%handle)
  end subroutine

  subroutine running_finalise(reduction)
    type(staithe_running_reduction), intent(inout) :: reduction

    call reduction%free()
  end subroutine

end module
