!> Start here: the Fortran interface of Staithe, Fortran 2008 over include/staithe/staithe.h.
!>
!>     use staithe
!>     type(staithe_writer) :: out
!>     type(staithe_write_step) :: step
!>
!>     call out%open('wave')
!>     call out%begin_step(step)
!>     call step%put('u', u)
!>     call step%end()
!>     call out%close()
!>
!> The words are those of the header. What is Fortran's own:
!>
!> **Order.** Arrays have the same shape and the same indices everywhere: u(nx, ny) here is u[nx, ny] in C, C++ and Python,
!> where it arrives in Fortran's order; nothing is transposed, and nothing copied for that. Offsets count the elements
!> before, as in the other languages: the first element is at offset 0. Steps are numbered from 0, blocks from 1.
!>
!> **Errors.** Every call that may fail has the optional arguments `stat` (0, or one of the STAITHE_ constants) and `errmsg`
!> (set on errors alone, cut or padded to its length: 500 characters hold most), as ALLOCATE has. Without `stat` an error
!> ends the program.
!>
!> **Ownership.** Objects are freed when they go out of scope, but those of a main program do not go: close what you open.
!> They cannot be assigned. Whatever a put or a read gets may be a section of an array: it is not copied beforehand.
!>
!> **Threads, waiting:** as in the header.
!>
!> Pointers that `get` of a loan has set are no good once it is published, those of a view or of what a space gave
!> once it is freed.
module staithe
  use staithe_attribute_sets, only: staithe_attributes
  use staithe_c, only: staithe_limits => c_limits, staithe_usage => c_usage, staithe_group_stamp => c_group_stamp, &
      staithe_reader_statistics => c_reader_statistics, staithe_writer_statistics => c_writer_statistics
  use staithe_constants
  use staithe_generics, only: staithe_array, staithe_array_of, staithe_dense_array
  use staithe_looking, only: staithe_describe, staithe_describe_server, staithe_server_names, staithe_stream_names, &
      staithe_version
  use staithe_process_limits, only: staithe_get_limits, staithe_get_usage, staithe_set_limits
  use staithe_reading_streams, only: staithe_read_step, staithe_reader, staithe_view
  use staithe_recorders, only: staithe_recorder
  use staithe_running_reductions, only: staithe_running_reduction
  use staithe_space_puts, only: staithe_batch, staithe_put_failure
  use staithe_space_results, only: staithe_box, staithe_hits, staithe_space_array, staithe_space_version
  use staithe_space_waiting, only: staithe_future, staithe_lock, staithe_watch
  use staithe_spaces, only: staithe_space
  use staithe_support, only: staithe_group
  use staithe_writing_streams, only: staithe_loan, staithe_write_step, staithe_writer
  implicit none
  public
end module
