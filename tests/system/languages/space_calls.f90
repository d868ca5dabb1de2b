! space_calls_fortran: what locks, loans, batches, watches, futures and reductions do at their edges in Fortran, in one
! process that keeps the space.
program space_calls
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use expecting
  use staithe
  implicit none

  call dimensions_are_reduced()
  call a_loan_is_in_fortrans_order()
  call locks_exclude()
  call batches_say_what_was_refused()
  call versions_are_watched()
  call futures_end()
  call what_was_found_is_got_and_nothing_else()

contains

  !> Opens a space, and puts 1 to 24 into its variable u, of the shape (2, 3, 4).
  subroutine open_with(space, name)
    type(staithe_space), intent(inout) :: space
    character(*), intent(in) :: name
    real(real64) :: u(2, 3, 4)
    integer :: i

    u = reshape([(real(i, real64), i=1, 24)], shape(u))
    call space%open(name, server='')
    call space%put('u', u, unit='K', version=0_int64)
  end subroutine

  subroutine dimensions_are_reduced()
    type(staithe_space) :: space
    type(staithe_box), allocatable :: boxes(:)
    real(real64) :: u(2, 3, 4), rows(3, 4), ends(2, 8), one
    real(real32) :: narrow
    integer(int64) :: version

    call open_with(space, 'reduced')
    call space%get('u', u)
    call space%reduce('u', 'sum', one)
    call expect(nint(one) == 300, 'sum of all')
    call space%reduce('u', 'max', rows, dims=[1], got_version=version)
    call expect(version == 0 .and. all(abs(rows - maxval(u, 1)) <= 0), 'greatest along the first dimension')
    ends = 0
    call space%reduce('u', 'mean', ends(:, 1:8:2), dims=[2])
    call expect(all(abs(ends(:, 1:8:2) - sum(u, 2) / 3) < 1e-12) .and. nint(sum(ends)) == 100, 'means into a section')
    call space%reduce('u', 'min', one, offset=[1_int64, 1_int64, 1_int64], count=[1_int64, 2_int64, 2_int64])
    call expect(abs(one - minval(u(2:2, 2:3, 2:3))) <= 0, 'least of a box')
    call space%reduce('u', 'sum', narrow, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '''sum of u'' is f8 of shape ()')
    call space%reduce('u', 'sum', rows, dims=[2], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'the sum of ''u'' has the shape (2, 4), the array (3, 4)')
    call space%reduce('u', 'sum', rows, dims=[0], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'counted from 1')
    call space%reduce('u', 'product', one, stat=status, errmsg=why)
    call expect(status == STAITHE_INVALID_ARGUMENT, 'no such reduction')
    call space%reduce('u', 'sum', one, offset=[0_int64, 0_int64, 0_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '(count=)')
    boxes = space%blocks('u', count=[2_int64, 1_int64, 4_int64])
    call expect(size(boxes) == 1, 'pieces')
    call expect(all(boxes(1)%offset == 0) .and. all(boxes(1)%count == [2, 1, 4]), 'the piece')
    boxes = space%blocks('nothing', timeout=0.0_real64, stat=status, errmsg=why)
    call expect(status == STAITHE_TIMEOUT .and. size(boxes) == 0, 'pieces of nothing')
  end subroutine

  subroutine a_loan_is_in_fortrans_order()
    type(staithe_space) :: space, other
    type(staithe_space_array) :: got
    type(staithe_loan) :: loan
    type(staithe_attributes) :: attributes
    real(real64) :: u(2, 3, 4)
    real(real64), pointer :: lent(:, :, :)
    real(real32), pointer :: fresh(:, :)
    integer(int64) :: version

    call open_with(space, 'lent')
    call space%get('u', u)
    call space%loan('u', loan)
    call loan%get(lent)
    call expect(all(abs(lent - u) <= 0), 'what is lent')
    lent(2, 1, 4) = -1
    call space%publish(loan, version)
    call expect(version == 1 .and. .not. loan%exists(), 'published')
    u(2, 1, 4) = -1
    call space%get('u', got)
    call got%get(lent)
    call expect(all(abs(lent - u) <= 0) .and. got%unit() == 'K', 'what was published')
    call space%loan('u', loan, offset=[0_int64, 0_int64, 1_int64], count=[2_int64, 3_int64, 2_int64])
    call loan%get(lent)
    call expect(all(abs(lent - u(:, :, 2:3)) <= 0), 'a part that is lent')
    call loan%free()
    call attributes%set('run', 'a12')
    call space%loan('mask', loan, dtype=STAITHE_F32, shape=[2_int64, 2_int64], version=7_int64, unit='m', &
                    attributes=attributes, complete=.true.)
    call loan%get(fresh)
    call expect(all(abs(fresh) <= 0), 'zeros')
    call space%publish(loan)
    call space%get('mask', got, version=7_int64)
    call expect(got%unit() == 'm' .and. got%dtype() == STAITHE_F32, 'what was said of the loan')
    call space%loan('nothing', loan, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'say which shape and dtype')
    call space%publish(loan, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'take a loan first')
    call loan%get(fresh, status, why)
    call expect(status == STAITHE_CLOSED, 'shown when there is none')
    call other%open('another', server='')
    call space%loan('u', loan)
    call other%publish(loan, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'another space')
  end subroutine

  subroutine locks_exclude()
    type(staithe_space) :: space
    type(staithe_lock) :: lock

    call space%open('locked', server='')
    call space%lock('u', STAITHE_LOCK_WRITE, lock, offset=[0_int64], count=[4_int64], timeout=1.0_real64, lease=2.0_real64)
    call expect(lock%exists(), 'taken')
    call lock%release()
    call expect(.not. lock%exists(), 'released')
    call lock%release(status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'take the lock first')
    call lock%free()
    call space%lock('u', 7, lock, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'no lock mode 7')
    call space%lock('u', STAITHE_LOCK_READ, lock)
  end subroutine

  subroutine batches_say_what_was_refused()
    type(staithe_space) :: space
    type(staithe_batch) :: batch
    type(staithe_put_failure), allocatable :: failures(:)
    integer :: values(2, 2), back(2, 2)

    values = reshape([1, 2, 3, 4], [2, 2])
    call space%open('batched', server='')
    call batch%put('n', values, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'make a batch of the space first')
    call space%batch(batch)
    call batch%put('n', values, version=1_int64)
    call batch%send()
    call batch%put('n', 2 * values, version=0_int64)
    call batch%put('n', values, version=1_int64)
    call batch%put('n', 3 * values, version=2_int64, unit='m')
    call expect(batch%pending() == 3, 'gathered')
    call batch%send(status, why)
    call expect_failure(STAITHE_ALREADY_EXISTS, '1 of 3 blocks of a batch was refused')
    failures = batch%failures()
    call expect(size(failures) == 1, 'failures')
    call expect(failures(1)%place == 3 .and. failures(1)%variable == 'n' .and. failures(1)%version == 1, 'which was refused')
    call expect(failures(1)%status == STAITHE_ALREADY_EXISTS .and. index(failures(1)%message, 'is complete') > 0, 'why')
    call space%get('n', back)
    call expect(all(back == 3 * values), 'the others are put')
    call batch%put('n', values, offset=[1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'offset and shape need a number for each dimension')
    call batch%put('n', values, version=9_int64)
    call batch%free()
    call expect(size(space%versions('n')) == 3, 'put what was not sent')
  end subroutine

  subroutine versions_are_watched()
    type(staithe_space) :: space
    type(staithe_watch) :: watch
    integer(int64) :: version

    call open_with(space, 'watched')
    call expect(.not. watch%next(version, status, why), 'watched nothing')
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'watch a variable of the space first')
    call space%put('u', [1.0], version=-3_int64)
    call space%watch('u', watch, oldest=.true., timeout=0.0_real64)
    call expect(watch%next(version) .and. version == 0, 'first')
    call expect(watch%next(version) .and. version == -3, 'second')
    call expect(.not. watch%next(version, status, why), 'third')
    call expect_failure(STAITHE_TIMEOUT, '''u''')
    call space%put('u', [2.0], version=4_int64)
    call expect(watch%next(version) .and. version == 4, 'third after all')
    call space%close()
    call expect(.not. watch%next(version, status, why) .and. status == STAITHE_OK, 'the end')
  end subroutine

  subroutine futures_end()
    type(staithe_space) :: space
    type(staithe_space_array) :: got
    type(staithe_future) :: getting, putting
    real(real64), target :: values(3)
    real(real64), pointer :: shown(:)
    integer(int64) :: version

    values = [1, 2, 3]
    call space%open('awaited', server='')
    call space%get_async('x', getting, version=5_int64)
    call expect(.not. getting%is_ready(), 'ready before it is there')
    call getting%wait(0.01_real64, status, why)
    call expect_failure(STAITHE_TIMEOUT, 'still under way')
    call space%put_async('x', staithe_array_of(values(3:1:-1)), putting, version=5_int64)
    call putting%get_version(version)
    call expect(version == 5 .and. .not. putting%exists(), 'put')
    call getting%wait()
    call expect(getting%is_ready(), 'ready')
    call getting%get_array(got)
    call got%get(shown, status, why)
    call expect(status == STAITHE_OK .and. all(nint(shown) == [3, 2, 1]), 'got')
    call getting%get_array(got, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'a future whose result was taken is gone')
    call space%put_async('x', staithe_array_of(values), putting, version=5_int64)
    call putting%get_version(version, status, why)
    call expect_failure(STAITHE_ALREADY_EXISTS, 'is complete')
    call space%get_async('x', getting)
    call getting%get_version(version, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'is of a get')
    call space%get_async('x', getting, version=99_int64, timeout=1000.0_real64)
    call getting%free()
    call space%put_async('x', staithe_array_of(values), putting, version=6_int64)
    call putting%free()
    call space%get('x', got, version=6_int64)
  end subroutine

  subroutine what_was_found_is_got_and_nothing_else()
    type(staithe_space) :: space
    type(staithe_hits) :: hits
    type(staithe_space_array) :: got
    type(staithe_space_version), allocatable :: versions(:)
    integer(int64) :: completion

    call open_with(space, 'found')
    call space%query('u > 5', hits)
    completion = hits%completion(1)
    versions = space%versions('u')
    call expect(completion == 1 .and. versions(1)%completion == 1, 'completion')
    call space%get('u', got, version=hits%version(), completion=completion)
    call expect(got%version() == 0, 'found')
    call space%remove('u')
    call space%put('u', [1.0], version=0_int64)
    call space%get('u', got, version=hits%version(), completion=completion, stat=status, errmsg=why)
    call expect_failure(STAITHE_NOT_FOUND, 'another one put in its place')
    completion = hits%completion(2, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'no variable 1')
  end subroutine

end program
