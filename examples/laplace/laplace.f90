! Laplace's equation on a square plate by Jacobi iteration; every few sweeps the field goes to a stream.
!
!     mpiexec -n 2 build/Fortran/laplace [points [sweeps [every]]]
!
! The plate is held at 1 along its first column and at 0 along the other edges: it is that of laplace.py with rows and
! columns exchanged, since in Fortran a column lies in one piece. Each rank owns a band of the columns inside, and a copy
! of the column next to it on either side, the halo. For the first and last rank one of these is the plate's edge, which
! nobody updates. Gives the same numbers as laplace.py.
program laplace
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use staithe
  use staithe_mpi
  implicit none

  call MPI_Init()
  call simulate(option(1, 254), option(2, 40000), option(3, 200))
  call MPI_Finalize()

contains

  subroutine simulate(points, sweeps, every)
    integer, intent(in) :: points, sweeps, every
    type(staithe_group) :: group
    type(staithe_writer) :: out
    type(staithe_write_step) :: step
    type(staithe_attributes) :: attributes
    real(real64), allocatable :: field(:, :), relaxed(:, :)
    integer :: first, last, sweep

    group = staithe_mpi_group(MPI_COMM_WORLD)
    first = points * group%rank / group%size
    last = points * (group%rank + 1) / group%size
    allocate (field(0:points + 1, first:last + 1), relaxed(0:points + 1, first:last + 1))
    field = 0
    if (group%rank == 0) field(:, first) = 1
    relaxed = field

    call attributes%set('title', 'Laplace''s equation on a plate')
    call out%open('laplace', group=group, attributes=attributes)
    call attributes%free()
    do sweep = 0, sweeps
      if (mod(sweep, every) == 0) then
        call out%begin_step(step)
        call attributes%set('sweep', sweep)
        call step%set_attributes(attributes)
        call step%put('u', field(1:points, first + 1:last), offset=int([0, first], int64), &
                      shape=int([points, points], int64))
        call step%end()
      end if
      call exchange_halos(field, group)
      call relax(field, relaxed)
      call swap(field, relaxed)
    end do
    call out%close()
  end subroutine

  subroutine exchange_halos(field, group)
    real(real64), intent(inout) :: field(:, :)
    type(staithe_group), intent(in) :: group
    integer :: left, right, last

    left = merge(group%rank - 1, MPI_PROC_NULL, group%rank > 0)
    right = merge(group%rank + 1, MPI_PROC_NULL, group%rank + 1 < group%size)
    last = size(field, 2)
    call MPI_Sendrecv(field(:, 2), size(field, 1), MPI_DOUBLE_PRECISION, left, 0, &
                      field(:, last), size(field, 1), MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(field(:, last - 1), size(field, 1), MPI_DOUBLE_PRECISION, right, 0, &
                      field(:, 1), size(field, 1), MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  !> Every point inside becomes the mean of its four neighbours.
  subroutine relax(field, relaxed)
    real(real64), intent(in) :: field(:, :)
    real(real64), intent(inout) :: relaxed(:, :)
    integer :: i, j

    do j = 2, size(field, 2) - 1
      do i = 2, size(field, 1) - 1
        relaxed(i, j) = 0.25_real64 * (field(i, j - 1) + field(i, j + 1) + field(i - 1, j) + field(i + 1, j))
      end do
    end do
  end subroutine

  subroutine swap(a, b)
    real(real64), allocatable, intent(inout) :: a(:, :), b(:, :)
    real(real64), allocatable :: kept(:, :)

    call move_alloc(a, kept)
    call move_alloc(b, a)
    call move_alloc(kept, b)
  end subroutine

  integer function option(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(20) :: text

    option = otherwise
    if (command_argument_count() >= place) then
      call get_command_argument(place, text)
      read (text, *) option
    end if
  end function

end program
