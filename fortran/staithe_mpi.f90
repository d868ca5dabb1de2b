! Turns an MPI communicator into a group. A module of its own: it is compiled with the user's MPI, staithe without any.
module staithe_mpi
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use staithe, only: staithe_group, staithe_group_stamp
  implicit none
  private
  public :: staithe_mpi_group

contains

  !> The group of this rank. Collective over the communicator; errors are handled by its error handler.
  type(staithe_group) function staithe_mpi_group(communicator) result(group)
    type(MPI_Comm), intent(in) :: communicator
    integer(int64) :: stamp(1)

    call MPI_Comm_rank(communicator, group%rank)
    call MPI_Comm_size(communicator, group%size)
    ! Rank 0's stamp tells this group apart from another of the same program and size.
    stamp = staithe_group_stamp()
    call MPI_Bcast(stamp, 1, MPI_INTEGER8, 0, communicator)
    write (group%id, '(i0)') stamp
  end function

end module
