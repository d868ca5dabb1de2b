! spaces_fortran: what spaces do at their edges in Fortran, in one process that keeps them.
program spaces
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use expecting
  use staithe
  implicit none

  call sections_and_parts_come_back()
  call what_was_got_is_shown_by_pointers()
  call versions_are_listed_kept_and_removed()
  call hits_are_boxes()
  call ranks_put_together()
  call mistakes_are_told()

contains

  subroutine sections_and_parts_come_back()
    type(staithe_space) :: space
    integer(int32) :: whole(0:5, 4, 3), part(2, 4, 2), back(2, 4, 2), wide(4, 8, 4), some(1, 2, 2), k
    real(real64) :: wider(2, 4, 2), empty(0, 3)
    integer(int64) :: version
    integer :: i

    whole = reshape([(i, i=1, 72)], shape(whole))
    part = whole(4:1:-2, :, [1, 3])
    call space%open('sections', server='')
    call expect(space%name() == 'sections' .and. space%kept_by() == 'this process', 'name and keeper')
    call space%put('part', whole(4:1:-2, :, 1:3:2), unit='m', put_version=version)
    call expect(version == 0, 'version')
    call space%get('part', back)
    call expect(all(back == part), 'section')
    call space%get('part', wider, version=0_int64)
    call expect(all(nint(wider) == part), 'integers got as real64')
    wide = 0
    call space%get('part', wide(1:4:2, 8:1:-2, 2:3))
    call expect(all(wide(1:4:2, 8:1:-2, 2:3) == part) .and. sum(wide) == sum(part), 'got into a section')
    call space%get('part', some, offset=[1_int64, 2_int64, 0_int64])
    call expect(all(some == part(2:2, 3:4, :)), 'part')
    call space%put('scalar', whole(3, 2, 1), version=-7_int64)
    call space%get('scalar', k, version=-7_int64)
    call expect(k == whole(3, 2, 1), 'scalar')
    call space%put('empty', empty)
    call space%get('empty', empty)
    call space%put('half', part(:, 1:2, :), shape=[2_int64, 4_int64, 2_int64], version=3_int64)
    call space%get('half', back, timeout=0.0_real64, stat=status, errmsg=why)
    call expect_failure(STAITHE_TIMEOUT, '50 % of its elements')
    call space%put('half', part(:, 3:4, :), [0_int64, 2_int64, 0_int64], [2_int64, 4_int64, 2_int64], 3_int64)
    back = 0
    call space%get('half', back)
    call expect(all(back == part), 'two halves')
    call space%close()
  end subroutine

  subroutine what_was_got_is_shown_by_pointers()
    type(staithe_space) :: space
    type(staithe_space_array) :: got
    type(staithe_attributes) :: attributes
    real(real64) :: u(3, 4)
    real(real64), pointer :: shown(:, :)
    real(real32), pointer :: other(:, :)
    integer(int64), allocatable :: offset(:), count(:)
    character(:), allocatable :: run
    integer :: i

    u = reshape([(real(i, real64), i=1, 12)], shape(u))
    call attributes%set('run', 'a12')
    call space%open('pointers', server='')
    call space%put('u', u, unit='K', attributes=attributes, version=5_int64)
    call space%get('u', got)
    call got%get(shown)
    call expect(all(abs(shown - u) <= 0), 'pointer')
    call expect(got%version() == 5 .and. got%dtype() == STAITHE_F64 .and. got%unit() == 'K', 'what it is')
    call expect(all(got%shape() == [3, 4]), 'shape')
    call attributes%free()
    call got%get_attributes(attributes)
    call attributes%get('run', run)
    call expect(run == 'a12', 'attributes')
    call got%get(other, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'the pointer is f4')

    call space%get('u', got, offset=[0_int64, 1_int64], count=[3_int64, 2_int64])
    call got%get(shown)
    call got%box(offset, count)
    call expect(all(offset == [0, 1]) .and. all(count == [3, 2]) .and. all(abs(shown - u(:, 2:3)) <= 0), 'box')
    call space%remove('u')
    call space%close()
    call expect(all(abs(shown - u(:, 2:3)) <= 0), 'kept while it is held')
    call got%free()
    call got%get(shown, status, why)
    call expect(status == STAITHE_CLOSED .and. .not. associated(shown), 'shown when freed')
  end subroutine

  subroutine versions_are_listed_kept_and_removed()
    type(staithe_space) :: space
    type(staithe_attributes) :: attributes, none
    type(staithe_space_version), allocatable :: versions(:)
    character(:), allocatable :: names(:)
    integer(int64) :: i, number

    call space%open('versions', server='')
    do i = 1, 4
      call attributes%set('i', i)
      call space%put('a/T', [i, 2 * i], version=10 * i, attributes=attributes, unit='s')
    end do
    call space%put('b', [1.0], shape=[2_int64])
    names = space%names()
    call expect(size(names) == 2 .and. names(1) == 'a/T', 'names')
    names = space%names('a/*')
    call expect(size(names) == 1 .and. len(names) == 3, 'names that match')
    names = space%containers('*')
    call expect(size(names) == 1 .and. names(1) == 'a', 'containers')
    call attributes%free()
    call attributes%set('run', 'a12')
    call space%set_attributes('a', attributes)
    call attributes%free()
    call space%get_attributes('a', attributes)
    call expect(attributes%get_json('run') == '"a12"', 'attributes of a container')
    call space%set_attributes('a', none, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'create the attributes first')
    call space%put('gone/x', [1])
    call space%put('gone/y/x', [1])
    call space%remove_container('gone', i)
    call expect(i == 2 .and. size(space%names()) == 2, 'a container removed')
    call space%keep('a/T', versions=3_int64)
    versions = space%versions('a/T')
    call expect(size(versions) == 3, 'kept')
    call expect(all(versions%version == [20, 30, 40]) .and. all(versions%complete) .and. all(versions%bytes == 16), 'listed')
    call expect(versions(3)%dtype == STAITHE_I64 .and. all(versions(3)%shape == [2]) .and. versions(3)%unit == 's', 'what it is')
    versions = space%versions('b')
    call expect(size(versions) == 1 .and. .not. versions(1)%complete .and. versions(1)%blocks == 1, 'incomplete')
    call space%get_version_attributes('a/T', 30_int64, attributes)
    call attributes%get('i', number)
    call expect(number == 3, 'attributes of a version')
    call space%get_version_attributes('a/T', 10_int64, attributes, status, why)
    call expect_failure(STAITHE_NOT_FOUND, 'variable ''a/T'' has no version 10')
    call space%remove('a/T', 30_int64)
    call expect(size(space%versions('a/T')) == 2, 'removed')
    call space%remove('a/T', 30_int64, status, why)
    call expect_failure(STAITHE_NOT_FOUND, 'no version 30')
    call space%remove('a/T')
    versions = space%versions('a/T', status, why)
    call expect(status == STAITHE_NOT_FOUND .and. size(versions) == 0, 'removed all')
    call space%keep('b', bytes=-3_int64, stat=status, errmsg=why)
    call expect(status == STAITHE_INVALID_ARGUMENT, 'kept a negative number of bytes')
    call space%keep('b', seconds=3600.0_real64)
  end subroutine

  subroutine hits_are_boxes()
    type(staithe_space) :: space
    type(staithe_hits) :: hits
    type(staithe_space_array) :: values
    real(real64) :: u(4, 6)
    real(real64), pointer :: line(:)
    real(real64), allocatable :: part(:, :)
    integer(int64), allocatable :: offset(:), count(:)
    character(:), allocatable :: names(:)
    integer(int64) :: i, found

    u = 290
    u(2:3, 3:4) = 310
    u(4, 6) = 320
    call space%open('hits', server='')
    call space%put('u', u)
    call space%put('u', u - 100)
    call space%query('u > 300', hits, version=0_int64)
    call expect(hits%version() == 0 .and. hits%elements() == count_of(u > 300), 'elements')
    names = hits%variables()
    call expect(size(names) == 1 .and. names(1) == 'u', 'variables')
    found = 0
    do i = 1, hits%boxes()
      call hits%box(i, offset, count)
      allocate (part(count(1), count(2)))
      call space%get('u', part, offset, hits%version())
      call expect(all(part > 300), 'a box that does not match')
      found = found + size(part)
      deallocate (part)
    end do
    call expect(found == hits%elements(), 'boxes')
    call space%values(hits, 'u', values)
    call values%get(line)
    call expect(size(line) == found .and. abs(sum(line) - sum(u, u > 300)) <= 0, 'values')
    call space%values(hits, 'w', values, status, why)
    call expect_failure(STAITHE_NOT_FOUND, 'is not there')
    call hits%box(hits%boxes() + 1, offset, count, status, why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'no box')
    call space%query('u > 300', hits)
    call expect(hits%version() == 1 .and. hits%elements() == 0 .and. hits%boxes() == 0, 'nothing matches')
    call space%query('u > 0', hits, version=0_int64, most=0_int64)
    call expect(hits%elements() == 24 .and. hits%boxes() == 0, 'counted alone')
    call space%query('u >', hits, stat=status, errmsg=why)
    call expect(status == STAITHE_INVALID_ARGUMENT .and. .not. hits%exists(), 'a wrong condition')
  end subroutine

  integer function count_of(holds)
    logical, intent(in) :: holds(:, :)

    count_of = count(holds)
  end function

  subroutine ranks_put_together()
    type(staithe_space) :: first, second
    integer(int64), parameter :: whole(1) = [4_int64]
    integer :: values(4)

    call first%open('ranks', group=staithe_group(0, 2), server='')
    call second%open('ranks', group=staithe_group(1, 2), server='')
    call first%put('x', [1, 2], shape=whole, version=1_int64)
    call second%put('x', [3, 4], offset=[1_int64], shape=whole, version=1_int64, stat=status, errmsg=why)
    call expect_failure(STAITHE_ALREADY_EXISTS, 'rank 1')
    call first%put('y', [1, 2], persist=.true., stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'cannot outlive this process')
    call second%put('x', [3, 4], offset=[1_int64], shape=whole, version=1_int64, overlap=.true., complete=.true.)
    call first%get('x', values, timeout=0.0_real64, stat=status, errmsg=why)
    call expect(status == STAITHE_TIMEOUT, 'complete before all ranks are')
    call first%put('x', [5], offset=[3_int64], shape=whole, version=1_int64, complete=.true.)
    call second%get('x', values)
    call expect(all(values == [1, 3, 4, 5]), 'ranks')
  end subroutine

  subroutine mistakes_are_told()
    type(staithe_space) :: space
    type(staithe_space_array) :: got
    integer :: values(3), few(2), square(2, 2)

    call space%put('x', values, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'open the space first')
    call space%open('mistakes', server='nobody', timeout=0.05_real64, stat=status, errmsg=why)
    call expect(status /= STAITHE_OK .and. index(why, 'nobody') > 0 .and. .not. space%exists(), 'opened at nobody''s')
    call space%open('mistakes', server='')
    values = [1, 2, 3]
    call space%put('x', values)
    call space%get('x', few, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '''x'' is i4 of shape (3): not all of it can be written as i4 of shape (2)')
    call space%get('x', square, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'as i4 of shape (2, 2)')
    call space%get('x', few, offset=[2_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'does not lie in version 0')
    call space%get('x', few, offset=[1_int64, 1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'offset need a number for each dimension')
    call space%get('x', got, offset=[1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, '(count=)')
    call space%get('x', got, offset=[1_int64], count=[1_int64, 1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'offset and count need a number for each dimension')
    call space%get('x', got, count=spread(1_int64, 1, 9), stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'of which there are 8')
    call space%put('x', values, offset=[1_int64], stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'an offset needs the shape')
    call space%put('x', values, version=0_int64, stat=status, errmsg=why)
    call expect_failure(STAITHE_ALREADY_EXISTS, 'is complete')
    call space%put('', values, stat=status, errmsg=why)
    call expect_failure(STAITHE_INVALID_ARGUMENT, 'a variable''s name is')
    call space%get('y', values, timeout=0.0_real64, stat=status, errmsg=why)
    call expect(status == STAITHE_TIMEOUT .and. .not. got%exists(), 'got what nobody has put')
    call space%close()
    call space%close()
    call space%get('x', values, stat=status, errmsg=why)
    call expect_failure(STAITHE_CLOSED, 'is closed: open it again')
    call space%free()
    call space%free()
    call expect(size(staithe_server_names()) >= 0, 'names of servers')
    call expect(len(staithe_describe_server('nobody', stat=status, errmsg=why)) == 0, 'described nobody')
    call expect_failure(STAITHE_NOT_FOUND, 'no server ''nobody''')
  end subroutine

end program
