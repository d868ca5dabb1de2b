! shared_fortran put|get SPACE: a third of a plate, and all of it, as test_languages.py describes them.
program shared
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe
  implicit none
  integer, parameter :: rank = 2, ranks = 3, rows = 2 * ranks, columns = 4
  integer(int64), parameter :: version = 7
  type(staithe_space) :: space
  character(10) :: what
  character(100) :: name

  call get_command_argument(1, what)
  call get_command_argument(2, name)
  if (what == 'put') then
    call space%open(trim(name), group=staithe_group(rank, ranks), server='staithe')
    call put()
  else
    call space%open(trim(name), server='staithe')
    call get()
  end if
  call space%close()

contains

  real(real64) function expected(i, j)
    integer, intent(in) :: i, j

    expected = 10 * (i - 1) + j - 1
  end function

  subroutine put()
    type(staithe_attributes) :: attributes
    real(real64) :: plate(rows, columns)
    integer :: i, j

    plate = reshape([((expected(i, j), i=1, rows), j=1, columns)], [rows, columns])
    call attributes%set('run', 'a12')
    call space%put('T', plate(2 * rank + 1:2 * rank + 2, :), offset=[2_int64 * rank, 0_int64], &
                   shape=[int(rows, int64), int(columns, int64)], version=version, unit='K', attributes=attributes)
  end subroutine

  subroutine get()
    type(staithe_space_array) :: last
    type(staithe_hits) :: hits
    type(staithe_attributes) :: attributes
    real(real64) :: plate(rows, columns)
    real(real64), pointer :: third(:, :)
    character(:), allocatable :: run
    integer :: i, j

    call space%get('T', plate)
    do j = 1, columns
      do i = 1, rows
        if (abs(plate(i, j) - expected(i, j)) > 0) error stop 'shared_fortran: wrong element'
      end do
    end do
    call space%get('T', last, offset=[2_int64 * rank, 0_int64], count=[2_int64, int(columns, int64)])
    call last%get(third)
    if (any(abs(third - plate(2 * rank + 1:2 * rank + 2, :)) > 0)) error stop 'shared_fortran: wrong third'
    call last%get_attributes(attributes)
    call attributes%get('run', run)
    if (last%version() /= version .or. last%unit() /= 'K' .or. run /= 'a12') error stop 'shared_fortran: wrong version'
    call space%query('T > 31 and run == ''a12''', hits)
    print '(f0.1, 1x, i0)', sum(plate), hits%elements()
  end subroutine

end program
