! The C interface, as it is. Written by tools/fortran_interfaces.py; do not edit.
!
! What the calls do is said in include/staithe/staithe.h. Programs use the module staithe, which has the constants, too.
module staithe_constants
  use, intrinsic :: iso_c_binding, only: c_int32_t
  implicit none
  public
  private :: c_int32_t

  integer(c_int32_t), parameter :: STAITHE_ABI_VERSION = 1
  integer(c_int32_t), parameter :: STAITHE_MAX_DIMENSIONS = 8
  integer(c_int32_t), parameter :: STAITHE_UNSET = -1
  integer(c_int32_t), parameter :: STAITHE_OK = 0
  integer(c_int32_t), parameter :: STAITHE_INVALID_ARGUMENT = 1
  integer(c_int32_t), parameter :: STAITHE_NOT_FOUND = 2
  integer(c_int32_t), parameter :: STAITHE_ALREADY_EXISTS = 3
  integer(c_int32_t), parameter :: STAITHE_TIMEOUT = 4
  integer(c_int32_t), parameter :: STAITHE_PEER_LOST = 5
  integer(c_int32_t), parameter :: STAITHE_CLOSED = 6
  integer(c_int32_t), parameter :: STAITHE_LIMIT_REACHED = 7
  integer(c_int32_t), parameter :: STAITHE_PROTOCOL = 8
  integer(c_int32_t), parameter :: STAITHE_SYSTEM = 9
  integer(c_int32_t), parameter :: STAITHE_WRITER_FAILED = 10
  integer(c_int32_t), parameter :: STAITHE_DEADLOCK = 11
  integer(c_int32_t), parameter :: STAITHE_BOOL = 0
  integer(c_int32_t), parameter :: STAITHE_I8 = 1
  integer(c_int32_t), parameter :: STAITHE_I16 = 2
  integer(c_int32_t), parameter :: STAITHE_I32 = 3
  integer(c_int32_t), parameter :: STAITHE_I64 = 4
  integer(c_int32_t), parameter :: STAITHE_U8 = 5
  integer(c_int32_t), parameter :: STAITHE_U16 = 6
  integer(c_int32_t), parameter :: STAITHE_U32 = 7
  integer(c_int32_t), parameter :: STAITHE_U64 = 8
  integer(c_int32_t), parameter :: STAITHE_F16 = 9
  integer(c_int32_t), parameter :: STAITHE_F32 = 10
  integer(c_int32_t), parameter :: STAITHE_F64 = 11
  integer(c_int32_t), parameter :: STAITHE_F128 = 12
  integer(c_int32_t), parameter :: STAITHE_C64 = 13
  integer(c_int32_t), parameter :: STAITHE_C128 = 14
  integer(c_int32_t), parameter :: STAITHE_C256 = 15
  integer(c_int32_t), parameter :: STAITHE_ROW_MAJOR = 0
  integer(c_int32_t), parameter :: STAITHE_COLUMN_MAJOR = 1
  integer(c_int32_t), parameter :: STAITHE_GROUP_CONTACT_SIZE = 8192
  integer(c_int32_t), parameter :: STAITHE_KIND_NULL = 0
  integer(c_int32_t), parameter :: STAITHE_KIND_BOOL = 1
  integer(c_int32_t), parameter :: STAITHE_KIND_INT = 2
  integer(c_int32_t), parameter :: STAITHE_KIND_DOUBLE = 3
  integer(c_int32_t), parameter :: STAITHE_KIND_STRING = 4
  integer(c_int32_t), parameter :: STAITHE_KIND_LIST = 5
  integer(c_int32_t), parameter :: STAITHE_KIND_MAP = 6
  integer(c_int32_t), parameter :: STAITHE_START_OLDEST = -1
  integer(c_int32_t), parameter :: STAITHE_START_NEXT = -2
  integer(c_int32_t), parameter :: STAITHE_SHARE_BLOCK = 0
  integer(c_int32_t), parameter :: STAITHE_SHARE_COUNT = 1
  integer(c_int32_t), parameter :: STAITHE_SHARE_ROUND = 2
  integer(c_int32_t), parameter :: STAITHE_SHARE_PROCESS = 3
  integer(c_int32_t), parameter :: STAITHE_LOCK_READ = 0
  integer(c_int32_t), parameter :: STAITHE_LOCK_WRITE = 1
end module

