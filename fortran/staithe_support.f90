! What all of the interface needs: handles, errors, texts, groups.
module staithe_support
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use staithe_c
  implicit none
  private
  public :: axes_fit, conclude, fail, is_of_shape, numbers_fit, shapes_agree, seconds, text_of, texts_of, taken_text, &
      chars_of, given_text, given_texts, given_numbers, given_number, number, group_of, group_to_c

  !> An object of the library. It cannot be copied: pass it on, or hold a pointer to it.
  type, abstract, public :: staithe_handle
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> Whether there is one: it was opened, and not freed.
    procedure :: exists => handle_exists
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
  end type

  !> One rank of the ranks that together write or read a stream; staithe_mpi makes it of a communicator.
  type, public :: staithe_group
    integer :: rank = 0
    integer :: size = 1
    !> Tells apart two groups of one program that open the same stream at the same time.
    character(55) :: id = ''
  end type

  interface
    integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  logical function handle_exists(handle)
    class(staithe_handle), intent(in) :: handle

    handle_exists = c_associated(handle%handle)
  end function

  subroutine refuse_copy(to, from)
    class(staithe_handle), intent(inout) :: to
    class(staithe_handle), intent(in) :: from

    if (c_associated(to%handle, from%handle)) return ! a copy onto itself changes nothing
    call fail(STAITHE_INVALID_ARGUMENT, 'handles, such as writers, steps and attributes, cannot be assigned: pass them on')
  end subroutine

  !> Ends every call: tells how it went as the caller wants to know it.
  subroutine conclude(status, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (status /= STAITHE_OK) then
      call fail(status, text_of(c_last_error()), stat, errmsg)
    else if (present(stat)) then
      stat = STAITHE_OK
    end if
  end subroutine

  !> As a statement of Fortran does: without `stat` a failure ends the program.
  subroutine fail(status, message, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(errmsg)) errmsg = message
    if (present(stat)) then
      stat = status
    else
      write (error_unit, '(2a)') 'staithe: ', message
      error stop 1
    end if
  end subroutine

  !> Whether there is a number for each dimension wherever there are any; fails if not. `names` says what they are.
  logical function numbers_fit(names, dimensions, first, second, stat, errmsg)
    character(*), intent(in) :: names
    integer, intent(in) :: dimensions
    integer(int64), intent(in), optional :: first(:), second(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    numbers_fit = .true.
    if (present(first)) numbers_fit = size(first) == dimensions
    if (present(second)) numbers_fit = numbers_fit .and. size(second) == dimensions
    if (.not. numbers_fit) then
      call fail(STAITHE_INVALID_ARGUMENT, names // ' need a number for each dimension, of which there are ' // &
                number(int(dimensions, int64)), stat, errmsg)
    end if
  end function

  !> Whether an array has the shape of the variable, all of which is copied to it; fails if not.
  logical function shapes_agree(variable, shape, array_shape, stat, errmsg)
    character(*), intent(in) :: variable
    integer(int64), intent(in) :: shape(:), array_shape(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    shapes_agree = is_of_shape(array_shape, 'variable ''' // trim(variable) // '''', shape, stat, errmsg, &
                               ': to read a part, say where it begins (offset=)')
  end function

  !> Dimensions that go, as C takes them: their numbers from 0 on, and where these lie, or nothing for all. Fails if they
  !> cannot be such.
  logical function axes_fit(axes, gone, dims, stat, errmsg)
    integer(int64), allocatable, target, intent(out) :: axes(:)
    type(c_ptr), intent(out) :: gone
    integer, intent(in), optional :: dims(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    axes_fit = .true.
    gone = c_null_ptr
    axes = [0_int64]
    if (.not. present(dims)) return
    axes_fit = all(dims >= 1)
    if (.not. axes_fit) then
      call fail(STAITHE_INVALID_ARGUMENT, 'dimensions are counted from 1, and dims has smaller ones', stat, errmsg)
      return
    end if
    axes = [int(dims, int64) - 1, 0_int64]  ! what is empty has no address
    gone = c_loc(axes)
  end function

  !> Whether an array has the shape of what it is to hold; fails if not, with a word of advice, if there is one.
  logical function is_of_shape(array_shape, what, shape, stat, errmsg, advice)
    integer(int64), intent(in) :: array_shape(:), shape(:)
    character(*), intent(in) :: what
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: advice
    character(:), allocatable :: rest

    rest = ''
    if (present(advice)) rest = advice
    is_of_shape = size(shape) == size(array_shape)
    if (is_of_shape) is_of_shape = all(shape == array_shape)
    if (.not. is_of_shape) then
      call fail(STAITHE_INVALID_ARGUMENT, what // ' has the shape ' // shape_text(shape) // ', the array ' // &
                shape_text(array_shape) // rest, stat, errmsg)
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

  !> A timeout as C takes it.
  real(c_double) function seconds(timeout)
    use, intrinsic :: iso_fortran_env, only: real64
    real(real64), intent(in), optional :: timeout

    seconds = STAITHE_UNSET
    if (present(timeout)) seconds = timeout
  end function

  !> A copy of a text of C.
  function text_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: chars(:)
    integer :: i

    call c_f_pointer(text, chars, [c_strlen(text)])
    allocate (character(size(chars)) :: copy)
    do i = 1, size(chars)
      copy(i:i) = chars(i)
    end do
  end function

  !> A text that C gave away; empty if it gave none.
  function taken_text(text) result(copy)
    type(c_ptr), intent(inout) :: text
    character(:), allocatable :: copy

    copy = ''
    if (c_associated(text)) copy = text_of(text)
    call c_text_free(text)
  end function

  !> The list that C gave away, each padded to the longest; empty if it gave none.
  function texts_of(names) result(list)
    type(c_ptr), intent(inout) :: names
    character(:), allocatable :: list(:)
    integer(c_int64_t) :: count, i
    integer :: longest
    type(c_ptr) :: name

    count = 0
    longest = 0
    if (c_associated(names)) then
      if (c_names_count(names, count) /= STAITHE_OK) count = 0
    end if
    do i = 0, count - 1
      if (c_names_get(names, i, name) == STAITHE_OK) longest = max(longest, int(c_strlen(name)))
    end do
    allocate (character(longest) :: list(count))
    do i = 0, count - 1
      if (c_names_get(names, i, name) == STAITHE_OK) list(i + 1) = text_of(name)
    end do
    call c_names_free(names)
  end function

  !> A text as C has it. Blanks at its end do not count, as everywhere in Fortran.
  function chars_of(text) result(chars)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: chars(:)
    integer :: i

    allocate (chars(len_trim(text) + 1))
    do i = 1, len_trim(text)
      chars(i) = text(i:i)
    end do
    chars(size(chars)) = c_null_char
  end function

  !> A text that may be absent, as C takes it: NULL then. It lies in `chars`.
  type(c_ptr) function given_text(text, chars)
    character(*), intent(in), optional :: text
    character(kind=c_char), allocatable, target, intent(inout) :: chars(:)

    given_text = c_null_ptr
    if (.not. present(text)) return
    chars = chars_of(text)
    given_text = c_loc(chars)
  end function

  !> Texts that may be absent, as C takes them: where each begins, or NULL. They lie in `chars` and `list`.
  type(c_ptr) function given_texts(texts, chars, list)
    character(*), intent(in), optional :: texts(:)
    character(kind=c_char), allocatable, target, intent(inout) :: chars(:, :)
    type(c_ptr), allocatable, target, intent(inout) :: list(:)
    integer :: i

    given_texts = c_null_ptr
    if (.not. present(texts)) return
    if (size(texts) == 0) return
    allocate (chars(len(texts) + 1, size(texts)), list(size(texts)))
    do i = 1, size(texts)
      chars(:len_trim(texts(i)) + 1, i) = chars_of(texts(i))
      list(i) = c_loc(chars(1, i))
    end do
    given_texts = c_loc(list)
  end function

  !> Numbers that may be absent, as C takes them: NULL then. They lie in `kept`.
  type(c_ptr) function given_numbers(numbers, kept)
    integer(int64), intent(in), optional :: numbers(:)
    integer(int64), allocatable, target, intent(inout) :: kept(:)

    given_numbers = c_null_ptr
    if (.not. present(numbers)) return
    kept = numbers
    if (size(kept) > 0) given_numbers = c_loc(kept)
  end function

  !> A number that may be absent, as C takes it.
  integer(c_int64_t) function given_number(value)
    integer(int64), intent(in), optional :: value

    given_number = STAITHE_UNSET
    if (present(value)) given_number = value
  end function

  !> A whole number, for messages.
  function number(value) result(text)
    integer(int64), intent(in) :: value
    character(:), allocatable :: text
    character(20) :: digits

    write (digits, '(i0)') value
    text = trim(digits)
  end function

  type(c_group) function group_to_c(group)
    type(staithe_group), intent(in) :: group
    integer :: i

    group_to_c%rank = group%rank
    group_to_c%size = group%size
    group_to_c%id = c_null_char
    do i = 1, len_trim(group%id)
      group_to_c%id(i) = group%id(i:i)
    end do
  end function

  type(staithe_group) function group_of(group)
    type(c_group), intent(in) :: group
    integer :: i

    group_of%rank = group%rank
    group_of%size = group%size
    do i = 1, size(group%id)
      if (group%id(i) == c_null_char) exit
      group_of%id(i:i) = group%id(i)
    end do
  end function

end module
