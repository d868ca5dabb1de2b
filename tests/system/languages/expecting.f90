! What the programs that try edges of the Fortran module say when something is not as it should be: `stat` and `errmsg`
! of calls go to `status` and `why`.
module expecting
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  character(500) :: why
  integer :: status

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (.not. holds) then
      print '(3a)', what, ': ', trim(why)
      error stop 1
    end if
  end subroutine

  !> The last call failed so, and said this.
  subroutine expect_failure(code, text)
    integer(int32), intent(in) :: code
    character(*), intent(in) :: text

    call expect(status == code .and. index(why, text) > 0, 'not refused as it should be, with "' // text // '"')
  end subroutine

end module
