! What is held or under way in a space: staithe_lock, staithe_watch, staithe_future.
module staithe_space_waiting
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use staithe_c
  use staithe_space_results, only: shown, staithe_space_array
  use staithe_support
  implicit none
  private

  !> A lock of a variable, or of a box of it, that is held: staithe_space%lock takes it.
  type, extends(staithe_handle), public :: staithe_lock
  contains
    procedure :: release => lock_release
    !> Releases it, without a word of whether it was still held.
    procedure :: free => lock_free
    final :: lock_finalise
  end type

  !> The versions of a variable as they are completed: staithe_space%watch makes it.
  type, extends(staithe_handle), public :: staithe_watch
  contains
    !> `do while (watch%next(version))`: each version, until the space is closed.
    procedure :: next => watch_next
    procedure :: free => watch_free
    final :: watch_finalise
  end type

  !> A get or a put that is under way: staithe_space%get_async or put_async starts it.
  type, extends(staithe_handle), public :: staithe_future
  contains
    procedure :: is_ready => future_is_ready
    procedure :: wait => future_wait
    procedure :: get_array => future_get_array
    procedure :: get_version => future_get_version
    !> Ends the wait of a get. Waits for a put, whose values are used until then.
    procedure :: free => future_free
    final :: future_finalise
  end type

contains

  !> STAITHE_CLOSED if its lease ran out: what it was to protect may have changed then.
  subroutine lock_release(lock, stat, errmsg)
    class(staithe_lock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_lock_release(lock%handle), stat, errmsg)
  end subroutine

  subroutine lock_free(lock)
    class(staithe_lock), intent(inout) :: lock

    call c_lock_free(lock%handle)
  end subroutine

  subroutine lock_finalise(lock)
    type(staithe_lock), intent(inout) :: lock

    call lock%free()
  end subroutine

  !> Waits for the next version, in the order in which they become complete; it stays, whatever `keep` says, until the
  !> next one is asked for. False once the space is closed, or on an error with `stat`; after STAITHE_TIMEOUT it may be
  !> called again.
  logical function watch_next(watch, version, stat, errmsg)
    class(staithe_watch), intent(inout) :: watch
    integer(int64), intent(inout) :: version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: ended

    ended = 1
    call conclude(c_watch_next(watch%handle, version, ended), stat, errmsg)
    watch_next = ended == 0
  end function

  subroutine watch_free(watch)
    class(staithe_watch), intent(inout) :: watch

    call c_watch_free(watch%handle)
  end subroutine

  subroutine watch_finalise(watch)
    type(staithe_watch), intent(inout) :: watch

    call watch%free()
  end subroutine

  !> Whether what is asked for next does not wait.
  logical function future_is_ready(future, stat, errmsg)
    class(staithe_future), intent(in) :: future
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: is_ready

    is_ready = 0
    call conclude(c_future_is_ready(future%handle, is_ready), stat, errmsg)
    future_is_ready = is_ready /= 0
  end function

  !> Waits until it is ready: at most so many seconds, or as long as the get or put does.
  subroutine future_wait(future, timeout, stat, errmsg)
    class(staithe_future), intent(in) :: future
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_future_wait(future%handle, seconds(timeout)), stat, errmsg)
  end subroutine

  !> What a get got, or the error that it met. Waits for it, and ends the future.
  subroutine future_get_array(future, array, stat, errmsg)
    class(staithe_future), intent(inout) :: future
    type(staithe_space_array), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: status

    call array%free()
    status = c_future_array(future%handle, array%handle)
    if (status == STAITHE_OK) status = shown(array)
    call conclude(status, stat, errmsg)
  end subroutine

  !> The version that a put has made or added to, or the error that it met. Waits for it, and ends the future.
  subroutine future_get_version(future, version, stat, errmsg)
    class(staithe_future), intent(inout) :: future
    integer(int64), intent(inout) :: version
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_future_version(future%handle, version), stat, errmsg)
  end subroutine

  subroutine future_free(future)
    class(staithe_future), intent(inout) :: future

    call c_future_free(future%handle)
  end subroutine

  subroutine future_finalise(future)
    type(staithe_future), intent(inout) :: future

    call future%free()
  end subroutine

end module