module staithe_c
  use, intrinsic :: iso_c_binding
  use staithe_constants
  implicit none
  public

  type, bind(c) :: c_array
    type(c_ptr) :: data
    integer(c_int32_t) :: dtype
    integer(c_int32_t) :: dimensions
    integer(c_int64_t) :: shape(STAITHE_MAX_DIMENSIONS)
    integer(c_int64_t) :: strides(STAITHE_MAX_DIMENSIONS)
  end type

  type, bind(c) :: c_selection
    integer(c_int64_t) :: dimensions
    integer(c_int64_t) :: start(STAITHE_MAX_DIMENSIONS)
    integer(c_int64_t) :: step(STAITHE_MAX_DIMENSIONS)
    integer(c_int64_t) :: count(STAITHE_MAX_DIMENSIONS)
  end type

  type, bind(c) :: c_group
    integer(c_int32_t) :: rank
    integer(c_int32_t) :: size
    character(kind=c_char) :: id(56)
  end type

  type, bind(c) :: c_writer_options
    integer(c_size_t) :: struct_size
    type(c_group) :: group
    real(c_double) :: timeout
    integer(c_int64_t) :: queue_steps
    integer(c_int64_t) :: queue_bytes
    integer(c_int64_t) :: readers
    type(c_ptr) :: overflow
    type(c_ptr) :: spill_directory
    integer(c_int64_t) :: spill_bytes
    integer(c_int32_t) :: resume
    type(c_ptr) :: placement
    integer(c_int64_t) :: reserve_bytes
    type(c_ptr) :: attributes
    type(c_ptr) :: listen
    type(c_ptr) :: address
    type(c_ptr) :: error
    integer(c_int64_t) :: keep_steps
    integer(c_int64_t) :: keep_bytes
    type(c_ptr) :: codec
  end type

  type, bind(c) :: c_writer_statistics
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: bytes
    real(c_double) :: stall_seconds
    integer(c_int64_t) :: pool_bytes
    integer(c_int64_t) :: dropped
    integer(c_int64_t) :: spilled_steps
    integer(c_int64_t) :: spilled_bytes
    integer(c_int64_t) :: unread
    integer(c_int64_t) :: compressed_steps
    integer(c_int64_t) :: compressed_bytes
  end type

  type, bind(c) :: c_put_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: offset
    type(c_ptr) :: shape
    type(c_ptr) :: strides
    integer(c_int32_t) :: order
    type(c_ptr) :: unit
    type(c_ptr) :: attributes
    type(c_ptr) :: error
  end type

  type, bind(c) :: c_reader_options
    integer(c_size_t) :: struct_size
    type(c_group) :: group
    real(c_double) :: timeout
    type(c_ptr) :: overflow
    integer(c_int64_t) :: start
    integer(c_int32_t) :: resume
    type(c_ptr) :: program
    type(c_ptr) :: placement
    type(c_ptr) :: listen
    type(c_ptr) :: address
    type(c_ptr) :: error
    type(c_ptr) :: codec
    type(c_ptr) :: derive
    type(c_ptr) :: history
  end type

  type, bind(c) :: c_reader_statistics
    integer(c_int64_t) :: steps
    integer(c_int64_t) :: pinned
    real(c_double) :: wait_seconds
    integer(c_int64_t) :: dropped
  end type

  type, bind(c) :: c_block
    integer(c_int32_t) :: rank
    integer(c_int32_t) :: dimensions
    integer(c_int64_t) :: offset(STAITHE_MAX_DIMENSIONS)
    integer(c_int64_t) :: count(STAITHE_MAX_DIMENSIONS)
  end type

  type, bind(c) :: c_recorder_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: attributes
    type(c_ptr) :: error
    type(c_ptr) :: codec
    type(c_ptr) :: variables
    integer(c_size_t) :: variable_count
    integer(c_int32_t) :: resume
  end type

  type, bind(c) :: c_space_options
    integer(c_size_t) :: struct_size
    type(c_group) :: group
    real(c_double) :: timeout
    type(c_ptr) :: server
  end type

  type, bind(c) :: c_space_put_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: offset
    type(c_ptr) :: shape
    type(c_ptr) :: strides
    integer(c_int32_t) :: order
    type(c_ptr) :: unit
    type(c_ptr) :: attributes
    integer(c_int64_t) :: version
    integer(c_int32_t) :: complete
    integer(c_int32_t) :: overlap
    integer(c_int32_t) :: persist
  end type

  type, bind(c) :: c_space_version
    integer(c_int64_t) :: version
    integer(c_int64_t) :: blocks
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: complete
    integer(c_int32_t) :: dtype
    integer(c_int32_t) :: dimensions
    integer(c_int64_t) :: shape(STAITHE_MAX_DIMENSIONS)
    type(c_ptr) :: unit
    integer(c_int64_t) :: completion
  end type

  type, bind(c) :: c_space_loan_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: box
    type(c_ptr) :: shape
    integer(c_int32_t) :: dimensions
    integer(c_int32_t) :: dtype
    integer(c_int32_t) :: order
    integer(c_int32_t) :: complete
    integer(c_int64_t) :: version
    type(c_ptr) :: unit
    type(c_ptr) :: attributes
    real(c_double) :: timeout
    integer(c_int32_t) :: persist
  end type

  type, bind(c) :: c_put_failure
    integer(c_int64_t) :: place
    integer(c_int64_t) :: version
    type(c_ptr) :: variable
    type(c_ptr) :: message
    integer(c_int32_t) :: status
  end type

  type, bind(c) :: c_limits
    integer(c_size_t) :: struct_size
    integer(c_int64_t) :: memory
    integer(c_int64_t) :: descriptors
    integer(c_int64_t) :: connections
    integer(c_int64_t) :: bytes_in_flight
    integer(c_int64_t) :: prefetch
  end type

  type, bind(c) :: c_usage
    integer(c_int64_t) :: memory
    integer(c_int64_t) :: descriptors
    integer(c_int64_t) :: connections
    integer(c_int64_t) :: bytes_in_flight
    integer(c_int64_t) :: prefetch
  end type

  interface
    type(c_ptr) function c_last_error() &
        bind(c, name="staithe_last_error")
      import
    end function
    type(c_ptr) function c_status_name(status) &
        bind(c, name="staithe_status_name")
      import
      integer(c_int32_t), value :: status
    end function
    integer(c_int32_t) function c_abi_version() &
        bind(c, name="staithe_abi_version")
      import
    end function
    type(c_ptr) function c_version() &
        bind(c, name="staithe_version")
      import
    end function
    subroutine c_text_free(text) &
        bind(c, name="staithe_text_free")
      import
      type(c_ptr), intent(inout) :: text
    end subroutine
    integer(c_int64_t) function c_dtype_size(dtype) &
        bind(c, name="staithe_dtype_size")
      import
      integer(c_int32_t), value :: dtype
    end function
    type(c_ptr) function c_dtype_name(dtype) &
        bind(c, name="staithe_dtype_name")
      import
      integer(c_int32_t), value :: dtype
    end function
    integer(c_int32_t) function c_selection_box(selection, dimensions, offset, count) &
        bind(c, name="staithe_selection_box")
      import
      type(c_selection), intent(inout) :: selection
      integer(c_int32_t), value :: dimensions
      type(c_ptr), value :: offset
      integer(c_int64_t), intent(in) :: count(*)
    end function
    integer(c_int64_t) function c_group_stamp() &
        bind(c, name="staithe_group_stamp")
      import
    end function
    integer(c_int64_t) function c_host_number() &
        bind(c, name="staithe_host_number")
      import
    end function
    integer(c_int32_t) function c_group_make_contact(contact) &
        bind(c, name="staithe_group_make_contact")
      import
      character(kind=c_char), intent(inout) :: contact(*)
    end function
    integer(c_int32_t) function c_group_take_contact(contact) &
        bind(c, name="staithe_group_take_contact")
      import
      character(kind=c_char), intent(in) :: contact(*)
    end function
    integer(c_int32_t) function c_attributes_create(attributes) &
        bind(c, name="staithe_attributes_create")
      import
      type(c_ptr), intent(inout) :: attributes
    end function
    subroutine c_attributes_free(attributes) &
        bind(c, name="staithe_attributes_free")
      import
      type(c_ptr), intent(inout) :: attributes
    end subroutine
    integer(c_int32_t) function c_attributes_set_bool(attributes, name, value) &
        bind(c, name="staithe_attributes_set_bool")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), value :: value
    end function
    integer(c_int32_t) function c_attributes_set_int(attributes, name, value) &
        bind(c, name="staithe_attributes_set_int")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
    end function
    integer(c_int32_t) function c_attributes_set_double(attributes, name, value) &
        bind(c, name="staithe_attributes_set_double")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end function
    integer(c_int32_t) function c_attributes_set_string(attributes, name, value) &
        bind(c, name="staithe_attributes_set_string")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: value(*)
    end function
    integer(c_int32_t) function c_attributes_set_ints(attributes, name, values, count) &
        bind(c, name="staithe_attributes_set_ints")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end function
    integer(c_int32_t) function c_attributes_set_doubles(attributes, name, values, count) &
        bind(c, name="staithe_attributes_set_doubles")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end function
    integer(c_int32_t) function c_attributes_set_json(attributes, name, json) &
        bind(c, name="staithe_attributes_set_json")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: json(*)
    end function
    integer(c_int32_t) function c_attributes_get_kind(attributes, name, kind) &
        bind(c, name="staithe_attributes_get_kind")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), intent(inout) :: kind
    end function
    integer(c_int32_t) function c_attributes_get_bool(attributes, name, value) &
        bind(c, name="staithe_attributes_get_bool")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), intent(inout) :: value
    end function
    integer(c_int32_t) function c_attributes_get_int(attributes, name, value) &
        bind(c, name="staithe_attributes_get_int")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: value
    end function
    integer(c_int32_t) function c_attributes_get_double(attributes, name, value) &
        bind(c, name="staithe_attributes_get_double")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(inout) :: value
    end function
    integer(c_int32_t) function c_attributes_get_string(attributes, name, value) &
        bind(c, name="staithe_attributes_get_string")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int32_t) function c_attributes_get_ints(attributes, name, values, capacity, count) &
        bind(c, name="staithe_attributes_get_ints")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: values(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_attributes_get_doubles(attributes, name, values, capacity, count) &
        bind(c, name="staithe_attributes_get_doubles")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_attributes_get_json(attributes, name, json) &
        bind(c, name="staithe_attributes_get_json")
      import
      type(c_ptr), value :: attributes
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: json
    end function
    integer(c_int32_t) function c_attributes_names(attributes, names) &
        bind(c, name="staithe_attributes_names")
      import
      type(c_ptr), value :: attributes
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_names_count(names, count) &
        bind(c, name="staithe_names_count")
      import
      type(c_ptr), value :: names
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_names_get(names, index, name) &
        bind(c, name="staithe_names_get")
      import
      type(c_ptr), value :: names
      integer(c_int64_t), value :: index
      type(c_ptr), intent(inout) :: name
    end function
    subroutine c_names_free(names) &
        bind(c, name="staithe_names_free")
      import
      type(c_ptr), intent(inout) :: names
    end subroutine
    subroutine c_writer_options_init(options, struct_size) &
        bind(c, name="staithe_writer_options_init")
      import
      type(c_writer_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_writer_open(stream, options, writer) &
        bind(c, name="staithe_writer_open")
      import
      character(kind=c_char), intent(in) :: stream(*)
      type(c_writer_options), intent(in) :: options
      type(c_ptr), intent(inout) :: writer
    end function
    integer(c_int32_t) function c_writer_close(writer) &
        bind(c, name="staithe_writer_close")
      import
      type(c_ptr), value :: writer
    end function
    integer(c_int32_t) function c_writer_fail(writer, reason) &
        bind(c, name="staithe_writer_fail")
      import
      type(c_ptr), value :: writer
      character(kind=c_char), intent(in) :: reason(*)
    end function
    subroutine c_writer_free(writer) &
        bind(c, name="staithe_writer_free")
      import
      type(c_ptr), intent(inout) :: writer
    end subroutine
    integer(c_int32_t) function c_writer_name(writer, name) &
        bind(c, name="staithe_writer_name")
      import
      type(c_ptr), value :: writer
      type(c_ptr), intent(inout) :: name
    end function
    integer(c_int32_t) function c_writer_group(writer, group) &
        bind(c, name="staithe_writer_group")
      import
      type(c_ptr), value :: writer
      type(c_group), intent(inout) :: group
    end function
    integer(c_int32_t) function c_writer_placement(writer, placement) &
        bind(c, name="staithe_writer_placement")
      import
      type(c_ptr), value :: writer
      type(c_ptr), intent(inout) :: placement
    end function
    integer(c_int32_t) function c_writer_get_statistics(writer, statistics, struct_size) &
        bind(c, name="staithe_writer_get_statistics")
      import
      type(c_ptr), value :: writer
      type(c_writer_statistics), intent(inout) :: statistics
      integer(c_size_t), value :: struct_size
    end function
    integer(c_int32_t) function c_writer_next_step(writer, number) &
        bind(c, name="staithe_writer_next_step")
      import
      type(c_ptr), value :: writer
      integer(c_int64_t), intent(inout) :: number
    end function
    integer(c_int32_t) function c_writer_begin_step(writer, timeout, step) &
        bind(c, name="staithe_writer_begin_step")
      import
      type(c_ptr), value :: writer
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: step
    end function
    integer(c_int32_t) function c_write_step_index(step, index) &
        bind(c, name="staithe_write_step_index")
      import
      type(c_ptr), value :: step
      integer(c_int64_t), intent(inout) :: index
    end function
    subroutine c_put_options_init(options, struct_size) &
        bind(c, name="staithe_put_options_init")
      import
      type(c_put_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_write_step_put(step, variable, data, dtype, dimensions, count, options) &
        bind(c, name="staithe_write_step_put")
      import
      type(c_ptr), value :: step
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), value :: data
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_put_options), intent(in) :: options
    end function
    integer(c_int32_t) function c_write_step_loan(step, variable, dtype, dimensions, count, options, loan) &
        bind(c, name="staithe_write_step_loan")
      import
      type(c_ptr), value :: step
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_put_options), intent(in) :: options
      type(c_ptr), intent(inout) :: loan
    end function
    integer(c_int32_t) function c_loan_data(loan, data) &
        bind(c, name="staithe_loan_data")
      import
      type(c_ptr), value :: loan
      type(c_ptr), intent(inout) :: data
    end function
    integer(c_int32_t) function c_loan_array(loan, array) &
        bind(c, name="staithe_loan_array")
      import
      type(c_ptr), value :: loan
      type(c_array), intent(inout) :: array
    end function
    integer(c_int32_t) function c_write_step_publish(step, loan) &
        bind(c, name="staithe_write_step_publish")
      import
      type(c_ptr), value :: step
      type(c_ptr), intent(inout) :: loan
    end function
    subroutine c_loan_free(loan) &
        bind(c, name="staithe_loan_free")
      import
      type(c_ptr), intent(inout) :: loan
    end subroutine
    integer(c_int32_t) function c_write_step_set_attributes(step, attributes) &
        bind(c, name="staithe_write_step_set_attributes")
      import
      type(c_ptr), value :: step
      type(c_ptr), value :: attributes
    end function
    integer(c_int32_t) function c_write_step_end(step) &
        bind(c, name="staithe_write_step_end")
      import
      type(c_ptr), intent(inout) :: step
    end function
    integer(c_int32_t) function c_write_step_abandon(step) &
        bind(c, name="staithe_write_step_abandon")
      import
      type(c_ptr), intent(inout) :: step
    end function
    subroutine c_reader_options_init(options, struct_size) &
        bind(c, name="staithe_reader_options_init")
      import
      type(c_reader_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_reader_open(stream, options, reader) &
        bind(c, name="staithe_reader_open")
      import
      character(kind=c_char), intent(in) :: stream(*)
      type(c_reader_options), intent(in) :: options
      type(c_ptr), intent(inout) :: reader
    end function
    integer(c_int32_t) function c_reader_close(reader) &
        bind(c, name="staithe_reader_close")
      import
      type(c_ptr), value :: reader
    end function
    subroutine c_reader_free(reader) &
        bind(c, name="staithe_reader_free")
      import
      type(c_ptr), intent(inout) :: reader
    end subroutine
    integer(c_int32_t) function c_reader_name(reader, name) &
        bind(c, name="staithe_reader_name")
      import
      type(c_ptr), value :: reader
      type(c_ptr), intent(inout) :: name
    end function
    integer(c_int32_t) function c_reader_group(reader, group) &
        bind(c, name="staithe_reader_group")
      import
      type(c_ptr), value :: reader
      type(c_group), intent(inout) :: group
    end function
    integer(c_int32_t) function c_reader_writers(reader, writers) &
        bind(c, name="staithe_reader_writers")
      import
      type(c_ptr), value :: reader
      integer(c_int32_t), intent(inout) :: writers
    end function
    integer(c_int32_t) function c_reader_attributes(reader, attributes) &
        bind(c, name="staithe_reader_attributes")
      import
      type(c_ptr), value :: reader
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_reader_get_statistics(reader, statistics, struct_size) &
        bind(c, name="staithe_reader_get_statistics")
      import
      type(c_ptr), value :: reader
      type(c_reader_statistics), intent(inout) :: statistics
      integer(c_size_t), value :: struct_size
    end function
    integer(c_int32_t) function c_reader_next(reader, timeout, step) &
        bind(c, name="staithe_reader_next")
      import
      type(c_ptr), value :: reader
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: step
    end function
    integer(c_int32_t) function c_reader_pause(reader) &
        bind(c, name="staithe_reader_pause")
      import
      type(c_ptr), value :: reader
    end function
    integer(c_int32_t) function c_reader_resume(reader) &
        bind(c, name="staithe_reader_resume")
      import
      type(c_ptr), value :: reader
    end function
    integer(c_int32_t) function c_reader_follow_latest(reader) &
        bind(c, name="staithe_reader_follow_latest")
      import
      type(c_ptr), value :: reader
    end function
    subroutine c_read_step_release(step) &
        bind(c, name="staithe_read_step_release")
      import
      type(c_ptr), intent(inout) :: step
    end subroutine
    integer(c_int32_t) function c_read_step_index(step, index) &
        bind(c, name="staithe_read_step_index")
      import
      type(c_ptr), value :: step
      integer(c_int64_t), intent(inout) :: index
    end function
    integer(c_int32_t) function c_read_step_attributes(step, attributes) &
        bind(c, name="staithe_read_step_attributes")
      import
      type(c_ptr), value :: step
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_read_step_variables(step, names) &
        bind(c, name="staithe_read_step_variables")
      import
      type(c_ptr), value :: step
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_read_step_variable(step, name, variable) &
        bind(c, name="staithe_read_step_variable")
      import
      type(c_ptr), value :: step
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: variable
    end function
    integer(c_int32_t) function c_read_step_derive(step, expression, variable) &
        bind(c, name="staithe_read_step_derive")
      import
      type(c_ptr), value :: step
      character(kind=c_char), intent(in) :: expression(*)
      type(c_ptr), intent(inout) :: variable
    end function
    subroutine c_variable_free(variable) &
        bind(c, name="staithe_variable_free")
      import
      type(c_ptr), intent(inout) :: variable
    end subroutine
    integer(c_int32_t) function c_variable_name(variable, name) &
        bind(c, name="staithe_variable_name")
      import
      type(c_ptr), value :: variable
      type(c_ptr), intent(inout) :: name
    end function
    integer(c_int32_t) function c_variable_dtype(variable, dtype) &
        bind(c, name="staithe_variable_dtype")
      import
      type(c_ptr), value :: variable
      integer(c_int32_t), intent(inout) :: dtype
    end function
    integer(c_int32_t) function c_variable_shape(variable, dimensions, shape) &
        bind(c, name="staithe_variable_shape")
      import
      type(c_ptr), value :: variable
      integer(c_int32_t), intent(inout) :: dimensions
      integer(c_int64_t), intent(inout) :: shape(*)
    end function
    integer(c_int32_t) function c_variable_is_local(variable, is_local) &
        bind(c, name="staithe_variable_is_local")
      import
      type(c_ptr), value :: variable
      integer(c_int32_t), intent(inout) :: is_local
    end function
    integer(c_int32_t) function c_variable_unit(variable, unit) &
        bind(c, name="staithe_variable_unit")
      import
      type(c_ptr), value :: variable
      type(c_ptr), intent(inout) :: unit
    end function
    integer(c_int32_t) function c_variable_error(variable, error) &
        bind(c, name="staithe_variable_error")
      import
      type(c_ptr), value :: variable
      type(c_ptr), intent(inout) :: error
    end function
    integer(c_int32_t) function c_variable_attributes(variable, attributes) &
        bind(c, name="staithe_variable_attributes")
      import
      type(c_ptr), value :: variable
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_variable_select_all(variable, selection) &
        bind(c, name="staithe_variable_select_all")
      import
      type(c_ptr), value :: variable
      type(c_selection), intent(inout) :: selection
    end function
    integer(c_int32_t) function c_variable_select_share(variable, share, group, selection) &
        bind(c, name="staithe_variable_select_share")
      import
      type(c_ptr), value :: variable
      integer(c_int32_t), value :: share
      type(c_group), intent(in) :: group
      type(c_selection), intent(inout) :: selection
    end function
    integer(c_int32_t) function c_variable_read(variable, selection, dtype, destination, strides) &
        bind(c, name="staithe_variable_read")
      import
      type(c_ptr), value :: variable
      type(c_selection), intent(in) :: selection
      integer(c_int32_t), value :: dtype
      type(c_ptr), value :: destination
      integer(c_int64_t), intent(in) :: strides(*)
    end function
    integer(c_int32_t) function c_variable_view(variable, selection, view) &
        bind(c, name="staithe_variable_view")
      import
      type(c_ptr), value :: variable
      type(c_selection), intent(in) :: selection
      type(c_ptr), intent(inout) :: view
    end function
    integer(c_int32_t) function c_variable_reduce(variable, how, selection, axes, axis_count, view) &
        bind(c, name="staithe_variable_reduce")
      import
      type(c_ptr), value :: variable
      character(kind=c_char), intent(in) :: how(*)
      type(c_selection), intent(in) :: selection
      type(c_ptr), value :: axes
      integer(c_size_t), value :: axis_count
      type(c_ptr), intent(inout) :: view
    end function
    integer(c_int32_t) function c_view_array(view, array) &
        bind(c, name="staithe_view_array")
      import
      type(c_ptr), value :: view
      type(c_array), intent(inout) :: array
    end function
    integer(c_int32_t) function c_view_read(view, dtype, destination, strides) &
        bind(c, name="staithe_view_read")
      import
      type(c_ptr), value :: view
      integer(c_int32_t), value :: dtype
      type(c_ptr), value :: destination
      integer(c_int64_t), intent(in) :: strides(*)
    end function
    subroutine c_view_free(view) &
        bind(c, name="staithe_view_free")
      import
      type(c_ptr), intent(inout) :: view
    end subroutine
    integer(c_int32_t) function c_running_reduction_create(how, axes, axis_count, reduction) &
        bind(c, name="staithe_running_reduction_create")
      import
      character(kind=c_char), intent(in) :: how(*)
      type(c_ptr), value :: axes
      integer(c_size_t), value :: axis_count
      type(c_ptr), intent(inout) :: reduction
    end function
    integer(c_int32_t) function c_running_reduction_add(reduction, variable, selection) &
        bind(c, name="staithe_running_reduction_add")
      import
      type(c_ptr), value :: reduction
      type(c_ptr), value :: variable
      type(c_selection), intent(in) :: selection
    end function
    integer(c_int32_t) function c_running_reduction_result(reduction, view) &
        bind(c, name="staithe_running_reduction_result")
      import
      type(c_ptr), value :: reduction
      type(c_ptr), intent(inout) :: view
    end function
    integer(c_int32_t) function c_running_reduction_steps(reduction, steps) &
        bind(c, name="staithe_running_reduction_steps")
      import
      type(c_ptr), value :: reduction
      integer(c_int64_t), intent(inout) :: steps
    end function
    subroutine c_running_reduction_free(reduction) &
        bind(c, name="staithe_running_reduction_free")
      import
      type(c_ptr), intent(inout) :: reduction
    end subroutine
    integer(c_int32_t) function c_variable_block_count(variable, count) &
        bind(c, name="staithe_variable_block_count")
      import
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_variable_block(variable, index, block) &
        bind(c, name="staithe_variable_block")
      import
      type(c_ptr), value :: variable
      integer(c_int64_t), value :: index
      type(c_block), intent(inout) :: block
    end function
    integer(c_int32_t) function c_variable_block_view(variable, index, view) &
        bind(c, name="staithe_variable_block_view")
      import
      type(c_ptr), value :: variable
      integer(c_int64_t), value :: index
      type(c_ptr), intent(inout) :: view
    end function
    integer(c_int32_t) function c_variable_share_of_blocks(variable, group, indices, capacity, count) &
        bind(c, name="staithe_variable_share_of_blocks")
      import
      type(c_ptr), value :: variable
      type(c_group), intent(in) :: group
      integer(c_int64_t), intent(inout) :: indices(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: count
    end function
    subroutine c_recorder_options_init(options, struct_size) &
        bind(c, name="staithe_recorder_options_init")
      import
      type(c_recorder_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_recorder_open(path, options, recorder) &
        bind(c, name="staithe_recorder_open")
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_recorder_options), intent(in) :: options
      type(c_ptr), intent(inout) :: recorder
    end function
    integer(c_int32_t) function c_recorder_append(recorder, step) &
        bind(c, name="staithe_recorder_append")
      import
      type(c_ptr), value :: recorder
      type(c_ptr), value :: step
    end function
    integer(c_int32_t) function c_recorder_newest(recorder, step) &
        bind(c, name="staithe_recorder_newest")
      import
      type(c_ptr), value :: recorder
      integer(c_int64_t), intent(inout) :: step
    end function
    integer(c_int32_t) function c_recorder_path(recorder, path) &
        bind(c, name="staithe_recorder_path")
      import
      type(c_ptr), value :: recorder
      type(c_ptr), intent(inout) :: path
    end function
    integer(c_int32_t) function c_recorder_close(recorder) &
        bind(c, name="staithe_recorder_close")
      import
      type(c_ptr), value :: recorder
    end function
    subroutine c_recorder_free(recorder) &
        bind(c, name="staithe_recorder_free")
      import
      type(c_ptr), intent(inout) :: recorder
    end subroutine
    subroutine c_space_options_init(options, struct_size) &
        bind(c, name="staithe_space_options_init")
      import
      type(c_space_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_space_open(name, options, space) &
        bind(c, name="staithe_space_open")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_space_options), intent(in) :: options
      type(c_ptr), intent(inout) :: space
    end function
    integer(c_int32_t) function c_space_close(space) &
        bind(c, name="staithe_space_close")
      import
      type(c_ptr), value :: space
    end function
    subroutine c_space_free(space) &
        bind(c, name="staithe_space_free")
      import
      type(c_ptr), intent(inout) :: space
    end subroutine
    integer(c_int32_t) function c_space_name(space, name) &
        bind(c, name="staithe_space_name")
      import
      type(c_ptr), value :: space
      type(c_ptr), intent(inout) :: name
    end function
    integer(c_int32_t) function c_space_kept_by(space, title) &
        bind(c, name="staithe_space_kept_by")
      import
      type(c_ptr), value :: space
      type(c_ptr), intent(inout) :: title
    end function
    subroutine c_space_put_options_init(options, struct_size) &
        bind(c, name="staithe_space_put_options_init")
      import
      type(c_space_put_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_space_put(space, variable, data, dtype, dimensions, count, options, version) &
        bind(c, name="staithe_space_put")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), value :: data
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_space_put_options), intent(in) :: options
      integer(c_int64_t), intent(inout) :: version
    end function
    integer(c_int32_t) function c_space_get(space, variable, version, box, timeout, array) &
        bind(c, name="staithe_space_get")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int32_t) function c_space_get_completed(space, variable, version, completion, box, timeout, array) &
        bind(c, name="staithe_space_get_completed")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
      integer(c_int64_t), value :: completion
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: array
    end function
    subroutine c_space_array_free(array) &
        bind(c, name="staithe_space_array_free")
      import
      type(c_ptr), intent(inout) :: array
    end subroutine
    integer(c_int32_t) function c_space_array_version(array, version) &
        bind(c, name="staithe_space_array_version")
      import
      type(c_ptr), value :: array
      integer(c_int64_t), intent(inout) :: version
    end function
    integer(c_int32_t) function c_space_array_dtype(array, dtype) &
        bind(c, name="staithe_space_array_dtype")
      import
      type(c_ptr), value :: array
      integer(c_int32_t), intent(inout) :: dtype
    end function
    integer(c_int32_t) function c_space_array_shape(array, dimensions, shape) &
        bind(c, name="staithe_space_array_shape")
      import
      type(c_ptr), value :: array
      integer(c_int32_t), intent(inout) :: dimensions
      integer(c_int64_t), intent(inout) :: shape(*)
    end function
    integer(c_int32_t) function c_space_array_box(array, box) &
        bind(c, name="staithe_space_array_box")
      import
      type(c_ptr), value :: array
      type(c_selection), intent(inout) :: box
    end function
    integer(c_int32_t) function c_space_array_unit(array, unit) &
        bind(c, name="staithe_space_array_unit")
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: unit
    end function
    integer(c_int32_t) function c_space_array_attributes(array, attributes) &
        bind(c, name="staithe_space_array_attributes")
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_space_array_read(array, dtype, destination, strides) &
        bind(c, name="staithe_space_array_read")
      import
      type(c_ptr), value :: array
      integer(c_int32_t), value :: dtype
      type(c_ptr), value :: destination
      integer(c_int64_t), intent(in) :: strides(*)
    end function
    integer(c_int32_t) function c_space_array_view(array, view) &
        bind(c, name="staithe_space_array_view")
      import
      type(c_ptr), value :: array
      type(c_ptr), intent(inout) :: view
    end function
    integer(c_int32_t) function c_space_read(space, variable, version, offset, timeout, dtype, dimensions, count, &
        destination, strides, got) &
        bind(c, name="staithe_space_read")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
      type(c_ptr), value :: offset
      real(c_double), value :: timeout
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_ptr), value :: destination
      integer(c_int64_t), intent(in) :: strides(*)
      integer(c_int64_t), intent(inout) :: got
    end function
    integer(c_int32_t) function c_space_reduce(space, variable, how, axes, axis_count, version, box, timeout, array) &
        bind(c, name="staithe_space_reduce")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      character(kind=c_char), intent(in) :: how(*)
      type(c_ptr), value :: axes
      integer(c_size_t), value :: axis_count
      integer(c_int64_t), value :: version
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int32_t) function c_space_blocks(space, variable, version, box, timeout, boxes) &
        bind(c, name="staithe_space_blocks")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: boxes
    end function
    subroutine c_boxes_free(boxes) &
        bind(c, name="staithe_boxes_free")
      import
      type(c_ptr), intent(inout) :: boxes
    end subroutine
    integer(c_int32_t) function c_boxes_count(boxes, count) &
        bind(c, name="staithe_boxes_count")
      import
      type(c_ptr), value :: boxes
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_boxes_get(boxes, index, box) &
        bind(c, name="staithe_boxes_get")
      import
      type(c_ptr), value :: boxes
      integer(c_int64_t), value :: index
      type(c_selection), intent(inout) :: box
    end function
    integer(c_int32_t) function c_space_names(space, pattern, names) &
        bind(c, name="staithe_space_names")
      import
      type(c_ptr), value :: space
      type(c_ptr), value :: pattern
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_space_containers(space, pattern, names) &
        bind(c, name="staithe_space_containers")
      import
      type(c_ptr), value :: space
      type(c_ptr), value :: pattern
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_space_set_attributes(space, path, attributes) &
        bind(c, name="staithe_space_set_attributes")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: attributes
    end function
    integer(c_int32_t) function c_space_attributes(space, path, attributes) &
        bind(c, name="staithe_space_attributes")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_space_versions(space, variable, versions) &
        bind(c, name="staithe_space_versions")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), intent(inout) :: versions
    end function
    subroutine c_versions_free(versions) &
        bind(c, name="staithe_versions_free")
      import
      type(c_ptr), intent(inout) :: versions
    end subroutine
    integer(c_int32_t) function c_versions_count(versions, count) &
        bind(c, name="staithe_versions_count")
      import
      type(c_ptr), value :: versions
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_versions_get(versions, index, version, struct_size) &
        bind(c, name="staithe_versions_get")
      import
      type(c_ptr), value :: versions
      integer(c_int64_t), value :: index
      type(c_space_version), intent(inout) :: version
      integer(c_size_t), value :: struct_size
    end function
    integer(c_int32_t) function c_versions_attributes(versions, index, attributes) &
        bind(c, name="staithe_versions_attributes")
      import
      type(c_ptr), value :: versions
      integer(c_int64_t), value :: index
      type(c_ptr), intent(inout) :: attributes
    end function
    integer(c_int32_t) function c_space_remove(space, variable, version) &
        bind(c, name="staithe_space_remove")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
    end function
    integer(c_int32_t) function c_space_remove_variable(space, variable) &
        bind(c, name="staithe_space_remove_variable")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
    end function
    integer(c_int32_t) function c_space_remove_container(space, path, removed) &
        bind(c, name="staithe_space_remove_container")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), intent(inout) :: removed
    end function
    integer(c_int32_t) function c_space_keep(space, variable, versions, bytes, seconds) &
        bind(c, name="staithe_space_keep")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: versions
      integer(c_int64_t), value :: bytes
      real(c_double), value :: seconds
    end function
    integer(c_int32_t) function c_space_query(space, condition, version, most, hits) &
        bind(c, name="staithe_space_query")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: condition(*)
      integer(c_int64_t), value :: version
      integer(c_int64_t), value :: most
      type(c_ptr), intent(inout) :: hits
    end function
    integer(c_int32_t) function c_space_values(space, hits, variable, array) &
        bind(c, name="staithe_space_values")
      import
      type(c_ptr), value :: space
      type(c_ptr), value :: hits
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), intent(inout) :: array
    end function
    subroutine c_hits_free(hits) &
        bind(c, name="staithe_hits_free")
      import
      type(c_ptr), intent(inout) :: hits
    end subroutine
    integer(c_int32_t) function c_hits_version(hits, version) &
        bind(c, name="staithe_hits_version")
      import
      type(c_ptr), value :: hits
      integer(c_int64_t), intent(inout) :: version
    end function
    integer(c_int32_t) function c_hits_elements(hits, elements) &
        bind(c, name="staithe_hits_elements")
      import
      type(c_ptr), value :: hits
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int32_t) function c_hits_variables(hits, names) &
        bind(c, name="staithe_hits_variables")
      import
      type(c_ptr), value :: hits
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_hits_completion(hits, index, completion) &
        bind(c, name="staithe_hits_completion")
      import
      type(c_ptr), value :: hits
      integer(c_int64_t), value :: index
      integer(c_int64_t), intent(inout) :: completion
    end function
    integer(c_int32_t) function c_hits_count(hits, count) &
        bind(c, name="staithe_hits_count")
      import
      type(c_ptr), value :: hits
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_hits_box(hits, index, box) &
        bind(c, name="staithe_hits_box")
      import
      type(c_ptr), value :: hits
      integer(c_int64_t), value :: index
      type(c_selection), intent(inout) :: box
    end function
    integer(c_int32_t) function c_space_lock(space, variable, mode, box, timeout, lease, lock) &
        bind(c, name="staithe_space_lock")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int32_t), value :: mode
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      real(c_double), value :: lease
      type(c_ptr), intent(inout) :: lock
    end function
    integer(c_int32_t) function c_lock_release(lock) &
        bind(c, name="staithe_lock_release")
      import
      type(c_ptr), intent(inout) :: lock
    end function
    subroutine c_lock_free(lock) &
        bind(c, name="staithe_lock_free")
      import
      type(c_ptr), intent(inout) :: lock
    end subroutine
    subroutine c_space_loan_options_init(options, struct_size) &
        bind(c, name="staithe_space_loan_options_init")
      import
      type(c_space_loan_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_space_loan(space, variable, options, loan) &
        bind(c, name="staithe_space_loan")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      type(c_space_loan_options), intent(in) :: options
      type(c_ptr), intent(inout) :: loan
    end function
    integer(c_int32_t) function c_space_publish(space, loan, version) &
        bind(c, name="staithe_space_publish")
      import
      type(c_ptr), value :: space
      type(c_ptr), intent(inout) :: loan
      integer(c_int64_t), intent(inout) :: version
    end function
    integer(c_int32_t) function c_space_batch(space, batch) &
        bind(c, name="staithe_space_batch")
      import
      type(c_ptr), value :: space
      type(c_ptr), intent(inout) :: batch
    end function
    integer(c_int32_t) function c_batch_put(batch, variable, data, dtype, dimensions, count, options) &
        bind(c, name="staithe_batch_put")
      import
      type(c_ptr), value :: batch
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), value :: data
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_space_put_options), intent(in) :: options
    end function
    integer(c_int32_t) function c_batch_send(batch) &
        bind(c, name="staithe_batch_send")
      import
      type(c_ptr), value :: batch
    end function
    integer(c_int32_t) function c_batch_pending(batch, count) &
        bind(c, name="staithe_batch_pending")
      import
      type(c_ptr), value :: batch
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_batch_failure_count(batch, count) &
        bind(c, name="staithe_batch_failure_count")
      import
      type(c_ptr), value :: batch
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int32_t) function c_batch_failure(batch, index, failure, struct_size) &
        bind(c, name="staithe_batch_failure")
      import
      type(c_ptr), value :: batch
      integer(c_int64_t), value :: index
      type(c_put_failure), intent(inout) :: failure
      integer(c_size_t), value :: struct_size
    end function
    subroutine c_batch_free(batch) &
        bind(c, name="staithe_batch_free")
      import
      type(c_ptr), intent(inout) :: batch
    end subroutine
    integer(c_int32_t) function c_space_watch(space, variable, oldest, timeout, watch) &
        bind(c, name="staithe_space_watch")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int32_t), value :: oldest
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: watch
    end function
    integer(c_int32_t) function c_watch_next(watch, version, ended) &
        bind(c, name="staithe_watch_next")
      import
      type(c_ptr), value :: watch
      integer(c_int64_t), intent(inout) :: version
      integer(c_int32_t), intent(inout) :: ended
    end function
    subroutine c_watch_free(watch) &
        bind(c, name="staithe_watch_free")
      import
      type(c_ptr), intent(inout) :: watch
    end subroutine
    integer(c_int32_t) function c_space_get_async(space, variable, version, box, timeout, future) &
        bind(c, name="staithe_space_get_async")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: version
      type(c_ptr), value :: box
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: future
    end function
    integer(c_int32_t) function c_space_put_async(space, variable, data, dtype, dimensions, count, options, future) &
        bind(c, name="staithe_space_put_async")
      import
      type(c_ptr), value :: space
      character(kind=c_char), intent(in) :: variable(*)
      type(c_ptr), value :: data
      integer(c_int32_t), value :: dtype
      integer(c_int32_t), value :: dimensions
      integer(c_int64_t), intent(in) :: count(*)
      type(c_space_put_options), intent(in) :: options
      type(c_ptr), intent(inout) :: future
    end function
    integer(c_int32_t) function c_future_is_ready(future, is_ready) &
        bind(c, name="staithe_future_is_ready")
      import
      type(c_ptr), value :: future
      integer(c_int32_t), intent(inout) :: is_ready
    end function
    integer(c_int32_t) function c_future_wait(future, timeout) &
        bind(c, name="staithe_future_wait")
      import
      type(c_ptr), value :: future
      real(c_double), value :: timeout
    end function
    integer(c_int32_t) function c_future_array(future, array) &
        bind(c, name="staithe_future_array")
      import
      type(c_ptr), intent(inout) :: future
      type(c_ptr), intent(inout) :: array
    end function
    integer(c_int32_t) function c_future_version(future, version) &
        bind(c, name="staithe_future_version")
      import
      type(c_ptr), intent(inout) :: future
      integer(c_int64_t), intent(inout) :: version
    end function
    subroutine c_future_free(future) &
        bind(c, name="staithe_future_free")
      import
      type(c_ptr), intent(inout) :: future
    end subroutine
    subroutine c_limits_init(limits, struct_size) &
        bind(c, name="staithe_limits_init")
      import
      type(c_limits), intent(inout) :: limits
      integer(c_size_t), value :: struct_size
    end subroutine
    integer(c_int32_t) function c_set_limits(limits) &
        bind(c, name="staithe_set_limits")
      import
      type(c_limits), intent(in) :: limits
    end function
    integer(c_int32_t) function c_get_limits(limits, struct_size) &
        bind(c, name="staithe_get_limits")
      import
      type(c_limits), intent(inout) :: limits
      integer(c_size_t), value :: struct_size
    end function
    integer(c_int32_t) function c_get_usage(usage, struct_size) &
        bind(c, name="staithe_get_usage")
      import
      type(c_usage), intent(inout) :: usage
      integer(c_size_t), value :: struct_size
    end function
    integer(c_int32_t) function c_stream_names(names) &
        bind(c, name="staithe_stream_names")
      import
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_describe(stream, timeout, json) &
        bind(c, name="staithe_describe")
      import
      character(kind=c_char), intent(in) :: stream(*)
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: json
    end function
    integer(c_int32_t) function c_server_names(names) &
        bind(c, name="staithe_server_names")
      import
      type(c_ptr), intent(inout) :: names
    end function
    integer(c_int32_t) function c_describe_server(server, timeout, json) &
        bind(c, name="staithe_describe_server")
      import
      character(kind=c_char), intent(in) :: server(*)
      real(c_double), value :: timeout
      type(c_ptr), intent(inout) :: json
    end function
  end interface
end module
