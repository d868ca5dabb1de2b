! behaviour_fortran: what the Fortran module does at its edges, in one process that writes and reads.
program behaviour
  use, intrinsic :: iso_c_binding, only: c_bool, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use expecting
  use staithe
  implicit none

  call attributes_keep_their_kinds()
  call sections_scalars_and_empty_arrays_arrive()
  call parts_of_a_variable_are_put_and_read()
  call parts_of_a_variable_are_reduced()
  call steps_have_variables_that_are_derived()
  call errors_are_said_and_told()
  call local_arrays_are_blocks()
  call loans_and_views_are_pointers()
  call mistakes_are_told()
  call handles_end()
  call options_arrive()
  call streams_are_seen_from_outside()
  call the_process_is_bounded()

contains

  subroutine steps_have_variables_that_are_derived()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    integer(int64) :: n(3)

    call out%open('derived')
    call in%open('derived', derive='n = n + 1; n2 = n**2', stat=status, errmsg=why)
    call expect(status == STAITHE_OK, 'derived')
    call out%begin_step(step)
    call step%put('n', [1, 2, 3])
    call pass_on(step, in, read)
    call expect(read%has('n2'), 'what is derived is there')
    call read%read('n2', n)
    call expect(all(n == [4, 9, 16]), 'what is derived of what is derived')
  end subroutine

  subroutine errors_are_said_and_told()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_loan) :: loan
    real(real64) :: values(4)

    values = [1, 2, 3, 4]
    call out%open('errors', error='T=0.001 rel, *=0.5 abs')
    call in%open('errors', error='1 pw_rel', codec='none')
    call out%begin_step(step)
    call step%put('T', values)
    call step%put('p', values)
    call step%put('mask', values, error='exact')
    call step%loan('rho', STAITHE_F64, [2_int64], loan, error='2 abs')
    call step%publish(loan)
    call step%put('no', values, error='no bound', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, "'no bound' is no bound of errors")
    call pass_on(step, in, read)
    call expect(read%error('T') == '0.001 rel' .and. read%error('p') == '0.5 abs', 'what the writer says')
    call expect(read%error('mask') == 'exact' .and. read%error('rho') == '2 abs', 'what a put and a loan say')
    call expect(len(read%error('none', status, why)) == 0 .and. status == STAITHE_NOT_FOUND, 'there is no such variable')
    call out%open('errors of none', error='T=exact, T=exact', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, "name 'T' twice")
  end subroutine

  subroutine open_both(name, out, in, step)
    character(*), intent(in) :: name
    type(staithe_writer), intent(inout) :: out
    type(staithe_reader), intent(inout) :: in
    type(staithe_write_step), intent(inout) :: step

    call out%open(name)
    call in%open(name)
    call out%begin_step(step)
  end subroutine

  !> Ends the step, and takes it at the other side.
  subroutine pass_on(step, in, read)
    type(staithe_write_step), intent(inout) :: step
    type(staithe_reader), intent(inout) :: in
    type(staithe_read_step), intent(inout) :: read

    call step%end()
    call expect(in%next(read), 'no step')
  end subroutine

  subroutine attributes_keep_their_kinds()
    type(staithe_attributes) :: attributes, none
    logical :: on
    integer(int32) :: n
    integer(int64) :: large
    real(real32) :: single
    real(real64) :: double
    character(:), allocatable :: text, names(:)
    integer(int64), allocatable :: ints(:)
    real(real64), allocatable :: doubles(:)

    call expect(.not. attributes%has('on') .and. size(none%names()) == 0, 'there are attributes at first')
    call attributes%set('on', .true.)
    call attributes%set('n', -3)
    call attributes%set('large', 2_int64**40)
    call attributes%set('single', 0.5)
    call attributes%set('double', 1e300_real64)
    call attributes%set('text', 'Å and blanks   ')
    call attributes%set('ints', [1, 2, 3])
    call attributes%set('doubles', [0.5, 1.5])
    call attributes%set_json('map', '{"a": [null]}')
    call attributes%get('on', on)
    call attributes%get('n', n)
    call attributes%get('large', large)
    call attributes%get('single', single)
    call attributes%get('double', double)
    call attributes%get('text', text)
    call attributes%get('ints', ints)
    call attributes%get('doubles', doubles)
    call expect(on .and. n == -3 .and. large == 2_int64**40, 'logical and integers')
    call expect(abs(single - 0.5) <= 0 .and. abs(double / 1e300_real64 - 1) <= 0, 'reals')
    call expect(text == 'Å and blanks' .and. len(text) == len('Å and blanks'), 'text')
    call expect(all(ints == [1, 2, 3]) .and. size(doubles) == 2 .and. abs(sum(doubles) - 2) <= 0, 'lists')
    call expect(attributes%get_json('map') == '{"a":[null]}' .and. attributes%kind('map') == STAITHE_KIND_MAP, 'JSON')
    names = attributes%names()
    call expect(size(names) == 9 .and. names(1) == 'double' .and. names(9) == 'text', 'names')

    call attributes%get('large', n, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'integer(int64)')
    call expect(n == -3, 'changed by a failure')
    call attributes%get('missing', n, status, why)
    call expect_failure(STAITHE_NOT_FOUND, 'missing')
    call attributes%get('text', double, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'not a number')
    call none%get('n', n, status, why)
    call expect(status == STAITHE_INVALID_ARGUMENT, 'got of nothing')
    call attributes%free()
    call attributes%free()
    call expect(.not. attributes%has('on'), 'kept what was freed')
  end subroutine

  subroutine sections_scalars_and_empty_arrays_arrive()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    integer(int32) :: whole(0:5, 4, 3), part(2, 4, 2), back(2, 4, 2), wide(4, 8, 4), k
    real(real64) :: empty(0, 3), wider(2, 4, 2)
    real(real32) :: narrower(2, 4, 2)
    logical(c_bool) :: flag
    integer :: i

    whole = reshape([(i, i=1, 72)], shape(whole))
    part = whole(4:1:-2, :, [1, 3])
    call open_both('sections', out, in, step)
    call step%put('part', whole(4:1:-2, :, 1:3:2))
    call step%put('column', whole(:, 2, 3))
    call step%put('scalar', whole(3, 2, 1))
    call step%put('flag', .true._c_bool)
    call step%put('empty', empty)
    call pass_on(step, in, read)
    call expect(all(read%shape('part') == [2, 4, 2]) .and. size(read%shape('scalar')) == 0, 'shapes')
    call expect(all(read%shape('empty') == [0, 3]), 'shape of nothing')
    call read%read('part', back)
    call expect(all(back == part), 'section')
    wide = 0
    call read%read('part', wide(1:4:2, 8:1:-2, 2:3))
    call expect(all(wide(1:4:2, 8:1:-2, 2:3) == part) .and. sum(wide) == sum(part), 'read into a section')
    call read%read('part', wider)
    call expect(all(nint(wider) == part), 'integers read as real64')
    call read%read('part', narrower, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'digits would be lost')
    call read%read('scalar', k)
    call read%read('flag', flag)
    call read%read('empty', empty)
    call expect(k == whole(3, 2, 1) .and. flag, 'scalars')
    call expect(read%dtype('flag') == STAITHE_BOOL .and. read%dtype('part') == STAITHE_I32, 'dtypes')
    call out%close()
    call expect(.not. in%next(read), 'a step after the last')
    call expect(.not. read%exists(), 'kept the last step')
  end subroutine

  subroutine parts_of_a_variable_are_put_and_read()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_view) :: view
    type(staithe_group) :: second
    type(staithe_reader_statistics) :: received
    real(real64) :: left(3, 2), right(3, 4), all_of_it(3, 6), some(2, 3)
    integer(int64), allocatable :: offset(:), count(:), stride(:)
    integer :: rank

    left = 1
    right = reshape([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], [3, 4])
    call open_both('parts', out, in, step)
    call step%put('u', left, shape=[3_int64, 6_int64], unit='K')
    call step%put('u', right, offset=[0_int64, 2_int64], shape=[3_int64, 6_int64], unit='K')
    call step%put('v', left, offset=[0_int64], shape=[3_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'a number for each dimension')
    call step%put('u', left, offset=[0_int64, 1_int64], shape=[3_int64, 6_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'u')
    call pass_on(step, in, read)
    call read%read('u', all_of_it)
    call expect(all(abs(all_of_it(:, :2) - left) <= 0) .and. all(abs(all_of_it(:, 3:) - right) <= 0), 'the whole')
    call read%read('u', some, offset=[1_int64, 1_int64], stride=[1_int64, 2_int64])
    call expect(all(abs(some - all_of_it(2:3, 2:6:2)) <= 0), 'every other column')
    call read%read('u', some, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '(3, 6), the array (2, 3)')
    call read%read('u', some, offset=[2_int64, 0_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'does not lie')
    call read%read('u', some, offset=[0_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'a number for each dimension')
    call read%read('u', all_of_it(:, 1), stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '(3, 6), the array (3)')

    second%rank = 1
    second%size = 2
    call read%share('u', STAITHE_SHARE_ROUND, second, offset, count, stride)
    call expect(all(offset == [1, 0]) .and. all(count == [1, 6]) .and. all(stride == [2, 1]), 'share')
    call read%share('u', STAITHE_SHARE_PROCESS, second, offset, count, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'whole blocks')
    call expect(read%blocks('u') == 2, 'number of blocks')
    call read%block('u', 2, rank, offset, count)
    call expect(rank == 0 .and. all(offset == [0, 2]) .and. all(count == [3, 4]), 'block')
    call read%block('u', 3, rank, offset, count, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '2 blocks')
    call read%view('u', view, offset=[0_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'offset and count need a number for each dimension')
    call read%release()
    received = in%statistics()
    call expect(received%pinned == 0, 'what looked at a variable still holds its step')
    call out%close()
  end subroutine

  subroutine parts_of_a_variable_are_reduced()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_reader_statistics) :: received
    real(real32) :: u(3, 6), narrow
    real(real64) :: total, columns(6), some(2)
    integer(int64) :: numbers, squares(3), halves(6, 2)

    u = reshape([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18], [3, 6])
    call open_both('reduced', out, in, step)
    call step%put('u', u(:, :2), shape=[3_int64, 6_int64])
    call step%put('u', u(:, 3:), offset=[0_int64, 2_int64], shape=[3_int64, 6_int64])
    call step%put('n', [1, 2, 3])
    call pass_on(step, in, read)
    call read%reduce('u', 'sum', total)
    call expect(abs(total - 171) <= 0, 'sum of all')
    call read%reduce('u', 'mean', columns, dims=[1])
    call expect(all(abs(columns - [2, 5, 8, 11, 14, 17]) <= 0), 'means of columns')
    call read%reduce('u', 'max', some, dims=[2], offset=[0_int64, 1_int64], count=[2_int64, 2_int64], &
                     stride=[2_int64, 3_int64])
    call expect(all(abs(some - [13, 15]) <= 0), 'greatest of a part')
    call read%reduce('u', 'min', narrow)
    call expect(abs(narrow - 1) <= 0, 'least')
    call read%reduce('u', 'std', total)
    call expect(abs(total - sqrt(323 / 12.0_real64)) < 1e-12, 'standard deviation')
    call read%reduce('u', 'histogram(3, 1, 19)', squares)
    call expect(all(squares == 6), 'histogram of all')
    call read%reduce('u', 'histogram(2, 1, 19)', halves, dims=[1])
    call expect(all(halves(:, 1) == [3, 3, 3, 0, 0, 0]) .and. all(sum(halves, 2) == 3), 'histograms of columns')
    call read%reduce('n', 'sum', numbers)
    call expect(numbers == 6, 'sum of integers')
    call read%reduce('twice = 2 * u', 'sum', total)
    call expect(abs(total - 342) <= 0, 'sum of what is derived')
    call read%reduce('tail = n[1:]', 'sum', numbers)
    call expect(numbers == 5, 'parts are counted from 0')
    call expect(read%has('n2 = n**2') .and. .not. read%has('n2'), 'derived variables have no names of their own')
    call read%read('n2 = n**2', squares)
    call expect(all(squares == [1, 4, 9]), 'what is derived is read')
    call read%read('n2 = n**2 + m', squares, stat=status, errmsg=why)
    call expect_failure(STAITHE_NOT_FOUND, 'no variable ''m'', which an expression names; it has')
    call read%reduce('u', 'sum', narrow, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'a view is f8: as f4 digits would be lost')
    call read%reduce('u', 'sum', some, dims=[1], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'the sum of ''u'' has the shape (6), the array (2)')
    call read%reduce('u', 'sum', total, dims=[0], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'counted from 1')
    call read%reduce('u', 'sum', columns, dims=[3], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'cannot be reduced along')
    call read%reduce('u', 'total', total, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'no reduction ''total''')
    call read%reduce('u', 'sum', total, stride=[1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'stride need a number')
    call read%release()
    received = in%statistics()
    call expect(received%pinned == 0, 'what reduced a variable still holds its step')
    call out%close()
  end subroutine

  subroutine local_arrays_are_blocks()
    type(staithe_writer) :: writers(2)
    type(staithe_reader) :: in
    type(staithe_write_step) :: steps(2)
    type(staithe_read_step) :: read
    type(staithe_view) :: view
    type(staithe_group) :: group
    integer(int32), pointer :: values(:)
    integer :: i

    group%size = 2
    do i = 1, 2
      group%rank = i - 1
      call writers(i)%open('local', group=group)
    end do
    call in%open('local')
    do i = 1, 2
      call writers(i)%begin_step(steps(i))
      call steps(i)%put('mine', [i, i, i])
      call steps(i)%end()
    end do
    call expect(in%next(read) .and. in%writers() == 2, 'no step of two ranks')
    call expect(read%is_local('mine') .and. read%blocks('mine') == 2, 'not local')
    do i = 1, 2
      call read%block_view('mine', i, view)
      call view%get(values)
      call expect(all(values == i), 'block of a rank')
    end do
    group%rank = 1
    call expect(all(read%share_of_blocks('mine', group) == [2]), 'share of blocks')
    call expect(size(read%shape('mine', status, why)) == 0, 'shape of several')
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'local arrays')
  end subroutine

  subroutine loans_and_views_are_pointers()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_loan) :: loan
    type(staithe_view) :: view
    type(staithe_array) :: rows
    real(real64), pointer :: u(:, :)
    real(real32), pointer :: wrong(:, :)
    real(real64), target :: c_order(6)

    c_order = [1, 2, 3, 4, 5, 6]
    call open_both('loans', out, in, step)
    call step%loan('u', STAITHE_F64, [2_int64, 3_int64], loan, unit='m')
    call loan%get(wrong, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'the memory is f8 of 2 dimensions, the pointer is f4')
    call expect(.not. associated(wrong), 'a pointer to another type')
    call loan%get(u)
    u = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    call step%publish(loan)
    call loan%get(u, status, why)
    call expect_failure(STAITHE_CLOSED, 'there is no memory')
    call step%publish(loan, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'NULL')
    ! As a program in C would put it.
    rows = staithe_dense_array(STAITHE_F64, [2_int64, 3_int64])
    rows%data = c_loc(c_order)
    rows%strides(:2) = [24, 8]
    call step%put_array('rows', rows)
    call pass_on(step, in, read)

    call read%view('u', view, offset=[0_int64, 1_int64], count=[2_int64, 2_int64])
    call view%get(u)
    call expect(all(abs(u - reshape([3, 4, 5, 6], [2, 2])) <= 0), 'view of a part')
    call read%view('rows', view)
    call view%get(u, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'read it instead')
    allocate (u(2, 3))
    call read%read('rows', u)
    call expect(all(abs(u - reshape([1, 4, 2, 5, 3, 6], [2, 3])) <= 0), 'rows')
    deallocate (u)

    ! A view keeps its memory, whatever becomes of the rest.
    call read%view('u', view)
    call view%get(u)
    call read%release()
    call in%free()
    call out%free()
    call expect(abs(sum(u) - 21) <= 0, 'view of what is gone')
    call view%free()
    call view%free()
  end subroutine

  subroutine mistakes_are_told()
    type(staithe_writer) :: out, second
    type(staithe_reader) :: in
    type(staithe_write_step) :: step, other
    type(staithe_read_step) :: read
    real(real32) :: single(2)

    call out%begin_step(step, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'open the writer first')
    call step%put('x', single, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'begin a step first')
    call read%read('x', single, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'take the next step first')
    call open_both('mistakes', out, in, step)
    call second%open('mistakes', stat=status, errmsg=why)
    call expect_failure(STAITHE_ALREADY_EXISTS, 'mistakes')
    call expect(.not. second%exists(), 'opened in vain')
    call out%begin_step(step, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'still open')
    call out%begin_step(other, stat=status, errmsg=why)
    call expect(status == STAITHE_INVALID_ARGUMENT, 'two steps at a time')
    call step%put('x', [1.0_real64, 2.0_real64], stat=status)
    call expect(status == STAITHE_OK, 'status of a success')
    call pass_on(step, in, read)
    call read%read('x', single, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'f8')
    call read%read('y', single, stat=status, errmsg=why)
    call expect_failure(STAITHE_NOT_FOUND, '''x''')
    call expect(read%has('x') .and. .not. read%has('y'), 'has')
    call expect(.not. in%next(read, timeout=0.05_real64, stat=status, errmsg=why), 'a step from nowhere')
    call expect(status == STAITHE_TIMEOUT, 'no timeout')
    call step%put('x', single, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'NULL')
  end subroutine

  subroutine handles_end()
    type(staithe_writer) :: out
    type(staithe_write_step) :: step
    integer :: turn

    do turn = 1, 2
      call open_and_leave() ! its writer ends with it: the name is free again
    end do
    call out%open('left', readers=0)
    call out%begin_step(step)
    call step%abandon()
    call step%abandon()
    call out%begin_step(step)
    call expect(step%index() == 1, 'number of an abandoned step')
    call step%end()
    call out%close()
    call out%close()
    call out%begin_step(step, stat=status, errmsg=why)
    call expect_failure(STAITHE_CLOSED, 'left')
    call out%free()
    call out%close(status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'NULL')
  end subroutine

  subroutine open_and_leave()
    type(staithe_writer) :: out
    type(staithe_write_step) :: step

    call out%open('left', readers=0)
    call out%begin_step(step)
  end subroutine

  subroutine options_arrive()
    type(staithe_writer) :: out
    type(staithe_reader) :: in
    type(staithe_write_step) :: step
    type(staithe_read_step) :: read
    type(staithe_attributes) :: attributes
    type(staithe_group) :: group
    type(staithe_writer_statistics) :: written
    type(staithe_reader_statistics) :: received
    integer(int64) :: n
    character(:), allocatable :: title

    group%id = 'only'
    call attributes%set('title', 'all options')
    call out%open('options', group=group, timeout=5.0_real64, queue_steps=2, queue_bytes=1000000_int64, readers=0, &
                  overflow='drop-oldest', resume=.false., placement='producer', reserve_bytes=100_int64, &
                  attributes=attributes)
    group = out%group()
    call expect(group%size == 1 .and. group%id == 'only' .and. out%name() == 'options', 'group or name')
    call expect(out%placement() == 'producer' .and. out%next_step() == 0, 'placement or next step')
    call out%begin_step(step)
    call step%end()
    call in%open('options', overflow='latest', start=STAITHE_START_NEXT + 0_int64, resume=.false., program='probe')
    call in%get_attributes(attributes)
    call attributes%get('title', title)
    call expect(title == 'all options' .and. in%name() == 'options', 'attributes of the stream')
    do n = 1, 4
      call out%begin_step(step)
      call step%put('n', n)
      call step%end()
    end do
    call expect(in%next(read), 'no step')
    call expect(read%index() == 4 .and. read%has('n'), 'not the latest step')
    written = out%statistics()
    received = in%statistics()
    call expect(written%steps == 5 .and. received%steps == 1 .and. received%dropped == 3, 'statistics')
    call expect(index(staithe_describe('options'), '"probe"') > 0, 'name of the reader')
    call in%pause()
    call in%resume()
    call in%follow_latest()
    call in%close()
    call out%open('options', overflow='sometimes', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'sometimes')
    call out%open('options', listen='everywhere', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'everywhere')
    call out%open('options', keep_steps=3_int64, keep_bytes=100_int64, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'only a server keeps steps')
    call in%open('options', address='somewhere', stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'somewhere')
  end subroutine

  subroutine streams_are_seen_from_outside()
    type(staithe_writer) :: out
    character(:), allocatable :: json

    call out%open('seen', readers=0)
    call expect(any(staithe_stream_names() == 'seen'), 'names of streams')
    call expect(index(staithe_describe('seen'), '"seen"') > 0, 'description')
    json = staithe_describe('unseen', 0.1_real64, status, why)
    call expect_failure(STAITHE_NOT_FOUND, 'unseen')
    call expect(len(json) == 0 .and. len(staithe_version()) >= 5, 'texts')
  end subroutine

  subroutine the_process_is_bounded()
    type(staithe_writer) :: out
    type(staithe_write_step) :: step
    type(staithe_limits) :: limits
    type(staithe_usage) :: before, held
    integer(int64), parameter :: mebibyte = 1048576
    integer :: number

    call staithe_set_limits(memory=2**20 * mebibyte, descriptors=1000, connections=100, prefetch=mebibyte)
    limits = staithe_get_limits()
    call expect(limits%memory == 2**20 * mebibyte .and. limits%descriptors == 1000, 'limits that were set')
    call expect(limits%connections == 100 .and. limits%bytes_in_flight == STAITHE_UNSET, 'one set, one unset')
    call expect(limits%prefetch == mebibyte, 'what may be fetched ahead')
    call staithe_set_limits(connections=-5, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '-5')
    limits = staithe_get_limits(status, why)
    call expect(status == STAITHE_OK .and. limits%connections == 100, 'changed by a failure')

    before = staithe_get_usage()
    call out%open('bounded')
    do number = 1, 2  ! with one step in flight another may always begin
      call out%begin_step(step)
      call step%put('u', [1.0_real64, 2.0_real64])
      call step%end()
    end do
    held = staithe_get_usage()
    call expect(held%bytes_in_flight == before%bytes_in_flight + 32, 'bytes in flight')
    call expect(held%memory >= before%memory + 16 .and. held%descriptors > before%descriptors, 'what is held')
    call expect(held%connections == before%connections, 'a connection to nobody')
    call staithe_set_limits(bytes_in_flight=held%bytes_in_flight)
    call out%begin_step(step, timeout=0.05_real64, stat=status, errmsg=why)
    call expect_failure(STAITHE_LIMIT_REACHED, '`bytes_in_flight`')
    call staithe_set_limits()
    limits = staithe_get_limits()
    call expect(limits%memory == STAITHE_UNSET .and. limits%bytes_in_flight == STAITHE_UNSET, 'limits that were lifted')
    call out%fail('nobody has come to read it')
    call out%begin_step(step, stat=status, errmsg=why)
    call expect_failure(STAITHE_CLOSED, 'bounded')
  end subroutine

end program
