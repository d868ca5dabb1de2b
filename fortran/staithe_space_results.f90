! What spaces give: staithe_space_array, staithe_space_version, staithe_box, staithe_hits.
module staithe_space_results
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_memory
  use staithe_support
  implicit none
  private
  public :: box_fits, shown, take_boxes, take_version

  !> What was got of a version of a variable, where it lies. Stays until it is freed, whatever becomes of the version.
  type, extends(staithe_memory), public :: staithe_space_array
  contains
    ! get(values [, stat, errmsg]) is inherited: has a pointer show the elements, which must not be changed.
    procedure :: version => array_version
    procedure :: dtype => array_dtype
    !> Of the whole variable.
    procedure :: shape => array_shape
    procedure :: box => array_box
    procedure :: unit => array_unit
    procedure :: get_attributes => array_get_attributes
    !> Gives the elements back; pointers to them are no good any more.
    procedure :: free => array_free
    final :: array_finalise
  end type

  !> A version of a variable, as it was when it was listed.
  type, public :: staithe_space_version
    integer(int64) :: version = 0
    logical :: complete = .false.
    integer(int64) :: blocks = 0
    integer(int64) :: bytes = 0
    integer(c_int32_t) :: dtype = STAITHE_U8
    integer(int64), allocatable :: shape(:)
    character(:), allocatable :: unit
    !> Its place among all versions that have become complete in the space, from 1 on; 0 as long as it is not. Its number
    !> may be another's once it is removed, this never is.
    integer(int64) :: completion = 0
  end type

  !> Which part of a variable: a block of shape `count` that begins at `offset`.
  type, public :: staithe_box
    integer(int64), allocatable :: offset(:)
    integer(int64), allocatable :: count(:)
  end type

  !> Where a condition holds: boxes of elements that all match.
  type, extends(staithe_handle), public :: staithe_hits
  contains
    procedure :: version => hits_version
    !> How many elements match, in all.
    procedure :: elements => hits_elements
    !> How many boxes there are.
    procedure :: boxes => hits_boxes
    procedure :: box => hits_box
    procedure :: variables => hits_variables
    procedure :: completion => hits_completion
    procedure :: free => hits_free
    final :: hits_finalise
  end type

