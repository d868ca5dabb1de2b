! Turns an MPI communicator into a group. A module of its own: it is compiled with the user's MPI, staithe without any.
module staithe_mpi
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use staithe, only: staithe_group, staithe_group_stamp
  use staithe_c, only: c_group_make_contact, c_group_take_contact, c_host_number
  use staithe_constants, only: STAITHE_GROUP_CONTACT_SIZE, STAITHE_OK
  implicit none
  private
  public :: staithe_mpi_group

contains

  !> The group of this rank. Collective over the communicator; errors are handled by its error handler. Where the ranks
  !> are on several hosts, they are told how to find rank 0, which listens for them from then on.
  type(staithe_group) function staithe_mpi_group(communicator) result(group)
    type(MPI_Comm), intent(in) :: communicator
    integer(int64) :: shared(2)
    logical :: elsewhere
    character(kind=c_char) :: contact(STAITHE_GROUP_CONTACT_SIZE)

    call MPI_Comm_rank(communicator, group%rank)
    call MPI_Comm_size(communicator, group%size)
    ! Rank 0's stamp tells this group apart from another of the same program and size.
    shared = [staithe_group_stamp(), c_host_number()]
    call MPI_Bcast(shared, 2, MPI_INTEGER8, 0, communicator)
    write (group%id, '(i0)') shared(1)
    elsewhere = shared(2) /= c_host_number()
    call MPI_Allreduce(MPI_IN_PLACE, elsewhere, 1, MPI_LOGICAL, MPI_LOR, communicator)
    if (.not. elsewhere) return
    contact = c_null_char
    if (group%rank == 0) then
      if (c_group_make_contact(contact) /= STAITHE_OK) contact(1) = c_null_char
    end if
    call MPI_Bcast(contact, size(contact), MPI_CHARACTER, 0, communicator)
    if (group%rank /= 0) then
      if (c_group_take_contact(contact) /= STAITHE_OK) call MPI_Comm_call_errhandler(communicator, MPI_ERR_OTHER)
    end if
  end function

end module
