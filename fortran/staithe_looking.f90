! Looking at streams and servers from outside, and at the library.
module staithe_looking
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use staithe_c
  use staithe_support
  implicit none
  private
  public :: staithe_describe, staithe_describe_server, staithe_server_names, staithe_stream_names, staithe_version

contains

  !> What a stream's writer says of it, as JSON.
  function staithe_describe(stream, timeout, stat, errmsg) result(json)
    character(*), intent(in) :: stream
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    integer(c_int32_t) :: status
    type(c_ptr) :: text

    status = c_describe(chars_of(stream), seconds(timeout), text)
    json = taken_text(text)
    call conclude(status, stat, errmsg)
  end function

  !> The names of the streams that are open, padded to the longest.
  function staithe_stream_names(stat, errmsg) result(list)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: list(:)
    integer(c_int32_t) :: status
    type(c_ptr) :: names

    status = c_stream_names(names)
    list = texts_of(names)
    call conclude(status, stat, errmsg)
  end function

  !> What a server says of itself and its spaces, as JSON.
  function staithe_describe_server(server, timeout, stat, errmsg) result(json)
    character(*), intent(in) :: server
    real(real64), intent(in), optional :: timeout
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: json
    integer(c_int32_t) :: status
    type(c_ptr) :: text

    status = c_describe_server(chars_of(server), seconds(timeout), text)
    json = taken_text(text)
    call conclude(status, stat, errmsg)
  end function

  !> The names of the servers that keep spaces, padded to the longest.
  function staithe_server_names(stat, errmsg) result(list)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: list(:)
    integer(c_int32_t) :: status
    type(c_ptr) :: names

    status = c_server_names(names)
    list = texts_of(names)
    call conclude(status, stat, errmsg)
  end function

  !> The library's version.
  function staithe_version() result(version)
    character(:), allocatable :: version

    version = text_of(c_version())
  end function

end module