contains

  !> The box of shape `count` at `offset`, as C takes it; at the beginning without an offset.
  type(c_selection) function box_at(offset, count)
    integer(int64), intent(in), optional :: offset(:)
    integer(int64), intent(in) :: count(:)
    integer :: n

    n = size(count)
    box_at%dimensions = n
    box_at%start = 0
    if (present(offset)) box_at%start(:n) = offset
    box_at%step = 1
    box_at%count = 0
    box_at%count(:n) = count
  end function

  !> Makes the box of shape `count` at `offset`, and what shows it to C: NULL if there is none. Fails, and is false, if the
  !> two do not go together.
  logical function box_fits(box, wanted, offset, count, stat, errmsg)
    type(c_selection), intent(inout), target :: box
    type(c_ptr), intent(out) :: wanted
    integer(int64), intent(in), optional :: offset(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    wanted = c_null_ptr
    box_fits = .true.
    if (present(count)) then
      box_fits = numbers_fit('offset and count', min(size(count), int(STAITHE_MAX_DIMENSIONS)), offset, count, stat, errmsg)
      if (.not. box_fits) return
      box = box_at(offset, count)
      wanted = c_loc(box)
    else if (present(offset)) then
      box_fits = .false.
      call fail(STAITHE_INVALID_ARGUMENT, 'an offset needs the shape of the part beside it (count=)', stat, errmsg)
    end if
  end function

  !> A version as C lists it.
  subroutine take_version(version, listed)
    type(staithe_space_version), intent(inout) :: version
    type(c_space_version), intent(in) :: listed

    version%version = listed%version
    version%complete = listed%complete /= 0
    version%blocks = listed%blocks
    version%bytes = listed%bytes
    version%dtype = listed%dtype
    version%shape = listed%shape(:listed%dimensions)
    version%unit = text_of(listed%unit)
    version%completion = listed%completion
  end subroutine

  !> The list of boxes that C gave away; empty if it gave none.
  subroutine take_boxes(list, boxes)
    type(staithe_box), allocatable, intent(out) :: list(:)
    type(c_ptr), intent(inout) :: boxes
    type(c_selection) :: box
    integer(int64) :: count, i

    count = 0
    if (c_associated(boxes)) call conclude(c_boxes_count(boxes, count))
    allocate (list(count))
    do i = 1, count
      call conclude(c_boxes_get(boxes, i - 1, box))
      list(i)%offset = box%start(:box%dimensions)
      list(i)%count = box%count(:box%dimensions)
    end do
    call c_boxes_free(boxes)
  end subroutine

  !> Has an array that was got know where its elements lie; the status of that.
  integer(c_int32_t) function shown(array) result(status)
    type(staithe_space_array), intent(inout) :: array
    type(c_ptr) :: view

    status = c_space_array_view(array%handle, view)
    if (status == STAITHE_OK) then
      status = c_view_array(view, array%array)
      call c_view_free(view)
    end if
  end function

  integer(int64) function array_version(array)
    class(staithe_space_array), intent(in) :: array

    array_version = 0
    call conclude(c_space_array_version(array%handle, array_version))
  end function

  !> STAITHE_F64, …
  integer(c_int32_t) function array_dtype(array)
    class(staithe_space_array), intent(in) :: array

    array_dtype = -1
    call conclude(c_space_array_dtype(array%handle, array_dtype))
  end function

  function array_shape(array) result(shape)
    class(staithe_space_array), intent(in) :: array
    integer(int64), allocatable :: shape(:)
    integer(c_int64_t) :: room(STAITHE_MAX_DIMENSIONS)
    integer(c_int32_t) :: dimensions

    dimensions = 0
    call conclude(c_space_array_shape(array%handle, dimensions, room))
    shape = room(:dimensions)
  end function

  !> Which part of the variable this is.
  subroutine array_box(array, offset, count)
    class(staithe_space_array), intent(in) :: array
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    type(c_selection) :: box

    call conclude(c_space_array_box(array%handle, box))
    offset = box%start(:box%dimensions)
    count = box%count(:box%dimensions)
  end subroutine

  function array_unit(array) result(unit)
    class(staithe_space_array), intent(in) :: array
    character(:), allocatable :: unit
    type(c_ptr) :: text

    call conclude(c_space_array_unit(array%handle, text))
    unit = text_of(text)
  end function

  !> A copy of the version's attributes.
  subroutine array_get_attributes(array, attributes, stat, errmsg)
    class(staithe_space_array), intent(in) :: array
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%free()
    call conclude(c_space_array_attributes(array%handle, attributes%handle), stat, errmsg)
  end subroutine

  subroutine array_free(array)
    class(staithe_space_array), intent(inout) :: array

    call c_space_array_free(array%handle)
  end subroutine

  subroutine array_finalise(array)
    type(staithe_space_array), intent(inout) :: array

    call array%free()
  end subroutine

  !> The version that was looked at.
  integer(int64) function hits_version(hits)
    class(staithe_hits), intent(in) :: hits

    hits_version = 0
    call conclude(c_hits_version(hits%handle, hits_version))
  end function

  integer(int64) function hits_elements(hits)
    class(staithe_hits), intent(in) :: hits

    hits_elements = 0
    call conclude(c_hits_elements(hits%handle, hits_elements))
  end function

  integer(int64) function hits_boxes(hits)
    class(staithe_hits), intent(in) :: hits

    hits_boxes = 0
    call conclude(c_hits_count(hits%handle, hits_boxes))
  end function

  !> Box `number`, counted from 1.
  subroutine hits_box(hits, number, offset, count, stat, errmsg)
    class(staithe_hits), intent(in) :: hits
    integer(int64), intent(in) :: number
    integer(int64), allocatable, intent(inout) :: offset(:), count(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_selection) :: box
    integer(c_int32_t) :: status

    status = c_hits_box(hits%handle, number - 1, box)
    if (status == STAITHE_OK) then
      offset = box%start(:box%dimensions)
      count = box%count(:box%dimensions)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> The variables that the condition names, padded to the longest.
  function hits_variables(hits) result(list)
    class(staithe_hits), intent(in) :: hits
    character(:), allocatable :: list(:)
    type(c_ptr) :: names

    call conclude(c_hits_variables(hits%handle, names))
    list = texts_of(names)
  end function

  !> The completion of the version that was looked at, of variable `number` of these, counted from 1: `get` with it fails
  !> when that version was removed since.
  integer(int64) function hits_completion(hits, number, stat, errmsg)
    class(staithe_hits), intent(in) :: hits
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    hits_completion = 0
    call conclude(c_hits_completion(hits%handle, int(number - 1, int64), hits_completion), stat, errmsg)
  end function

  subroutine hits_free(hits)
    class(staithe_hits), intent(inout) :: hits

    call c_hits_free(hits%handle)
  end subroutine

  subroutine hits_finalise(hits)
    type(staithe_hits), intent(inout) :: hits

    call hits%free()
  end subroutine

end module
