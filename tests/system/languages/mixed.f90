! mixed_fortran write|read STREAM: three steps of a variable of each dtype, as test_languages.py describes them.
program mixed
  use, intrinsic :: iso_c_binding, only: c_bool, c_long_double, c_long_double_complex
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use staithe
  implicit none
  integer, parameter :: rows = 3, columns = 4, elements = rows * columns, steps = 3
  ! Bits of 0, ½, 1, ….
  integer(int16), parameter :: halves(0:11) = [integer(int16) :: 0, 14336, 15360, 15872, 16384, 16640, 16896, 17152, &
                                               17408, 17536, 17664, 17792]

  !> A variable of each type: those that Fortran has, and those that it has the bits of.
  type :: values
    logical(c_bool) :: bool(rows, columns)
    integer(int8) :: i1(rows, columns), u1(rows, columns)
    integer(int16) :: i2(rows, columns), u2(rows, columns), f2(rows, columns)
    integer(int32) :: i4(rows, columns), u4(rows, columns)
    integer(int64) :: i8(rows, columns), u8(rows, columns), loan(rows, columns)
    real(real32) :: f4(rows, columns)
    real(real64) :: f8(rows, columns)
    real(c_long_double) :: f16(rows, columns)
    complex(real32) :: c8(rows, columns)
    complex(real64) :: c16(rows, columns)
    complex(c_long_double_complex) :: c32(rows, columns)
  end type

  character(20) :: what
  character(200) :: stream

  call get_command_argument(1, what)
  call get_command_argument(2, stream)
  if (what == 'write') then
    call write_stream()
  else
    call read_stream()
  end if

