! Attributes: small named values of a stream, a step or a variable.
module staithe_attribute_sets
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use staithe_c
  use staithe_support
  implicit none
  private

  !> Named values: logical, integer, real or text; lists of integers and of reals; anything else as JSON.
  type, extends(staithe_handle), public :: staithe_attributes
  contains
    !> Sets an attribute, in the place of one of that name. A list is an array of one dimension.
    generic :: set => set_logical, set_int32, set_int64, set_real32, set_real64, set_text, &
        set_int32s, set_int64s, set_real32s, set_real64s
    procedure, private :: set_logical, set_int32, set_int64, set_real32, set_real64, set_text
    procedure, private :: set_int32s, set_int64s, set_real32s, set_real64s
    !> Gets an attribute of that kind; an integer counts as a real, too. Texts and lists are allocated.
    generic :: get => get_logical, get_int32, get_int64, get_real32, get_real64, get_text, get_int64s, get_real64s
    procedure, private :: get_logical, get_int32, get_int64, get_real32, get_real64, get_text, get_int64s, get_real64s
    procedure :: set_json
    procedure :: get_json
    !> Whether there is an attribute of that name.
    procedure :: has
    procedure :: kind => kind_of
    procedure :: names => names_of
    !> Forgets all of them.
    procedure :: free => attributes_free
    final :: finalise
  end type

contains

  !> There is a handle once the first attribute is set.
  integer(c_int32_t) function created(attributes)
    class(staithe_attributes), intent(inout) :: attributes

    created = STAITHE_OK
    if (.not. attributes%exists()) created = c_attributes_create(attributes%handle)
  end function

  subroutine set_logical(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) status = c_attributes_set_bool(attributes%handle, chars_of(name), merge(1_c_int32_t, 0, value))
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine set_int32(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%set(name, int(value, int64), stat, errmsg)
  end subroutine

  subroutine set_int64(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) status = c_attributes_set_int(attributes%handle, chars_of(name), value)
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine set_real32(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    real(real32), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%set(name, real(value, real64), stat, errmsg)
  end subroutine

  subroutine set_real64(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) status = c_attributes_set_double(attributes%handle, chars_of(name), value)
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine set_text(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) status = c_attributes_set_string(attributes%handle, chars_of(name), chars_of(value))
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine set_int32s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    integer(int32), intent(in) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%set(name, int(values, int64), stat, errmsg)
  end subroutine

  subroutine set_int64s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    integer(int64), intent(in) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) then
      status = c_attributes_set_ints(attributes%handle, chars_of(name), values, size(values, kind=c_size_t))
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine set_real32s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    real(real32), intent(in) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call attributes%set(name, real(values, real64), stat, errmsg)
  end subroutine

  subroutine set_real64s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name
    real(real64), intent(in) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) then
      status = c_attributes_set_doubles(attributes%handle, chars_of(name), values, size(values, kind=c_size_t))
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> Any value, as JSON: lists, maps, null.
  subroutine set_json(attributes, name, json, stat, errmsg)
    class(staithe_attributes), intent(inout) :: attributes
    character(*), intent(in) :: name, json
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    status = created(attributes)
    if (status == STAITHE_OK) status = c_attributes_set_json(attributes%handle, chars_of(name), chars_of(json))
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine get_logical(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    logical, intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status, found

    status = c_attributes_get_bool(attributes%handle, chars_of(name), found)
    if (status == STAITHE_OK) value = found /= 0
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine get_int32(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer(int32), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    integer(int64) :: found

    found = 0
    status = c_attributes_get_int(attributes%handle, chars_of(name), found)
    if (abs(found) > huge(value)) then
      call fail(STAITHE_INVALID_ARGUMENT, 'attribute ''' // trim(name) // ''' is ' // number(found) // &
                ': get it into an integer(int64)', stat, errmsg)
      return
    end if
    if (status == STAITHE_OK) value = int(found, int32)
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine get_int64(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer(int64), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_attributes_get_int(attributes%handle, chars_of(name), value), stat, errmsg)
  end subroutine

  subroutine get_real32(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    real(real32), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: found

    found = value
    call attributes%get(name, found, stat, errmsg)
    value = real(found, real32)
  end subroutine

  subroutine get_real64(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    real(real64), intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_attributes_get_double(attributes%handle, chars_of(name), value), stat, errmsg)
  end subroutine

  subroutine get_text(attributes, name, value, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    character(:), allocatable, intent(inout) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status
    type(c_ptr) :: found

    status = c_attributes_get_string(attributes%handle, chars_of(name), found)
    if (status == STAITHE_OK) value = text_of(found)
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine get_int64s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer(int64), allocatable, intent(inout) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: found(:)
    integer(c_int32_t) :: status
    integer(c_size_t) :: count

    count = 0
    allocate (found(0))
    status = c_attributes_get_ints(attributes%handle, chars_of(name), found, 0_c_size_t, count)
    if (status == STAITHE_OK) then
      deallocate (found)
      allocate (found(count))
      status = c_attributes_get_ints(attributes%handle, chars_of(name), found, count, count)
      call move_alloc(found, values)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine get_real64s(attributes, name, values, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    real(real64), allocatable, intent(inout) :: values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable :: found(:)
    integer(c_int32_t) :: status
    integer(c_size_t) :: count

    count = 0
    allocate (found(0))
    status = c_attributes_get_doubles(attributes%handle, chars_of(name), found, 0_c_size_t, count)
    if (status == STAITHE_OK) then
      deallocate (found)
      allocate (found(count))
      status = c_attributes_get_doubles(attributes%handle, chars_of(name), found, count, count)
      call move_alloc(found, values)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  !> Any value, as JSON, which has null for NaN and infinities.
  function get_json(attributes, name, stat, errmsg) result(json)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    integer(c_int32_t) :: status
    type(c_ptr) :: text

    status = c_attributes_get_json(attributes%handle, chars_of(name), text)
    json = taken_text(text)
    call conclude(status, stat, errmsg)
  end function

  logical function has(attributes, name)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer(c_int32_t) :: kind

    has = .false.
    if (attributes%exists()) has = c_attributes_get_kind(attributes%handle, chars_of(name), kind) == STAITHE_OK
  end function

  !> The kind of an attribute: STAITHE_KIND_BOOL, …
  integer function kind_of(attributes, name, stat, errmsg)
    class(staithe_attributes), intent(in) :: attributes
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: kind

    kind = STAITHE_KIND_NULL
    call conclude(c_attributes_get_kind(attributes%handle, chars_of(name), kind), stat, errmsg)
    kind_of = kind
  end function

  !> The names of all attributes, padded to the longest.
  function names_of(attributes) result(list)
    class(staithe_attributes), intent(in) :: attributes
    character(:), allocatable :: list(:)
    type(c_ptr) :: names

    names = c_null_ptr
    if (attributes%exists()) call conclude(c_attributes_names(attributes%handle, names))
    list = texts_of(names)
  end function

  subroutine attributes_free(attributes)
    class(staithe_attributes), intent(inout) :: attributes

    call c_attributes_free(attributes%handle)
  end subroutine

  subroutine finalise(attributes)
    type(staithe_attributes), intent(inout) :: attributes

    call attributes%free()
  end subroutine

end module
