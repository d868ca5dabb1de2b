! What the process may hold at most, over all its streams together, and what it holds.
module staithe_process_limits
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_c
  use staithe_support
  implicit none
  private
  public :: staithe_get_limits, staithe_get_usage, staithe_set_limits

contains

  !> Replaces the limits that were set before. What is not given is taken from STAITHE_LIMITS; what is not there either
  !> has no limit but the streams' queues and the system's.
  subroutine staithe_set_limits(memory, descriptors, connections, bytes_in_flight, prefetch, stat, errmsg)
    integer(int64), intent(in), optional :: memory, bytes_in_flight, prefetch
    integer, intent(in), optional :: descriptors, connections
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_limits) :: limits

    call c_limits_init(limits, c_sizeof(limits))
    if (present(memory)) limits%memory = memory
    if (present(descriptors)) limits%descriptors = descriptors
    if (present(connections)) limits%connections = connections
    if (present(bytes_in_flight)) limits%bytes_in_flight = bytes_in_flight
    if (present(prefetch)) limits%prefetch = prefetch
    call conclude(c_set_limits(limits), stat, errmsg)
  end subroutine

  !> The limits that hold: memory, descriptors, connections, bytes_in_flight, prefetch; STAITHE_UNSET where there is none.
  type(c_limits) function staithe_get_limits(stat, errmsg) result(limits)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call c_limits_init(limits, c_sizeof(limits))
    call conclude(c_get_limits(limits, c_sizeof(limits)), stat, errmsg)
  end function

  !> What this process holds now: memory, descriptors, connections, bytes_in_flight, prefetch.
  type(c_usage) function staithe_get_usage() result(usage)
    call conclude(c_get_usage(usage, c_sizeof(usage)))
  end function

end module
