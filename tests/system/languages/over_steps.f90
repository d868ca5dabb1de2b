! over_steps_fortran: what becomes of steps as they come: running reductions and recordings, in one process and its folder.
program over_steps
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use expecting
  use staithe
  implicit none

  call steps_are_reduced_as_they_come()
  call steps_are_recorded()

contains

  subroutine steps_are_reduced_as_they_come()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_running_reduction) :: mean, rows, counts
    real(real64) :: u(3, 2), fields(3, 2), sums(3), narrow(2)
    integer(int64) :: histogram(4)
    integer :: i

    u = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call out%open('running')
    call in%open('running')
    call mean%begin('mean', elementwise=.true.)
    call rows%begin('sum', dims=[2])
    call counts%begin('histogram(4, 0, 8)')
    call mean%result(fields, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'nothing was added')
    do i = 0, 1
      call out%begin_step(step)
      call step%put('u', u + 2 * i)
      call step%end()
      call expect(in%next(read), 'no step')
      call mean%add(read, 'u')
      call rows%add(read, 'u', offset=[0_int64, int(i, int64)], count=[3_int64, 1_int64])
      call counts%add(read, 'twice = 2 * u', stride=[2_int64, 1_int64], count=[2_int64, 2_int64])
    end do
    call expect(mean%steps() == 2, 'steps that were added')
    call mean%result(fields)
    call expect(all(abs(fields - (u + 1)) <= 0), 'mean over time')
    call rows%result(sums)
    call expect(all(abs(sums - [1 + 6, 2 + 7, 3 + 8]) <= 0), 'sums of parts of steps')
    call counts%result(histogram)
    call expect(all(histogram == [0, 1, 0, 3]), 'histogram of what is derived')
    call mean%add(read, 'u', count=[2_int64, 2_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'variable ''u'', step 1: its mean has the shape (2, 2)')
    call mean%add(read, 'u', count=[2_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'offset and count need a number for each dimension')
    call mean%result(narrow, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'the running reduction has the shape (3, 2), the array (2)')
    call mean%begin('mean', dims=[1], elementwise=.true., stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'give dims, or elementwise: not both')
    call mean%begin('median', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'no reduction ''median''')
    call expect(.not. mean%exists(), 'what could not begin is not there')
    call read%release()
    call out%close()
  end subroutine

  subroutine steps_are_recorded()
    type(staithe_writer) :: out
    type(staithe_reader) :: in, recorded
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_recorder) :: file, other
    type(staithe_attributes) :: attributes
    real(real64) :: u(100, 50), back(100, 50)
    integer(int64) :: run
    integer :: i

    call random_number(u)
    call attributes%set('run', 7_int64)
    call out%open('recorded')
    call in%open('recorded')
    call file%open('run.zarr', attributes=attributes, error='u=0.01 abs', codec='blosc+zstd', variables=['n', 'u'])
    call expect(file%path() == 'run.zarr' .and. file%newest() == -1, 'path and no step')
    do i = 0, 2
      call out%begin_step(step)
      call step%put('u', u + i)
      call step%put('n', i)
      call step%put('left out', u)
      call step%end()
      call expect(in%next(read), 'no step')
      if (i < 2) call file%append(read)
    end do
    call expect(file%newest() == 1, 'newest step')
    call other%open('run.zarr', stat=status, errmsg=why)
    call expect_failure(STAITHE_ALREADY_EXISTS, 'run.zarr')
    call file%close()
    call file%append(read, stat=status, errmsg=why)
    call expect_failure(STAITHE_CLOSED, 'was closed')
    call file%open('run.zarr', attributes=attributes, resume=.true., variables=['u ', 'nn'])
    call file%append(read, stat=status, errmsg=why)
    call expect_failure(STAITHE_NOT_FOUND, 'nn')
    call file%open('run.txt', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '.zarr')
    call expect(.not. file%exists(), 'what could not be opened is not there')
    call read%release()
    call out%close()

    call recorded%open('run.zarr')
    call recorded%get_attributes(attributes)
    call attributes%get('run', run)
    call expect(run == 7, 'attributes of the recording')
    do i = 0, 1
      call expect(recorded%next(read), 'no recorded step')
      call read%read('u', back)
      call expect(all(abs(back - (u + i)) <= 0.01_real64), 'values within the error')
      call expect(.not. read%has('left out'), 'a variable that was not to be recorded')
    end do
    call expect(.not. recorded%next(read), 'a step too many')
    call recorded%close()
  end subroutine

end program
