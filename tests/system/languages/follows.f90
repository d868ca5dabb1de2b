! follows_fortran SPACE SERVER: puts versions in all the ways that there are, and waits for what is made of them, as
! test_languages.py describes it.
program follows
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe
  implicit none
  integer, parameter :: elements = 4
  integer(int64), parameter :: batched = 10
  type(staithe_space) :: space
  type(staithe_future) :: answer
  type(staithe_watch) :: watch
  type(staithe_lock) :: lock
  type(staithe_space_array) :: array
  character(100) :: name, server
  real(real64) :: total, last(2)
  real(real64), pointer :: answered
  integer(int64) :: version, number

  call get_command_argument(1, name)
  call get_command_argument(2, server)
  call space%open(trim(name), server=trim(server))
  call space%get_async('answer', answer)
  call space%watch('T', watch)
  call space%lock('T', STAITHE_LOCK_WRITE, lock)
  call put_in_a_batch()
  call lock%release()
  call put_by_a_loan()
  call put_without_waiting()

  do version = 0, batched + 3
    call expect(watch%next(number) .and. number == version, 'version watched')
  end do
  call space%reduce('T', 'sum', total, version=batched)
  call space%get('T', last, offset=[2_int64], got_version=number)
  call expect(number == batched + 3 .and. nint(last(2)) == batched + 3 + elements - 1, 'newest version')

  if (server == '') call space%put('answer', total) ! there is nobody else to answer
  call answer%get_array(array)
  call array%get(answered)
  print '(2(f0.1, 1x), i0)', total, answered, size(space%blocks('T', version=batched))
  call watch%free()
  call array%free()
  call space%close()

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    print '(2a)', 'follows_fortran: wrong ', what
    error stop 1
  end subroutine

  function values_of(version) result(values)
    integer(int64), intent(in) :: version
    real(real64) :: values(elements)
    integer :: i

    values = [(real(version + i - 1, real64), i=1, elements)]
  end function

  subroutine put_in_a_batch()
    type(staithe_batch) :: batch
    integer(int64) :: version

    call space%batch(batch)
    do version = 0, batched - 1
      call batch%put('T', values_of(version), version=version)
    end do
    call batch%send()
  end subroutine

  subroutine put_by_a_loan()
    type(staithe_loan) :: loan
    real(real64), pointer :: values(:)
    integer(int64) :: version

    call space%loan('T', loan)
    call loan%get(values)
    values = 2 * values
    call space%publish(loan, put_version=version)
    call expect(version == batched, 'version of the loan')
  end subroutine

  subroutine put_without_waiting()
    real(real64), target :: values(elements, 3)
    type(staithe_future) :: futures(3)
    integer(int64) :: version
    integer :: i

    do i = 1, 3
      values(:, i) = values_of(batched + i)
      call space%put_async('T', staithe_array_of(values(:, i)), futures(i), version=batched + i)
    end do
    do i = 1, 3
      call futures(i)%get_version(version)
      call expect(version == batched + i, 'version of a put')
    end do
  end subroutine

end program