contains

  !> The values of a step: at place (i, j) those of k, which counts the places row by row, as C does.
  type(values) function values_of(number) result(v)
    integer(int64), intent(in) :: number
    integer(int64) :: bits
    integer :: i, j, k

    do j = 1, columns
      do i = 1, rows
        k = (i - 1) * columns + j - 1
        v%loan(i, j) = 100 * number + k
        k = int(mod(k + number, int(elements, int64)))
        bits = shiftl(int(k, int64), 60)
        v%bool(i, j) = mod(k, 3) == 0
        v%i1(i, j) = int((k - 5) * 8, int8)
        v%i2(i, j) = int((k - 5) * 2048, int16)
        v%i4(i, j) = (k - 5) * 134217728
        v%i8(i, j) = (k - 5) * 576460752303423488_int64
        v%u1(i, j) = transfer(shiftr(bits, 56), 0_int8)
        v%u2(i, j) = transfer(shiftr(bits, 48), 0_int16)
        v%u4(i, j) = transfer(shiftr(bits, 32), 0_int32)
        v%u8(i, j) = bits
        v%f2(i, j) = halves(k)
        v%f4(i, j) = k / 4.0_real32 - 1
        v%f8(i, j) = k / 4.0_real64 - 1
        v%f16(i, j) = k / 4.0_c_long_double - 1
        v%c8(i, j) = cmplx(k / 4.0_real32, -k, real32)
        v%c16(i, j) = cmplx(k / 4.0_real64, -k, real64)
        v%c32(i, j) = cmplx(k / 4.0_c_long_double, -k, c_long_double)
      end do
    end do
  end function

  subroutine write_stream()
    type(staithe_writer) :: writer
    type(staithe_write_step) :: step
    type(staithe_attributes) :: attributes
    integer(int64) :: number

    call writer%open(stream)
    do number = 0, steps - 1
      call writer%begin_step(step)
      call write_values(step, values_of(number))
      call write_loan(step, values_of(number))
      call attributes%set('time', 0.5_real64 * real(number, real64))
      call attributes%set('label', 'Å')
      call attributes%set('numbers', [number, 2_int64])
      call step%set_attributes(attributes)
      call step%end()
    end do
    call writer%close()
  end subroutine

  subroutine write_values(step, v)
    type(staithe_write_step), intent(inout) :: step
    type(values), intent(in), target :: v

    call step%put('bool', v%bool, unit='m')
    call step%put('i1', v%i1, unit='m')
    call step%put('i2', v%i2, unit='m')
    call step%put('i4', v%i4, unit='m')
    call step%put('i8', v%i8, unit='m')
    call step%put('f4', v%f4, unit='m')
    call step%put('f8', v%f8, unit='m')
    call step%put('c8', v%c8, unit='m')
    call step%put('c16', v%c16, unit='m')
    call step%put_array('u1', as(STAITHE_U8, staithe_array_of(v%u1)), unit='m')
    call step%put_array('u2', as(STAITHE_U16, staithe_array_of(v%u2)), unit='m')
    call step%put_array('u4', as(STAITHE_U32, staithe_array_of(v%u4)), unit='m')
    call step%put_array('u8', as(STAITHE_U64, staithe_array_of(v%u8)), unit='m')
    call step%put_array('f2', as(STAITHE_F16, staithe_array_of(v%f2)), unit='m')
    call step%put_array('f16', long_double(v%f16), unit='m')
    call step%put_array('c32', long_complex(v%c32), unit='m')
  end subroutine

  subroutine write_loan(step, v)
    type(staithe_write_step), intent(inout) :: step
    type(values), intent(in) :: v
    type(staithe_loan) :: loan
    integer(int64), pointer :: block(:, :)

    call step%loan('loan', STAITHE_I64, shape(v%loan, int64), loan)
    call loan%get(block)
    block = v%loan
    call step%publish(loan)
  end subroutine

  subroutine read_stream()
    type(staithe_reader) :: reader
    type(staithe_read_step) :: step
    type(staithe_attributes) :: attributes
    integer(int64) :: read
    real(real64) :: time
    character(:), allocatable :: label
    integer(int64), allocatable :: numbers(:)

    read = 0
    call reader%open(stream)
    do while (reader%next(step))
      call expect(step%index() == read, 'index')
      call read_values(step, values_of(read))
      call step%get_attributes(attributes)
      call attributes%get('time', time)
      call attributes%get('label', label)
      call attributes%get('numbers', numbers)
      call expect(abs(time - 0.5_real64 * real(read, real64)) <= 0 .and. label == 'Å', 'attributes')
      call expect(all(numbers == [read, 2_int64]), 'list')
      read = read + 1
    end do
    call reader%close()
    call expect(read == steps, 'number of steps')
  end subroutine

  subroutine read_values(step, v)
    type(staithe_read_step), intent(in) :: step
    type(values), intent(in) :: v
    type(values), target :: found

    call expect(all(step%shape('f8') == [rows, columns]) .and. step%unit('f8') == 'm', 'shape or unit')
    call step%read('bool', found%bool)
    call step%read('i1', found%i1)
    call step%read('i2', found%i2)
    call step%read('i4', found%i4)
    call step%read('i8', found%i8)
    call step%read('f4', found%f4)
    call step%read('f8', found%f8)
    call step%read('c8', found%c8)
    call step%read('c16', found%c16)
    call step%read('loan', found%loan)
    call step%read_array('u1', as(STAITHE_U8, staithe_array_of(found%u1)))
    call step%read_array('u2', as(STAITHE_U16, staithe_array_of(found%u2)))
    call step%read_array('u4', as(STAITHE_U32, staithe_array_of(found%u4)))
    call step%read_array('u8', as(STAITHE_U64, staithe_array_of(found%u8)))
    call step%read_array('f2', as(STAITHE_F16, staithe_array_of(found%f2)))
    call step%read_array('f16', long_double(found%f16))
    call step%read_array('c32', long_complex(found%c32))
    call expect(logical(all(found%bool .eqv. v%bool)), 'bool')
    call expect(all(found%i1 == v%i1) .and. all(found%i2 == v%i2), 'short integers')
    call expect(all(found%i4 == v%i4) .and. all(found%i8 == v%i8), 'integers')
    call expect(all(found%u1 == v%u1) .and. all(found%u2 == v%u2), 'short unsigned')
    call expect(all(found%u4 == v%u4) .and. all(found%u8 == v%u8), 'unsigned')
    call expect(all(found%f2 == v%f2) .and. all(found%f4 == v%f4), 'short reals')
    call expect(all(found%f8 == v%f8) .and. all(found%f16 == v%f16), 'reals')
    call expect(all(found%c8 == v%c8) .and. all(found%c16 == v%c16) .and. all(found%c32 == v%c32), 'complex')
    call expect(all(found%loan == v%loan), 'loan')
  end subroutine

  !> The same memory, understood as another dtype.
  type(staithe_array) function as(dtype, array)
    integer(int32), intent(in) :: dtype
    type(staithe_array), intent(in) :: array

    as = array
    as%dtype = dtype
  end function

  type(staithe_array) function long_double(array)
    use, intrinsic :: iso_c_binding, only: c_loc
    real(c_long_double), intent(in), target :: array(:, :)

    long_double = staithe_dense_array(STAITHE_F128, shape(array, int64))
    long_double%data = c_loc(array)
  end function

  type(staithe_array) function long_complex(array)
    use, intrinsic :: iso_c_binding, only: c_loc
    complex(c_long_double_complex), intent(in), target :: array(:, :)

    long_complex = staithe_dense_array(STAITHE_C256, shape(array, int64))
    long_complex%data = c_loc(array)
  end function

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (.not. holds) then
      print *, 'mixed_fortran: wrong ', what
      error stop 1
    end if
  end subroutine

end program
