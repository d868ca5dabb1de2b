! Steps into files: staithe_recorder.
module staithe_recorders
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c
  use staithe_reading_streams, only: staithe_read_step
  use staithe_support
  implicit none
  private

  !> Steps into a file that stock tools read. The ending of its path says which format it is: '.zarr', Zarr version 3; '.h5'
  !> or '.hdf5', HDF5. A reader of that path reads the steps back.
  type, extends(staithe_handle), public :: staithe_recorder
  contains
    procedure :: open => recorder_open
    procedure :: append => recorder_append
    procedure :: newest => recorder_newest
    !> Of the file.
    procedure :: path => recorder_path
    procedure :: close => recorder_close
    !> Closes the file, if it was not closed.
    procedure :: free => recorder_free
    final :: recorder_finalise
  end type

contains

  !> Begins the file, or goes on with what is there (`resume`). `error` says by how much values may be off there, as for a
  !> writer: '1e-3 rel', 'T=1e-3 rel, *=exact'; `codec` what compresses variables of 16 KiB a step and more: 'blosc',
  !> 'blosc+zstd' or a codec such as 'dq'; `variables` which are recorded, all without.
  subroutine recorder_open(recorder, path, attributes, error, codec, variables, resume, stat, errmsg)
    class(staithe_recorder), intent(inout) :: recorder
    character(*), intent(in) :: path
    type(staithe_attributes), intent(in), optional :: attributes
    character(*), intent(in), optional :: error, codec, variables(:)
    logical, intent(in), optional :: resume
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_recorder_options) :: options
    character(kind=c_char), allocatable, target :: bounds(:), coded(:), names(:, :)
    type(c_ptr), allocatable, target :: list(:)

    call recorder%free()
    call c_recorder_options_init(options, c_sizeof(options))
    if (present(attributes)) options%attributes = attributes%handle
    options%error = given_text(error, bounds)
    options%codec = given_text(codec, coded)
    options%variables = given_texts(variables, names, list)
    if (present(variables)) options%variable_count = size(variables, kind=c_size_t)
    if (present(resume)) options%resume = merge(1_c_int32_t, 0, resume)
    call conclude(c_recorder_open(chars_of(path), options, recorder%handle), stat, errmsg)
  end subroutine

  !> Writes all of the step, under its number: it is on disk when this returns. After a failure the file has the steps that
  !> it had, and takes more.
  subroutine recorder_append(recorder, step, stat, errmsg)
    class(staithe_recorder), intent(inout) :: recorder
    class(staithe_read_step), intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_recorder_append(recorder%handle, step%handle), stat, errmsg)
  end subroutine

  !> The number of the newest step that the file has; -1: it has none.
  integer(int64) function recorder_newest(recorder)
    class(staithe_recorder), intent(in) :: recorder

    call conclude(c_recorder_newest(recorder%handle, recorder_newest))
  end function

  function recorder_path(recorder) result(path)
    class(staithe_recorder), intent(in) :: recorder
    character(:), allocatable :: path
    type(c_ptr) :: text

    call conclude(c_recorder_path(recorder%handle, text))
    path = text_of(text)
  end function

  !> Others may write there from now on.
  subroutine recorder_close(recorder, stat, errmsg)
    class(staithe_recorder), intent(inout) :: recorder
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(c_recorder_close(recorder%handle), stat, errmsg)
  end subroutine

  subroutine recorder_free(recorder)
    class(staithe_recorder), intent(inout) :: recorder

    call c_recorder_free(recorder%handle)
  end subroutine

  subroutine recorder_finalise(recorder)
    type(staithe_recorder), intent(inout) :: recorder

    call recorder%free()
  end subroutine

end module
