! What there is of a space: the part of staithe_space that lists, removes, sums up, and finds where a condition holds.
module staithe_space_contents
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_generics, only: staithe_array, staithe_storing
  use staithe_space_results
  use staithe_support, given_seconds => seconds
  implicit none
  private

  !> A space, as far as it says what it has.
  type, abstract, extends(staithe_storing), public :: staithe_keeping
  contains
    procedure :: names => space_names
    procedure :: containers => space_containers
    procedure :: set_attributes => space_set_attributes
    procedure :: get_attributes => space_get_attributes
    procedure :: versions => space_versions
    procedure :: get_version_attributes => space_get_version_attributes
    procedure :: remove => space_remove
    procedure :: remove_container => space_remove_container
    procedure :: keep => space_keep
    procedure :: query => space_query
    procedure :: reduce_array => space_reduce_array
    procedure :: blocks => space_blocks
  end type

  !> Versions that C lists, freed when the procedure returns that has asked for them.
  type, extends(staithe_handle) :: version_list
  contains
    final :: list_finalise
  end type

contains

  !> The names of variables that match a pattern, in which * stands for any text and ? for one letter; padded to the
  !> longest.
  function space_names(space, pattern, stat, errmsg) result(list)
    class(staithe_keeping), intent(in) :: space
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
    class(staithe_keeping), intent(in) :: space
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
    class(staithe_keeping), intent(inout) :: space
    character(*), intent(in) :: path
    type(staithe_attributes), intent(in) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_space_set_attributes(space%handle, chars_of(path), attributes%handle), stat, errmsg)
  end subroutine

  !> A copy of them.
  subroutine space_get_attributes(space, path, attributes, stat, errmsg)
    class(staithe_keeping), intent(in) :: space
    character(*), intent(in) :: path
    type(staithe_attributes), intent(inout) :: attributes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%free()
    call conclude(c_space_attributes(space%handle, chars_of(path), attributes%handle), stat, errmsg)
  end subroutine

  !> The versions of a variable, oldest first; incomplete ones, too.
  function space_versions(space, variable, stat, errmsg) result(list)
    class(staithe_keeping), intent(in) :: space
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
    class(staithe_keeping), intent(in) :: space
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
    class(staithe_keeping), intent(inout) :: space
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

  !> All variables in a container, and the attributes of it and of whatever is in it; of '', all that the space has.
  !> `removed` tells how many variables these were: 0 if there is no such container.
  subroutine space_remove_container(space, path, removed, stat, errmsg)
    class(staithe_keeping), intent(inout) :: space
    character(*), intent(in) :: path
    integer(int64), intent(inout), optional :: removed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: number
    integer(c_int32_t) :: status

    status = c_space_remove_container(space%handle, chars_of(path), number)
    if (present(removed) .and. status == STAITHE_OK) removed = number
    call conclude(status, stat, errmsg)
  end subroutine

  !> Which of the variable's complete versions are kept from now on: so many of the newest, that take so many bytes
  !> together, of the last so many seconds. The newest always stays, and so does what somebody holds or waits for.
  subroutine space_keep(space, variable, versions, bytes, seconds, stat, errmsg)
    class(staithe_keeping), intent(inout) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: versions, bytes
    real(real64), intent(in), optional :: seconds
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_space_keep(space%handle, chars_of(variable), given_number(versions), given_number(bytes), &
                               given_seconds(seconds)), stat, errmsg)
  end subroutine

  !> Where a condition holds, such as 'T > 300 and run == "a12"', in the newest version that all its variables have
  !> complete, or the one that is named. Gives at most so many boxes as `most` says, the first ones.
  subroutine space_query(space, condition, hits, version, most, stat, errmsg)
    class(staithe_keeping), intent(in) :: space
    character(*), intent(in) :: condition
    type(staithe_hits), intent(inout) :: hits
    integer(int64), intent(in), optional :: version, most
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call hits%free()
    call conclude(c_space_query(space%handle, chars_of(condition), given_number(version), given_number(most), hits%handle), &
                  stat, errmsg)
  end subroutine

  !> Copies what becomes of the elements to an array, whose shape is that of the dimensions that stay.
  subroutine space_reduce_array(space, variable, how, array, dims, offset, count, version, timeout, got_version, stat, &
                                errmsg)
    class(staithe_keeping), intent(in) :: space
    character(*), intent(in) :: variable, how
    type(staithe_array), intent(in) :: array
    integer, intent(in), optional :: dims(:)
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer(int64), intent(inout), optional :: got_version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: axes(:)
    integer(int64) :: shape(STAITHE_MAX_DIMENSIONS), number
    type(staithe_space_array) :: reduced
    type(c_selection), target :: box
    type(c_ptr) :: wanted, gone
    integer(c_int32_t) :: status, n

    if (.not. box_fits(box, wanted, offset, count, stat, errmsg)) return
    if (.not. axes_fit(axes, gone, dims, stat, errmsg)) return
    status = c_space_reduce(space%handle, chars_of(variable), chars_of(how), gone, size(axes, kind=c_size_t) - 1_c_size_t, &
                            given_number(version), wanted, given_seconds(timeout), reduced%handle)
    if (status == STAITHE_OK) status = c_space_array_shape(reduced%handle, n, shape)
    if (status == STAITHE_OK) then
      if (.not. is_of_shape(array%shape(:array%dimensions), 'the ' // trim(how) // ' of ''' // trim(variable) // '''', &
                            shape(:n), stat, errmsg)) return
      status = c_space_array_read(reduced%handle, array%dtype, array%data, array%strides)
    end if
    if (status == STAITHE_OK) status = c_space_array_version(reduced%handle, number)
    if (present(got_version) .and. status == STAITHE_OK) got_version = number
    call conclude(status, stat, errmsg)
  end subroutine

  !> The pieces that `get` would put together: disjoint, each in one block, so that to get it is no copy. What nobody has
  !> put is in none.
  function space_blocks(space, variable, offset, count, version, timeout, stat, errmsg) result(list)
    class(staithe_keeping), intent(in) :: space
    character(*), intent(in) :: variable
    integer(int64), intent(in), optional :: offset(:), count(:), version
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(staithe_box), allocatable :: list(:)
    type(c_selection), target :: box
    type(c_ptr) :: wanted, boxes
    integer(c_int32_t) :: status

    allocate (list(0))
    if (.not. box_fits(box, wanted, offset, count, stat, errmsg)) return
    status = c_space_blocks(space%handle, chars_of(variable), given_number(version), wanted, given_seconds(timeout), boxes)
    call take_boxes(list, boxes)
    call conclude(status, stat, errmsg)
  end function

end module
