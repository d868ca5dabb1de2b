! Spaces: staithe_space.
module staithe_spaces
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array, staithe_storing
  use staithe_space_results
  use staithe_support
  implicit none
  private

  !> A named store of variables in versions, which any program puts to and gets from, in any order.
  type, extends(staithe_storing), public :: staithe_space
  contains
    ! put(variable, values [, offset, shape, version, unit, attributes, complete, overlap, put_version, stat, errmsg]) and
    ! get(variable, values [, offset, version, timeout, stat, errmsg]) are inherited.
    procedure :: open => space_open
    procedure :: put_array => space_put_array
    procedure :: get_array => space_get_array
    procedure, private :: space_get_in_place
    generic :: get => space_get_in_place
    procedure :: names => space_names
    procedure :: containers => space_containers
    procedure :: set_attributes => space_set_attributes
    procedure :: get_attributes => space_get_attributes
    procedure :: versions => space_versions
    procedure :: get_version_attributes => space_get_version_attributes
    procedure :: remove => space_remove
    procedure :: keep => space_keep
    procedure :: query => space_query
    procedure :: name => space_name
    procedure :: kept_by => space_kept_by
    !> Lets go of the space: what a server keeps stays there.
    procedure :: close => space_close
    !> Closes the space, if it was not closed.
    procedure :: free => space_free
    final :: space_finalise
  end type

  !> Versions that C lists, freed when the procedure returns that has asked for them.
  type, extends(staithe_handle) :: version_list
  contains
    final :: list_finalise
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
    type(c_space_put_options) :: options
    integer(int64), allocatable, target :: from(:), whole(:), strides(:)
    character(kind=c_char), allocatable, target :: unit_chars(:)
    integer(int64) :: number
    integer(c_int32_t) :: status

    if (.not. numbers_fit('offset and shape', int(array%dimensions), offset, shape, stat, errmsg)) return
    call c_space_put_options_init(options, c_sizeof(options))
    options%order = STAITHE_COLUMN_MAJOR
    options%offset = given_numbers(offset, from)
    options%shape = given_numbers(shape, whole)
    options%strides = given_numbers(array%strides, strides)
    options%unit = given_text(unit, unit_chars)
    if (present(attributes)) options%attributes = attributes%handle
    if (present(version)) options%version = version
    if (present(complete)) options%complete = merge(1_c_int32_t, 0, complete)
    if (present(overlap)) options%overlap = merge(1_c_int32_t, 0, overlap)
    if (present(persist)) options%persist = merge(1_c_int32_t, 0, persist)
    number = 0
    status = c_space_put(space%handle, chars_of(variable), array%data, array%dtype, array%dimensions, array%shape, &
                         options, number)
    if (present(put_version) .and. status == STAITHE_OK) put_version = number
    call conclude(status, stat, errmsg)
  end subroutine

  !> Copies to an array: the whole variable, whose shape it must have, or the part of its own shape at `offset`.
  subroutine space_get_array(space, variable, array, offset, version, timeout, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_array), intent(in) :: array
    integer(int64), intent(in), optional :: offset(:), version
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(staithe_space_array) :: got
    integer(c_int32_t) :: status
    integer :: n

    n = array%dimensions
    if (.not. numbers_fit('offset', n, offset, stat=stat, errmsg=errmsg)) return
    if (present(offset)) then
      status = find(space, variable, got, version, timeout, box_at(offset, array%shape(:n)))
    else
      status = find(space, variable, got, version, timeout)
      if (status == STAITHE_OK) then
        if (.not. shapes_agree(variable, got%shape(), array%shape(:n), stat, errmsg)) return
      end if
    end if
    if (status == STAITHE_OK) status = c_space_array_read(got%handle, array%dtype, array%data, array%strides)
    call conclude(status, stat, errmsg)
  end subroutine

  !> Without a copy where one block has all: the whole variable, or the box of shape `count` at `offset`.
  subroutine space_get_in_place(space, variable, array, offset, count, version, timeout, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_space_array), intent(inout) :: array
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: view
    integer(c_int32_t) :: status
    integer :: n

    if (present(count)) then
      n = min(size(count), int(STAITHE_MAX_DIMENSIONS))
      if (.not. numbers_fit('offset and count', n, offset, count, stat, errmsg)) return
      status = find(space, variable, array, version, timeout, box_at(offset, count))
    else if (present(offset)) then
      call fail(STAITHE_INVALID_ARGUMENT, 'an offset needs the shape of the part beside it (count=)', stat, errmsg)
      return
    else
      status = find(space, variable, array, version, timeout)
    end if
    if (status == STAITHE_OK) status = c_space_array_view(array%handle, view)
    if (status == STAITHE_OK) then
      status = c_view_array(view, array%array)
      call c_view_free(view)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> The status of getting it.
  integer(c_int32_t) function find(space, variable, array, version, timeout, box) result(status)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    type(staithe_space_array), intent(inout) :: array
    integer(int64), intent(in), optional :: version
    real(real64), intent(in), optional :: timeout
    type(c_selection), intent(in), optional, target :: box
    integer(int64) :: number
    type(c_ptr) :: wanted

    number = STAITHE_UNSET
    if (present(version)) number = version
    wanted = c_null_ptr
    if (present(box)) wanted = c_loc(box)
    call array%free()
    status = c_space_get(space%handle, chars_of(variable), number, wanted, seconds(timeout), array%handle)
  end function

  !> The names of variables that match a pattern, in which * stands for any text and ? for one letter; padded to the
  !> longest.
  function space_names(space, pattern, stat, errmsg) result(list)
    class(staithe_space), intent(in) :: space
    character(*), intent(in), optional :: pattern
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: list(:)
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_int32_t) :: status
    type(c_ptr) :: names

    status = c_space_names(space%handle, given_text(pattern, chars), names)
    list = texts_of(names)
    call conclude(status, stat, errmsg)
  end function

  !> What names of variables have before a '/', and what else was given attributes; padded to the longest.
  function space_containers(space, pattern, stat, errmsg) result(list)
    class(staithe_space), intent(in) :: space
    character(*), intent(in), optional :: pattern
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: list(:)
    character(kind=c_char), allocatable, target :: chars(:)
    integer(c_int32_t) :: status
    type(c_ptr) :: names

    status = c_space_containers(space%handle, given_text(pattern, chars), names)
    list = texts_of(names)
    call conclude(status, stat, errmsg)
  end function

  !> Of a container, of a variable whatever its versions say, or, for '', of the space. What is null is taken away, what
  !> is not named stays.
  subroutine space_set_attributes(space, path, attributes, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: path
    type(staithe_attributes), intent(in) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_space_set_attributes(space%handle, chars_of(path), attributes%handle), stat, errmsg)
  end subroutine

  !> A copy of them.
  subroutine space_get_attributes(space, path, attributes, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: path
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%free()
    call conclude(c_space_attributes(space%handle, chars_of(path), attributes%handle), stat, errmsg)
  end subroutine

  !> The versions of a variable, oldest first; incomplete ones, too.
  function space_versions(space, variable, stat, errmsg) result(list)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(staithe_space_version), allocatable :: list(:)
    type(version_list) :: versions
    type(c_space_version) :: listed
    integer(int64) :: count, i
    integer(c_int32_t) :: status

    count = 0
    status = c_space_versions(space%handle, chars_of(variable), versions%handle)
    if (status == STAITHE_OK) status = c_versions_count(versions%handle, count)
    allocate (list(count))
    do i = 1, count
      if (status == STAITHE_OK) status = c_versions_get(versions%handle, i - 1, listed, c_sizeof(listed))
      if (status == STAITHE_OK) call take_version(list(i), listed)
    end do
    call conclude(status, stat, errmsg)
  end function

  !> A copy of the attributes of a version, which may be incomplete.
  subroutine space_get_version_attributes(space, variable, version, attributes, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in) :: version
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(version_list) :: versions
    type(c_space_version) :: listed
    integer(int64) :: count, i
    integer(c_int32_t) :: status

    call attributes%free()
    count = 0
    status = c_space_versions(space%handle, chars_of(variable), versions%handle)
    if (status == STAITHE_OK) status = c_versions_count(versions%handle, count)
    do i = 0, count - 1
      status = c_versions_get(versions%handle, i, listed, c_sizeof(listed))
      if (status /= STAITHE_OK .or. listed%version /= version) cycle
      call conclude(c_versions_attributes(versions%handle, i, attributes%handle), stat, errmsg)
      return
    end do
    if (status == STAITHE_OK) then
      call fail(STAITHE_NOT_FOUND, 'variable ''' // trim(variable) // ''' has no version ' // number(version), stat, errmsg)
    else
      call conclude(status, stat, errmsg)
    end if
  end subroutine

  subroutine list_finalise(versions)
    type(version_list), intent(inout) :: versions

    call c_versions_free(versions%handle)
  end subroutine

  !> A version, or the whole variable. What somebody holds of it stays until it is let go.
  subroutine space_remove(space, variable, version, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(version)) then
      call conclude(c_space_remove(space%handle, chars_of(variable), version), stat, errmsg)
    else
      call conclude(c_space_remove_variable(space%handle, chars_of(variable)), stat, errmsg)
    end if
  end subroutine

  !> Which of the variable's complete versions are kept from now on: so many of the newest, that take so many bytes
  !> together, of the last so many seconds. The newest always stays, and so does what somebody holds or waits for.
  subroutine space_keep(space, variable, versions, bytes, seconds, stat, errmsg)
    class(staithe_space), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: versions, bytes
    real(real64), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: most_versions, most_bytes
    real(c_double) :: most_seconds

    most_versions = STAITHE_UNSET
    if (present(versions)) most_versions = versions
    most_bytes = STAITHE_UNSET
    if (present(bytes)) most_bytes = bytes
    most_seconds = STAITHE_UNSET
    if (present(seconds)) most_seconds = seconds
    call conclude(c_space_keep(space%handle, chars_of(variable), most_versions, most_bytes, most_seconds), stat, errmsg)
  end subroutine

  !> Where a condition holds, such as 'T > 300 and run == "a12"', in the newest version that all its variables have
  !> complete, or the one that is named. Gives at most so many boxes as `most` says, the first ones.
  subroutine space_query(space, condition, hits, version, most, stat, errmsg)
    class(staithe_space), intent(in) :: space
    character(*), intent(in) :: condition
    type(staithe_hits), intent(inout) :: hits
    integer(int64), intent(in), optional :: version, most
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: wanted, boxes

    wanted = STAITHE_UNSET
    if (present(version)) wanted = version
    boxes = STAITHE_UNSET
    if (present(most)) boxes = most
    call hits%free()
    call conclude(c_space_query(space%handle, chars_of(condition), wanted, boxes, hits%handle), stat, errmsg)
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
