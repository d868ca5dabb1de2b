// Start here: the C interface of Staithe. C99 and C++; other languages (Fortran: see fortran/) build upon it.
//
// The words: a *stream* is an ordered sequence of *steps*; a step is an atomic set of *variables*; a variable is made
// of *blocks*, each the data of one *box* from one rank of the writer *group*. One program writes,
//
//     staithe_writer* out = NULL;
//     staithe_writer_open("wave", NULL, &out);
//     staithe_write_step* step = NULL;
//     staithe_writer_begin_step(out, STAITHE_UNSET, &step);
//     staithe_write_step_put(step, "u", u, STAITHE_F64, 2, count, NULL);
//     staithe_write_step_end(&step);
//     staithe_writer_close(out);
//     staithe_writer_free(&out);
//
// and others read, in whatever language. What holds for all calls, unless a call says otherwise:
//
// Errors. A call returns STAITHE_OK or says what failed; `staithe_last_error` has the sentence. A handle or pointer
// that is NULL where one is needed gives STAITHE_INVALID_ARGUMENT, memory that ran out STAITHE_LIMIT_REACHED. A call
// that failed has put NULL where it would have put a handle or a text, and has left other results alone.
// Ownership. A call that takes the address of a handle either makes the handle, which is then yours to free, or ends
// it and puts NULL in its place, whatever it returns: so freeing twice does no harm, and freeing NULL does nothing.
// Handles may be freed in any order: each keeps what it needs. Texts that come as `const char*` belong to the handle
// that was asked and live as long as it; those that come as `char*` are yours: `staithe_text_free`. All texts are
// UTF-8. Arguments are copied or used within the call; only what a loan or a view points to is shared.
// Blocking. Calls with a timeout wait at most so many seconds, STAITHE_UNSET meaning the handle's own timeout. The
// others do not wait for other processes.
// Threads. A writer, its steps and its loans are for one thread at a time, and so is a reader. What a reader gives
// (read steps, variables, views) and attributes may be asked by several threads at once while none frees or changes
// them.
//
// Versions. Programs built with STAITHE_ABI_VERSION run with every library whose `staithe_abi_version` is the same.
// Within it calls are added and never changed; structures with a `struct_size` grow at their end, so a program must
// have them filled by their `_init` first; other structures stay as they are.
#ifndef STAITHE_STAITHE_H
#define STAITHE_STAITHE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define STAITHE_API __attribute__((visibility("default")))
#else
#define STAITHE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Which calls and structures there are: see the head.
#define STAITHE_ABI_VERSION 1

/// Dimensions of an array, at most.
#define STAITHE_MAX_DIMENSIONS 8

/// In the place of a number: not given. The handle's own timeout; what STAITHE_STREAMS or STAITHE_LIMITS says; or the
/// default.
#define STAITHE_UNSET (-1)

// ---- Errors and versions ----------------------------------------------------------------------------------------

// Types of named numbers are int32_t: the size of an enum would be the compiler's choice.
/// How a call went: one of the numbers from STAITHE_OK on.
typedef int32_t staithe_status;
enum {
    STAITHE_OK = 0,
    STAITHE_INVALID_ARGUMENT = 1,  // the call cannot mean anything: a shape, a name, a dtype that does not fit
    STAITHE_NOT_FOUND = 2,         // no such stream, variable or attribute; nobody wrote what was asked for
    STAITHE_ALREADY_EXISTS = 3,    // the name is taken by a live writer, or a variable was put twice in a step
    STAITHE_TIMEOUT = 4,           // a deadline passed
    STAITHE_PEER_LOST = 5,         // another process died or went away in the middle
    STAITHE_CLOSED = 6,            // this object was closed before
    STAITHE_LIMIT_REACHED = 7,     // a budget or a limit of the machine: memory, descriptors
    STAITHE_PROTOCOL = 8,          // a peer sent what this version does not understand
    STAITHE_SYSTEM = 9,            // the operating system refused
    STAITHE_WRITER_FAILED = 10,    // a writer ended its stream as failed, since its program could not go on
    STAITHE_DEADLOCK = 11          // programs wait for each other in a circle
};

/// What the last call of this thread that failed had to say: what happened, to whom, what to do. Never NULL; empty if
/// none failed. Lives until the next failure in this thread.
STAITHE_API const char* staithe_last_error(void);

/// A status in one word, such as "peer_lost"; "ok"; "unknown" for a number that is none. Lives for ever.
STAITHE_API const char* staithe_status_name(staithe_status status);

/// The library's STAITHE_ABI_VERSION.
STAITHE_API int32_t staithe_abi_version(void);

/// The library's version, such as "0.1.0". Lives for ever.
STAITHE_API const char* staithe_version(void);

/// Frees a text that a call gave as `char*`.
STAITHE_API void staithe_text_free(char** text);

// ---- Arrays -----------------------------------------------------------------------------------------------------

/// The type of an array's elements: one of the numbers from STAITHE_BOOL on.
typedef int32_t staithe_dtype;
enum {
    STAITHE_BOOL = 0,  // one byte, 0 or 1: bool, _Bool
    STAITHE_I8 = 1,
    STAITHE_I16 = 2,
    STAITHE_I32 = 3,
    STAITHE_I64 = 4,
    STAITHE_U8 = 5,
    STAITHE_U16 = 6,
    STAITHE_U32 = 7,
    STAITHE_U64 = 8,
    STAITHE_F16 = 9,
    STAITHE_F32 = 10,   // float
    STAITHE_F64 = 11,   // double
    STAITHE_F128 = 12,  // long double: on x86 80 significant bits in 16 bytes
    STAITHE_C64 = 13,   // complex numbers are named by all their bits: two floats
    STAITHE_C128 = 14,
    STAITHE_C256 = 15
};

/// Bytes of one element; 0 for a number that is no dtype.
STAITHE_API int64_t staithe_dtype_size(staithe_dtype dtype);

/// NumPy's short name, such as "f8"; "unknown" for a number that is no dtype. Lives for ever.
STAITHE_API const char* staithe_dtype_name(staithe_dtype dtype);

/// How elements lie in memory that has no gaps: STAITHE_ROW_MAJOR or STAITHE_COLUMN_MAJOR.
typedef int32_t staithe_order;
enum {
    STAITHE_ROW_MAJOR = 0,    // the last index runs fastest, as in C
    STAITHE_COLUMN_MAJOR = 1  // the first index runs fastest, as in Fortran
};

/// An array in memory. Strides are the bytes from one element to the next along each dimension, and may be negative.
typedef struct staithe_array {
    const void* data;  // element (0, 0, …)
    staithe_dtype dtype;
    int32_t dimensions;
    int64_t shape[STAITHE_MAX_DIMENSIONS];
    int64_t strides[STAITHE_MAX_DIMENSIONS];
} staithe_array;

/// Some elements of a variable: along each dimension the indices start, start + step, …, so many as count says.
typedef struct staithe_selection {
    int64_t dimensions;
    int64_t start[STAITHE_MAX_DIMENSIONS];
    int64_t step[STAITHE_MAX_DIMENSIONS];  // may be negative, not zero
    int64_t count[STAITHE_MAX_DIMENSIONS];
} staithe_selection;

/// Makes the selection of a box: `dimensions` numbers in `offset` (NULL: all zero) and in `count`.
STAITHE_API staithe_status staithe_selection_box(staithe_selection* selection, int32_t dimensions,
                                                 const int64_t* offset, const int64_t* count);

// ---- Groups -----------------------------------------------------------------------------------------------------

/// One rank of the ranks that together write or read a stream. <staithe/mpi.h> makes it of an MPI communicator.
typedef struct staithe_group {
    int32_t rank;
    int32_t size;
    /// Tells apart two groups of one program that open the same stream at the same time. Ranks of one group have the
    /// same text; empty is fine unless there are such twins.
    char id[56];
} staithe_group;

/// A number to make an `id` of: one rank takes it, and tells the others. It is the time in nanoseconds.
STAITHE_API int64_t staithe_group_stamp(void);

/// For whoever makes groups of what starts processes, as <staithe/mpi.h> does: differs between hosts, and is the same
/// in all processes of one.
STAITHE_API int64_t staithe_host_number(void);

/// The bytes of a contact, with its end.
#define STAITHE_GROUP_CONTACT_SIZE 8192

/// In rank 0 of a group on several hosts: writes the text by which the others find it, before any of them opens a
/// stream. It listens for them from now on until it ends, where STAITHE_LISTEN says, else at a port that is free. The
/// text is empty if that is "off", or if it cannot listen: a warning says why. It holds a key: pass it by ways that
/// nobody else can read.
STAITHE_API staithe_status staithe_group_make_contact(char* contact);

/// In every other rank: takes what rank 0 has written. STAITHE_PROTOCOL if the ranks have different versions of
/// Staithe.
STAITHE_API staithe_status staithe_group_take_contact(const char* contact);

// ---- Attributes -------------------------------------------------------------------------------------------------

/// Small named values of a stream, a step or a variable.
typedef struct staithe_attributes staithe_attributes;

/// The kind of an attribute: one of the numbers from STAITHE_KIND_NULL on.
typedef int32_t staithe_kind;
enum {
    STAITHE_KIND_NULL = 0,
    STAITHE_KIND_BOOL = 1,
    STAITHE_KIND_INT = 2,
    STAITHE_KIND_DOUBLE = 3,
    STAITHE_KIND_STRING = 4,
    STAITHE_KIND_LIST = 5,
    STAITHE_KIND_MAP = 6
};

/// Makes an empty set of attributes.
STAITHE_API staithe_status staithe_attributes_create(staithe_attributes** attributes);
STAITHE_API void staithe_attributes_free(staithe_attributes** attributes);

/// Sets an attribute, in the place of one of that name.
STAITHE_API staithe_status staithe_attributes_set_bool(staithe_attributes* attributes, const char* name, int32_t value);
STAITHE_API staithe_status staithe_attributes_set_int(staithe_attributes* attributes, const char* name, int64_t value);
STAITHE_API staithe_status staithe_attributes_set_double(staithe_attributes* attributes, const char* name,
                                                         double value);
STAITHE_API staithe_status staithe_attributes_set_string(staithe_attributes* attributes, const char* name,
                                                         const char* value);
/// A list of numbers.
STAITHE_API staithe_status staithe_attributes_set_ints(staithe_attributes* attributes, const char* name,
                                                       const int64_t* values, size_t count);
STAITHE_API staithe_status staithe_attributes_set_doubles(staithe_attributes* attributes, const char* name,
                                                          const double* values, size_t count);
/// Any value, as JSON: lists, maps, null. STAITHE_INVALID_ARGUMENT says where the text is wrong.
STAITHE_API staithe_status staithe_attributes_set_json(staithe_attributes* attributes, const char* name,
                                                       const char* json);

/// Gets an attribute. STAITHE_NOT_FOUND if there is none of that name, STAITHE_INVALID_ARGUMENT if it is of another
/// kind; an int counts as a double, too. The string belongs to `attributes`, and lives until that changes.
STAITHE_API staithe_status staithe_attributes_get_kind(const staithe_attributes* attributes, const char* name,
                                                       staithe_kind* kind);
STAITHE_API staithe_status staithe_attributes_get_bool(const staithe_attributes* attributes, const char* name,
                                                       int32_t* value);
STAITHE_API staithe_status staithe_attributes_get_int(const staithe_attributes* attributes, const char* name,
                                                      int64_t* value);
STAITHE_API staithe_status staithe_attributes_get_double(const staithe_attributes* attributes, const char* name,
                                                         double* value);
STAITHE_API staithe_status staithe_attributes_get_string(const staithe_attributes* attributes, const char* name,
                                                         const char** value);
/// A list of numbers: writes at most `capacity` of them, and to `count` how many there are. With a capacity of 0
/// `values` may be NULL.
STAITHE_API staithe_status staithe_attributes_get_ints(const staithe_attributes* attributes, const char* name,
                                                       int64_t* values, size_t capacity, size_t* count);
STAITHE_API staithe_status staithe_attributes_get_doubles(const staithe_attributes* attributes, const char* name,
                                                          double* values, size_t capacity, size_t* count);
/// Any value as JSON, which has null for NaN and infinities. NULL as the name: a map of all attributes.
STAITHE_API staithe_status staithe_attributes_get_json(const staithe_attributes* attributes, const char* name,
                                                       char** json);

/// A list of names.
typedef struct staithe_names staithe_names;

/// The names of all attributes, in the order of the alphabet.
STAITHE_API staithe_status staithe_attributes_names(const staithe_attributes* attributes, staithe_names** names);

STAITHE_API staithe_status staithe_names_count(const staithe_names* names, int64_t* count);
/// Name `index`, counted from 0.
STAITHE_API staithe_status staithe_names_get(const staithe_names* names, int64_t index, const char** name);
STAITHE_API void staithe_names_free(staithe_names** names);

// ---- Writing ----------------------------------------------------------------------------------------------------

/// One rank's end of a stream that is written.
typedef struct staithe_writer staithe_writer;
/// A step being written: readers see all of it, or nothing.
typedef struct staithe_write_step staithe_write_step;
/// A block lent by the stream, or by a space, to compute into.
typedef struct staithe_loan staithe_loan;

/// What is left unset is taken from STAITHE_STREAMS (which `staithe run` sets from the workflow file), then from the
/// default that is named.
typedef struct staithe_writer_options {
    size_t struct_size;   // set by staithe_writer_options_init
    staithe_group group;  // rank 0 of 1
    double timeout;       // seconds that a call waits at most; STAITHE_TIMEOUT, or 60, which the living are not held to
    int64_t queue_steps;  // how many steps may wait for readers; 8
    int64_t queue_bytes;  // how many bytes; 256 MiB, of all ranks together
    int64_t readers;      // reader groups for which all steps are kept until they have joined; 1
    /// When the queue is full: "block" (the default, NULL), "drop-oldest", "drop-newest", "keep-every-K" such as
    /// "keep-every-10", "latest", "compress" or "spill". <staithe/options.hpp> says what they do.
    const char* overflow;
    const char* spill_directory;  // where steps are spilled to; NULL: STAITHE_SPILL_DIRECTORY, or /var/tmp
    int64_t spill_bytes;          // how many bytes of them at most; 8 GiB
    int32_t resume;  // 1: goes on after the last step of an earlier writer that died or gave up; 0: begins at step 0
    const char* placement;  // "producer", "inline", "servers" or "file"; NULL: as the name says, or "producer"
    int64_t reserve_bytes;  // size of this rank's part of a step, if known: memory is made ready beforehand; 0
    const staithe_attributes* attributes;  // of the stream; those of rank 0 count; NULL: none
    /// Where rank 0 listens for readers of other hosts, such as "0.0.0.0:7700", or "off"; NULL: STAITHE_LISTEN.
    const char* listen;
    const char* address;  // of readers that listen, and are offered the stream: "node7:7700"; NULL: STAITHE_ADDRESS
    /// By how much the values that this rank puts may be off at readers of other hosts, or in a file: "1e-3 rel" (of
    /// their range), "0.01 abs" (in their unit), "1e-3 pw_rel" (of each value) or "exact"; or of single variables, "*"
    /// being all others: "T=1e-3 rel, mask=exact, *=0.01 abs". NULL: exact.
    const char* error;
    /// At placement "servers": how many of the newest steps stay for readers to come, though all others have read them,
    /// and how many bytes at most. Neither: as many as the queue may have; only one: the other is no limit.
    int64_t keep_steps;
    int64_t keep_bytes;
    /// At placement "file": what compresses the variables there, each within its error, as in staithe_recorder_options:
    /// "blosc", "blosc+zstd", or a codec such as "dq". NULL: what has an error, as any tool reads it.
    const char* codec;
} staithe_writer_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_writer_options).
STAITHE_API void staithe_writer_options_init(staithe_writer_options* options, size_t struct_size);

/// Opens the stream of that name for writing. Every rank of the group calls it. `options` NULL: all unset. A URL in
/// place of the name, "staithe://node7:7700/melt", has the option `address` in it, as in staithe_reader_open. Waits:
/// ranks above 0 for rank 0, at most `options->timeout`. STAITHE_INVALID_ARGUMENT, STAITHE_ALREADY_EXISTS (the stream
/// has a live writer), STAITHE_TIMEOUT, STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_writer_open(const char* stream, const staithe_writer_options* options,
                                               staithe_writer** writer);

/// Ends the stream: readers get what is complete, then the end. Every rank calls it. The handle stays, for its
/// statistics; closing again does nothing.
/// Waits until the expected readers have joined and all ranks have closed, at most the writer's timeout.
/// STAITHE_TIMEOUT (not all readers came; it is closed all the same), STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_writer_close(staithe_writer* writer);

/// Ends the stream as failed: readers get what is complete, then STAITHE_WRITER_FAILED with the first line of `reason`.
/// So do the other ranks of the group when they next wait. An open step is lost. Waits for nobody. After a close it
/// does nothing.
STAITHE_API staithe_status staithe_writer_fail(staithe_writer* writer, const char* reason);

/// Frees the handle. If it was neither closed nor failed the stream ends, without waiting for readers; a warning says
/// how many steps that loses.
STAITHE_API void staithe_writer_free(staithe_writer** writer);

STAITHE_API staithe_status staithe_writer_name(const staithe_writer* writer, const char** name);
STAITHE_API staithe_status staithe_writer_group(const staithe_writer* writer, staithe_group* group);
/// Where the blocks live: "producer" or "inline".
STAITHE_API staithe_status staithe_writer_placement(const staithe_writer* writer, const char** placement);

/// What one rank of a writer did so far.
typedef struct staithe_writer_statistics {
    int64_t steps;             // published by this rank
    int64_t bytes;             // in them
    double stall_seconds;      // waited for the queue
    int64_t pool_bytes;        // shared memory held by this rank
    int64_t dropped;           // steps that reader groups lost by the overflow policy, summed over the groups
    int64_t spilled_steps;     // of this rank's steps, those that went to files
    int64_t spilled_bytes;     // in them
    int64_t unread;            // of rank 0: steps that are kept for expected readers which have not come
    int64_t compressed_steps;  // of this rank's steps, those that were encoded to have room in memory
    int64_t compressed_bytes;  // that these take
} staithe_writer_statistics;

/// Fills the first `struct_size` bytes, which are sizeof(staithe_writer_statistics); it may grow at its end.
STAITHE_API staithe_status staithe_writer_get_statistics(const staithe_writer* writer,
                                                         staithe_writer_statistics* statistics, size_t struct_size);

/// The number of the step that is opened next. Not 0 at first for a writer that resumed.
STAITHE_API staithe_status staithe_writer_next_step(const staithe_writer* writer, int64_t* number);

/// Opens the next step. All ranks go through the same steps; a writer has one open step at a time.
/// Waits while the queue is full, if the overflow policy says so. STAITHE_TIMEOUT says which readers hold steps;
/// STAITHE_PEER_LOST (rank 0 died); STAITHE_CLOSED; STAITHE_INVALID_ARGUMENT (the last step is still open).
STAITHE_API staithe_status staithe_writer_begin_step(staithe_writer* writer, double timeout, staithe_write_step** step);

/// The step's number, counted from 0.
STAITHE_API staithe_status staithe_write_step_index(const staithe_write_step* step, int64_t* index);

/// What a put says besides the data. Arrays have a number per dimension of the block.
typedef struct staithe_put_options {
    size_t struct_size;      // set by staithe_put_options_init
    const int64_t* offset;   // where the block lies in the variable; NULL: all zero
    const int64_t* shape;    // of the whole variable. NULL, and no offset: the block of a group's only rank is the
                             // whole variable; in a group of several it is this rank's own local array
    const int64_t* strides;  // bytes between neighbours along each dimension; NULL: no gaps, in `order`
    staithe_order order;     // STAITHE_ROW_MAJOR; of a loan, too
    const char* unit;        // of the values; NULL: none
    const staithe_attributes* attributes;  // of the variable; NULL: none
    const char* error;  // by how much its values may be off, "1e-3 rel" or "exact"; NULL: as the writer's options say
} staithe_put_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_put_options).
STAITHE_API void staithe_put_options_init(staithe_put_options* options, size_t struct_size);

/// Copies a block of shape `count` into the step: the array may change as soon as this returns. `count` may be NULL
/// if there are no dimensions, `data` if there are no elements, `options` if none are given.
/// STAITHE_INVALID_ARGUMENT (the arguments do not go together, or not with other blocks of this step),
/// STAITHE_ALREADY_EXISTS (that variable, or that part of it, was put before in this step), STAITHE_LIMIT_REACHED (no
/// shared memory left). The step stays as it was.
STAITHE_API staithe_status staithe_write_step_put(staithe_write_step* step, const char* variable, const void* data,
                                                  staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                                  const staithe_put_options* options);

/// Memory of the stream to compute a block in: publishing it copies nothing. Its content is undefined at first, it has
/// no gaps, and its order is that of `options`, whose strides are not used. Errors as for a put.
STAITHE_API staithe_status staithe_write_step_loan(staithe_write_step* step, const char* variable, staithe_dtype dtype,
                                                   int32_t dimensions, const int64_t* count,
                                                   const staithe_put_options* options, staithe_loan** loan);

/// Where the memory is. It must not be touched once the loan is published or freed.
STAITHE_API staithe_status staithe_loan_data(const staithe_loan* loan, void** data);
/// The same, with dtype, shape and strides.
STAITHE_API staithe_status staithe_loan_array(const staithe_loan* loan, staithe_array* array);

/// Makes the loan a block of the step it was lent for. The loan ends; if this fails, its memory goes back.
/// STAITHE_INVALID_ARGUMENT (a space has lent it).
STAITHE_API staithe_status staithe_write_step_publish(staithe_write_step* step, staithe_loan** loan);

/// Gives the memory back unpublished; of a space, with the lock.
STAITHE_API void staithe_loan_free(staithe_loan** loan);

/// Sets all of these attributes on the step, beside those that were set before.
STAITHE_API staithe_status staithe_write_step_set_attributes(staithe_write_step* step,
                                                             const staithe_attributes* attributes);

/// Publishes the step and ends the handle. At placement "inline" analyses run in here.
/// STAITHE_PEER_LOST, STAITHE_LIMIT_REACHED, STAITHE_CLOSED.
STAITHE_API staithe_status staithe_write_step_end(staithe_write_step** step);

/// Ends the handle without publishing the step, whose number is not used again. NULL is fine, as in a free.
STAITHE_API staithe_status staithe_write_step_abandon(staithe_write_step** step);

// ---- Reading ----------------------------------------------------------------------------------------------------

/// One rank's end of a stream that is read.
typedef struct staithe_reader staithe_reader;
/// A complete step. Pinned, with its room in the writer's queue, while its handle, a variable or a view of it lives.
typedef struct staithe_read_step staithe_read_step;
/// A variable of a step.
typedef struct staithe_variable staithe_variable;
/// Elements where they lie in the writer's memory, read-only.
typedef struct staithe_view staithe_view;

/// Where a reader group begins: with the oldest step that is still there, or with the next one that is published.
#define STAITHE_START_OLDEST (-1)
#define STAITHE_START_NEXT (-2)

/// What is left unset is taken from the stream, or is the default that is named.
typedef struct staithe_reader_options {
    size_t struct_size;     // set by staithe_reader_options_init
    staithe_group group;    // rank 0 of 1
    double timeout;         // as for the writer
    const char* overflow;   // when this group does not keep up: as for the writer, but "spill"; NULL: the stream's
    int64_t start;          // STAITHE_START_OLDEST, STAITHE_START_NEXT, or the number of a step; the oldest
    int32_t resume;         // 1: when the writer dies, waits for it to come back; 0: STAITHE_PEER_LOST
    const char* program;    // the name under which the group is shown; NULL: STAITHE_PROGRAM, or the executable's name
    const char* placement;  // "producer" or "inline", which read alike, or "npy"; NULL: as for the writer
    const char* listen;     // where to listen for a writer that is told this address; NULL: STAITHE_LISTEN
    const char* address;    // of a process that knows of the stream, "node7:7700"; NULL: as STAITHE_ADDRESS says, too
    const char* error;  // what this reader is content with, in the words of the writer's; NULL: what the writer says
    /// By which all that comes from another host is to be encoded, whether it pays or not, "none": by none; NULL:
    /// whichever has it here sooner, or none.
    const char* codec;
    /// Variables that each step has beside those that were put, or in their place: "speed = sqrt(u**2 + v**2)", or
    /// several with ';' between them, as for staithe_read_step_derive; NULL: none.
    const char* derive;
    /// A recording of the stream, perhaps one that is still written: its steps come first, and then those of the
    /// stream, which is waited for once they were read, from where it ends. NULL: what STAITHE_STREAMS says.
    const char* history;
} staithe_reader_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_reader_options).
STAITHE_API void staithe_reader_options_init(staithe_reader_options* options, size_t struct_size);

/// Joins the stream of that name as a reader. Every rank of the group calls it. `options` NULL: all unset.
/// Waits until the writer group is there. STAITHE_INVALID_ARGUMENT, STAITHE_TIMEOUT, STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_reader_open(const char* stream, const staithe_reader_options* options,
                                               staithe_reader** reader);

/// Leaves the stream. Steps, variables and views that were taken stay good. Closing again does nothing.
STAITHE_API staithe_status staithe_reader_close(staithe_reader* reader);

/// Frees the handle, and leaves the stream if that was not closed.
STAITHE_API void staithe_reader_free(staithe_reader** reader);

STAITHE_API staithe_status staithe_reader_name(const staithe_reader* reader, const char** name);
STAITHE_API staithe_status staithe_reader_group(const staithe_reader* reader, staithe_group* group);
/// Size of the writer group.
STAITHE_API staithe_status staithe_reader_writers(const staithe_reader* reader, int32_t* writers);
/// Of the stream: a copy.
STAITHE_API staithe_status staithe_reader_attributes(const staithe_reader* reader, staithe_attributes** attributes);

/// What one rank of a reader did so far.
typedef struct staithe_reader_statistics {
    int64_t steps;        // received by this rank
    int64_t pinned;       // of them not released yet
    double wait_seconds;  // waited for steps
    int64_t dropped;      // steps that this group lost by its overflow policy
} staithe_reader_statistics;

/// Fills the first `struct_size` bytes, which are sizeof(staithe_reader_statistics); it may grow at its end.
STAITHE_API staithe_status staithe_reader_get_statistics(const staithe_reader* reader,
                                                         staithe_reader_statistics* statistics, size_t struct_size);

/// The next complete step; STAITHE_OK and NULL after the last.
/// Waits for it. STAITHE_TIMEOUT, STAITHE_PEER_LOST (a writer died; all complete steps come first), STAITHE_PROTOCOL,
/// STAITHE_CLOSED.
STAITHE_API staithe_status staithe_reader_next(staithe_reader* reader, double timeout, staithe_read_step** step);

/// Takes no steps from here on, and gives back those that came and were not taken: they no longer fill the writer's
/// queue. Steps published until the reader resumes are passed by. All ranks of the group do so at the same step.
STAITHE_API staithe_status staithe_reader_pause(staithe_reader* reader);
/// Takes steps again, from the next one on that is published.
STAITHE_API staithe_status staithe_reader_resume(staithe_reader* reader);

/// From here on the next step is the newest one, whatever came before it: the overflow policy of this group becomes
/// "latest". All ranks of the group do so at the same step.
STAITHE_API staithe_status staithe_reader_follow_latest(staithe_reader* reader);

/// Ends the handle. The step is released when its variables and views are freed, too.
STAITHE_API void staithe_read_step_release(staithe_read_step** step);

STAITHE_API staithe_status staithe_read_step_index(const staithe_read_step* step, int64_t* index);
/// A copy of the step's attributes.
STAITHE_API staithe_status staithe_read_step_attributes(const staithe_read_step* step, staithe_attributes** attributes);
/// The names of its variables, in the order in which they were put.
STAITHE_API staithe_status staithe_read_step_variables(const staithe_read_step* step, staithe_names** names);
/// STAITHE_NOT_FOUND names those that there are.
STAITHE_API staithe_status staithe_read_step_variable(const staithe_read_step* step, const char* name,
                                                      staithe_variable** variable);
/// A variable that is computed from those of the step, element by element, when it is read or reduced: of
/// "speed = sqrt(u**2 + v**2)", a part of one, "coarse = T[::4, ::4]", or several in one, "stack(u, v, axis=-1)". The
/// syntax is Python's (docs/guide/derived.md). STAITHE_INVALID_ARGUMENT says what is wrong with the text, and where;
/// STAITHE_NOT_FOUND names the variables that there are.
STAITHE_API staithe_status staithe_read_step_derive(const staithe_read_step* step, const char* expression,
                                                    staithe_variable** variable);

STAITHE_API void staithe_variable_free(staithe_variable** variable);
STAITHE_API staithe_status staithe_variable_name(const staithe_variable* variable, const char** name);
STAITHE_API staithe_status staithe_variable_dtype(const staithe_variable* variable, staithe_dtype* dtype);
/// Of the whole variable; `shape` has room for STAITHE_MAX_DIMENSIONS numbers. Of a local array: that of its only
/// block; STAITHE_INVALID_ARGUMENT if it has several.
STAITHE_API staithe_status staithe_variable_shape(const staithe_variable* variable, int32_t* dimensions,
                                                  int64_t* shape);
/// 1: a local array per writer rank; 0: one global array. A local array of a single block reads as if global.
STAITHE_API staithe_status staithe_variable_is_local(const staithe_variable* variable, int32_t* is_local);
STAITHE_API staithe_status staithe_variable_unit(const staithe_variable* variable, const char** unit);
/// By how much the writer lets values be off where they are encoded on their way: "0.01 rel", or "exact". Of what comes
/// from a recording, its attribute "error" tells.
STAITHE_API staithe_status staithe_variable_error(const staithe_variable* variable, char** error);
/// A copy of the variable's attributes.
STAITHE_API staithe_status staithe_variable_attributes(const staithe_variable* variable,
                                                       staithe_attributes** attributes);

/// How the ranks of a reader group share a variable without arithmetic of their own: one of the numbers from
/// STAITHE_SHARE_BLOCK on.
typedef int32_t staithe_share;
enum {
    STAITHE_SHARE_BLOCK = 0,   // an n-dimensional grid of boxes, one a rank
    STAITHE_SHARE_COUNT = 1,   // equal runs of indices of the first dimension
    STAITHE_SHARE_ROUND = 2,   // the indices rank, rank + size, … of the first dimension
    STAITHE_SHARE_PROCESS = 3  // whole blocks, as the writer ranks handed them over: staithe_variable_share_of_blocks
};

/// Selects all of the variable.
STAITHE_API staithe_status staithe_variable_select_all(const staithe_variable* variable, staithe_selection* selection);

/// Selects the part of one rank of a group; `group` NULL: rank 0 of 1.
STAITHE_API staithe_status staithe_variable_select_share(const staithe_variable* variable, staithe_share share,
                                                         const staithe_group* group, staithe_selection* selection);

/// Copies the selection to `destination`; `selection` NULL: all. `dtype` is what it becomes there: the variable's, or
/// one that has all its values, as double has those of float (NumPy's "safe" casts). `strides`, a number per dimension,
/// are the bytes between neighbours in the destination; NULL: no gaps, row-major.
/// STAITHE_INVALID_ARGUMENT (a dtype in which something would be lost; the selection does not lie in the shape),
/// STAITHE_NOT_FOUND (nobody wrote some of it).
STAITHE_API staithe_status staithe_variable_read(const staithe_variable* variable, const staithe_selection* selection,
                                                 staithe_dtype dtype, void* destination, const int64_t* strides);

/// The selection without a copy; STAITHE_OK and NULL if it does not lie in one block. `selection` NULL: all.
STAITHE_API staithe_status staithe_variable_view(const staithe_variable* variable, const staithe_selection* selection,
                                                 staithe_view** view);

/// The "sum", "mean", "min", "max", "var" or "std" of the selection's elements along dimensions; `selection` NULL: all.
/// `axes` are the `axis_count` dimensions that go, counted from 0, or from the last one backwards: -1; NULL: all. The
/// view shows an array of the dimensions that stay. Its values are NumPy's, but what is added up of floating-point
/// numbers is at least STAITHE_F64. Or, as in "histogram(20, -1, 1)", how many elements are in each of 20 bins of equal
/// width from -1 to 1, which is in the last one: as STAITHE_I64, along a dimension after those that stay. Blocks of
/// this host are looked at where they lie; programs of other hosts send what becomes of theirs.
/// STAITHE_INVALID_ARGUMENT (no such reduction or dimension; the order of complex numbers; of nothing, all but sums and
/// histograms), and as staithe_variable_read.
STAITHE_API staithe_status staithe_variable_reduce(const staithe_variable* variable, const char* how,
                                                   const staithe_selection* selection, const int64_t* axes,
                                                   size_t axis_count, staithe_view** view);

/// What the view shows. The data lives as long as the view, whatever becomes of its reader and writer.
STAITHE_API staithe_status staithe_view_array(const staithe_view* view, staithe_array* array);
/// Copies it to `destination`, as staithe_variable_read does.
STAITHE_API staithe_status staithe_view_read(const staithe_view* view, staithe_dtype dtype, void* destination,
                                             const int64_t* strides);
STAITHE_API void staithe_view_free(staithe_view** view);

/// What becomes of the elements of many steps, as they come: such as the mean of a field over time. No step is kept,
/// nor any of its elements. For one thread at a time.
typedef struct staithe_running_reduction staithe_running_reduction;

/// `how` and `axes` are as for staithe_variable_reduce. With an `axis_count` of 0, and `axes` that are not NULL, each
/// element has a result of its own, over time; NULL: all elements of all steps have one. STAITHE_INVALID_ARGUMENT (no
/// such reduction).
STAITHE_API staithe_status staithe_running_reduction_create(const char* how, const int64_t* axes, size_t axis_count,
                                                            staithe_running_reduction** reduction);
/// Adds the selection's elements, which are looked at where they lie; `selection` NULL: all. Along the dimensions that
/// go there may be another number of them each time, or none. STAITHE_INVALID_ARGUMENT, as from
/// staithe_variable_reduce, and for another dtype, or another shape of what becomes of them, than before; what fails
/// adds nothing.
STAITHE_API staithe_status staithe_running_reduction_add(staithe_running_reduction* reduction,
                                                         const staithe_variable* variable,
                                                         const staithe_selection* selection);
/// What has become of all that was added so far, as staithe_variable_reduce gives it; more may be added then.
/// STAITHE_INVALID_ARGUMENT if nothing was, or no elements, and `how` is neither sums nor histograms.
STAITHE_API staithe_status staithe_running_reduction_result(const staithe_running_reduction* reduction,
                                                            staithe_view** view);
/// How many times something was added.
STAITHE_API staithe_status staithe_running_reduction_steps(const staithe_running_reduction* reduction, int64_t* steps);
STAITHE_API void staithe_running_reduction_free(staithe_running_reduction** reduction);

/// A block: which rank of the writer group put which box. For local arrays the box starts at 0.
typedef struct staithe_block {
    int32_t rank;
    int32_t dimensions;
    int64_t offset[STAITHE_MAX_DIMENSIONS];
    int64_t count[STAITHE_MAX_DIMENSIONS];
} staithe_block;

STAITHE_API staithe_status staithe_variable_block_count(const staithe_variable* variable, int64_t* count);
/// Block `index`, counted from 0.
STAITHE_API staithe_status staithe_variable_block(const staithe_variable* variable, int64_t index,
                                                  staithe_block* block);
/// The data of block `index`, without a copy.
STAITHE_API staithe_status staithe_variable_block_view(const staithe_variable* variable, int64_t index,
                                                       staithe_view** view);
/// The blocks of one rank of a group under STAITHE_SHARE_PROCESS: writes at most `capacity` indices, and to `count`
/// how many there are. `group` NULL: rank 0 of 1. With a capacity of 0 `indices` may be NULL.
STAITHE_API staithe_status staithe_variable_share_of_blocks(const staithe_variable* variable,
                                                            const staithe_group* group, int64_t* indices,
                                                            size_t capacity, size_t* count);

// ---- Recording --------------------------------------------------------------------------------------------------

/// Steps into a file that stock tools read. The ending of its path says which format it is: ".zarr", Zarr version 3;
/// ".h5" or ".hdf5", HDF5. A reader of that path reads the steps back. For one thread at a time.
typedef struct staithe_recorder staithe_recorder;

typedef struct staithe_recorder_options {
    size_t struct_size;                    // set by staithe_recorder_options_init
    const staithe_attributes* attributes;  // of the recording; NULL: none
    /// By how much values may be off in the file, as in staithe_writer_options; NULL: not at all. Such variables are
    /// rounded within that, and compressed, as any tool reads it.
    const char* error;
    /// What compresses variables of 16 KiB a step and more, each within its error: "blosc", or "blosc+zstd", which
    /// takes fewer bytes and longer, as any tool reads it, or a codec such as "dq". NULL: "blosc" what has an error,
    /// and nothing else.
    const char* codec;
    const char* const* variables;  // the names of those that are recorded; NULL: all
    size_t variable_count;
    int32_t resume;  // 1: goes on with what is there, if there is something
} staithe_recorder_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_recorder_options).
STAITHE_API void staithe_recorder_options_init(staithe_recorder_options* options, size_t struct_size);

/// Begins the file, or goes on with it. `options` NULL: all unset. STAITHE_INVALID_ARGUMENT (the path has no ending
/// that says the format; an error cannot be), STAITHE_NOT_FOUND (no such codec), STAITHE_ALREADY_EXISTS (there is
/// something at the path, or another recorder writes there), STAITHE_PROTOCOL (what is to be gone on with is no
/// recording).
STAITHE_API staithe_status staithe_recorder_open(const char* path, const staithe_recorder_options* options,
                                                 staithe_recorder** recorder);

/// Writes all of the step, under its number: it is on disk when this returns. After a failure the file has the steps
/// that it had, and takes more. STAITHE_INVALID_ARGUMENT (the format cannot hold it; the first step lacks a variable
/// that has an error), STAITHE_NOT_FOUND (it lacks one of `variables`), STAITHE_LIMIT_REACHED (the disk is full).
STAITHE_API staithe_status staithe_recorder_append(staithe_recorder* recorder, const staithe_read_step* step);

/// The number of the newest step that the file has; STAITHE_UNSET: it has none.
STAITHE_API staithe_status staithe_recorder_newest(const staithe_recorder* recorder, int64_t* step);
STAITHE_API staithe_status staithe_recorder_path(const staithe_recorder* recorder, const char** path);

/// Others may write there from now on. Closing again does nothing.
STAITHE_API staithe_status staithe_recorder_close(staithe_recorder* recorder);

/// Frees the handle, and closes the file if that was not done.
STAITHE_API void staithe_recorder_free(staithe_recorder** recorder);

// ---- Spaces -----------------------------------------------------------------------------------------------------

/// A named store of variables in versions, which any program puts to and gets from, in any order. A version is complete
/// when its blocks cover the variable's shape, or when every rank of the group that puts it has said so; from then on
/// it never changes. May be used by several threads at once while none frees it.
typedef struct staithe_space staithe_space;
/// What was got of a version, read-only. It stays until the handle and its views are freed, whatever becomes of the
/// version and the space. May be asked by several threads at once.
typedef struct staithe_space_array staithe_space_array;
/// The versions of a variable, as they were when they were listed.
typedef struct staithe_versions staithe_versions;
/// Where a condition holds: boxes of elements that all match.
typedef struct staithe_hits staithe_hits;

typedef struct staithe_space_options {
    size_t struct_size;   // set by staithe_space_options_init
    staithe_group group;  // those who put together: rank 0 of 1
    double timeout;       // seconds that a call waits at most; STAITHE_TIMEOUT, or 60
    /// The name of the server that keeps the space; "": none, this process does. NULL: a server of this user's run
    /// directory if there is one, else this process.
    const char* server;
} staithe_space_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_space_options).
STAITHE_API void staithe_space_options_init(staithe_space_options* options, size_t struct_size);

/// Opens the space of that name. `options` NULL: all unset. Waits for the server, at most `options->timeout`.
/// STAITHE_INVALID_ARGUMENT, STAITHE_NOT_FOUND (no such server), STAITHE_TIMEOUT, STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_space_open(const char* name, const staithe_space_options* options,
                                              staithe_space** space);

/// Lets go of the space: what a server keeps stays there. Arrays that were got stay good; other calls give
/// STAITHE_CLOSED, and so do those that wait in other threads. Closing again does nothing.
STAITHE_API staithe_status staithe_space_close(staithe_space* space);

/// Frees the handle, and closes the space.
STAITHE_API void staithe_space_free(staithe_space** space);

STAITHE_API staithe_status staithe_space_name(const staithe_space* space, const char** name);
/// Who keeps it, for people: "this process", or the server and where it runs.
STAITHE_API staithe_status staithe_space_kept_by(const staithe_space* space, char** title);

/// What a put says besides the data. Arrays have a number per dimension of the block.
typedef struct staithe_space_put_options {
    size_t struct_size;                    // set by staithe_space_put_options_init
    const int64_t* offset;                 // where the block lies in the variable; NULL: all zero
    const int64_t* shape;                  // of the whole variable; NULL: the block is all of it
    const int64_t* strides;                // bytes between neighbours along each dimension; NULL: no gaps, in `order`
    staithe_order order;                   // STAITHE_ROW_MAJOR
    const char* unit;                      // of the values; NULL: none
    const staithe_attributes* attributes;  // of the version; NULL: none
    int64_t version;   // a new one after the newest if unset, which a rank's part of a version must not leave it
    int32_t complete;  // 1: nothing comes after this from this rank, and what nobody put is a hole; 0
    int32_t overlap;   // 1: may lie over other blocks of the version, 0: may not; unset: 1, but 0 in a group of several
    int32_t persist;   // 1: returns once it is on the disk of the server, which serves it again after a crash, if all
                       // blocks of the version were put so; needs `staithe serve --spill FOLDER`; 0
} staithe_space_put_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_space_put_options).
STAITHE_API void staithe_space_put_options_init(staithe_space_put_options* options, size_t struct_size);

/// Copies a block of shape `count` into the space: the array may change as soon as this returns. What may be NULL is
/// as in staithe_write_step_put, and `version`, to which the version's number is written. Waits for the server.
/// STAITHE_INVALID_ARGUMENT (the arguments do not go together, or not with other blocks of the version; `persist` where
/// there is no folder), STAITHE_ALREADY_EXISTS (the version is complete, or another rank has put some of it),
/// STAITHE_LIMIT_REACHED (no memory left), STAITHE_TIMEOUT, STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_space_put(staithe_space* space, const char* variable, const void* data,
                                             staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                             const staithe_space_put_options* options, int64_t* version);

/// Gets a version; unset: the newest that is complete, so that a version -1 of another language is got only so. `box`
/// is a selection without steps, as staithe_selection_box makes it; NULL: all. So are both wherever else they are
/// asked for. Waits until the version is complete.
/// STAITHE_INVALID_ARGUMENT (the box does not lie in the shape), STAITHE_NOT_FOUND (nobody put some of it),
/// STAITHE_TIMEOUT (says what there is), STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_space_get(const staithe_space* space, const char* variable, int64_t version,
                                             const staithe_selection* box, double timeout, staithe_space_array** array);

/// The same of the very version that has that place among those completed, as lists of versions and hits tell it:
/// STAITHE_NOT_FOUND if it was removed since, and another one has got its number.
STAITHE_API staithe_status staithe_space_get_completed(const staithe_space* space, const char* variable,
                                                       int64_t version, int64_t completion,
                                                       const staithe_selection* box, double timeout,
                                                       staithe_space_array** array);

STAITHE_API void staithe_space_array_free(staithe_space_array** array);
STAITHE_API staithe_status staithe_space_array_version(const staithe_space_array* array, int64_t* version);
STAITHE_API staithe_status staithe_space_array_dtype(const staithe_space_array* array, staithe_dtype* dtype);
/// Of the whole variable; `shape` has room for STAITHE_MAX_DIMENSIONS numbers.
STAITHE_API staithe_status staithe_space_array_shape(const staithe_space_array* array, int32_t* dimensions,
                                                     int64_t* shape);
/// Which part of the variable this is.
STAITHE_API staithe_status staithe_space_array_box(const staithe_space_array* array, staithe_selection* box);
STAITHE_API staithe_status staithe_space_array_unit(const staithe_space_array* array, const char** unit);
/// A copy of the version's attributes.
STAITHE_API staithe_status staithe_space_array_attributes(const staithe_space_array* array,
                                                          staithe_attributes** attributes);
/// Copies the part to `destination`, as staithe_variable_read does.
STAITHE_API staithe_status staithe_space_array_read(const staithe_space_array* array, staithe_dtype dtype,
                                                    void* destination, const int64_t* strides);
/// The elements without a copy: where they lie if one block has them all, else in memory of this process.
STAITHE_API staithe_status staithe_space_array_view(const staithe_space_array* array, staithe_view** view);

/// Gets a version into memory of the caller's: the part of shape `count` that begins at `offset`; NULL: all of the
/// variable, which must have that shape. `dtype` and `strides` are as for staithe_variable_read, and `count` may be
/// NULL if there are no dimensions. Writes to `got`, unless it is NULL, which version it was. Who reads version after
/// version touches no new memory. Waits, and fails, as staithe_space_get does; STAITHE_INVALID_ARGUMENT also for
/// another shape, or a dtype in which something would be lost. A failure may leave a part of it there.
STAITHE_API staithe_status staithe_space_read(const staithe_space* space, const char* variable, int64_t version,
                                              const int64_t* offset, double timeout, staithe_dtype dtype,
                                              int32_t dimensions, const int64_t* count, void* destination,
                                              const int64_t* strides, int64_t* got);

/// What `how` says, as for staithe_variable_reduce, is made of the elements along dimensions, where the blocks lie:
/// servers of other hosts send what becomes of theirs. `axes` are the `axis_count` dimensions that go, counted from 0,
/// or from the last one backwards: -1; NULL: all. What becomes of them is an array of the dimensions that stay, without
/// unit and attributes. Waits, and fails, as staithe_space_get does; STAITHE_INVALID_ARGUMENT also for what is no such
/// reduction or dimension.
STAITHE_API staithe_status staithe_space_reduce(const staithe_space* space, const char* variable, const char* how,
                                                const int64_t* axes, size_t axis_count, int64_t version,
                                                const staithe_selection* box, double timeout,
                                                staithe_space_array** array);

/// Some boxes of a variable.
typedef struct staithe_boxes staithe_boxes;

/// The pieces that staithe_space_get would put together: boxes, disjoint, each of which lies in one block, so that to
/// get it is no copy. What nobody has put is in none. Waits, and fails, as staithe_space_get does.
STAITHE_API staithe_status staithe_space_blocks(const staithe_space* space, const char* variable, int64_t version,
                                                const staithe_selection* box, double timeout, staithe_boxes** boxes);

STAITHE_API void staithe_boxes_free(staithe_boxes** boxes);
STAITHE_API staithe_status staithe_boxes_count(const staithe_boxes* boxes, int64_t* count);
/// Box `index`, counted from 0.
STAITHE_API staithe_status staithe_boxes_get(const staithe_boxes* boxes, int64_t index, staithe_selection* box);

/// The names of variables that match a pattern, in which * stands for any text and ? for one letter; NULL: all.
STAITHE_API staithe_status staithe_space_names(const staithe_space* space, const char* pattern, staithe_names** names);

/// What names of variables have before a `/`, and what else was given attributes; of those that match a pattern; NULL:
/// all.
STAITHE_API staithe_status staithe_space_containers(const staithe_space* space, const char* pattern,
                                                    staithe_names** names);
/// Sets attributes of a container, of a variable whatever its versions say, or, for "", of the space. What is null is
/// taken away, what is not named stays.
STAITHE_API staithe_status staithe_space_set_attributes(staithe_space* space, const char* path,
                                                        const staithe_attributes* attributes);
/// A copy of them.
STAITHE_API staithe_status staithe_space_attributes(const staithe_space* space, const char* path,
                                                    staithe_attributes** attributes);

/// The versions of a variable, oldest first; incomplete ones, too. STAITHE_NOT_FOUND if there is no such variable.
STAITHE_API staithe_status staithe_space_versions(const staithe_space* space, const char* variable,
                                                  staithe_versions** versions);

STAITHE_API void staithe_versions_free(staithe_versions** versions);
STAITHE_API staithe_status staithe_versions_count(const staithe_versions* versions, int64_t* count);

/// A version, as it is listed.
typedef struct staithe_space_version {
    int64_t version;
    int64_t blocks;
    int64_t bytes;
    int32_t complete;  // 1 or 0
    staithe_dtype dtype;
    int32_t dimensions;
    int64_t shape[STAITHE_MAX_DIMENSIONS];
    const char* unit;    // lives as long as the list
    int64_t completion;  // its place among all versions that have become complete in the space, from 1 on; 0 as long as
                         // it is not. Its number may be another's once it is removed, this never is
} staithe_space_version;

/// Version `index` of the list, counted from 0. Fills the first `struct_size` bytes, which are
/// sizeof(staithe_space_version); it may grow at its end.
STAITHE_API staithe_status staithe_versions_get(const staithe_versions* versions, int64_t index,
                                                staithe_space_version* version, size_t struct_size);
/// A copy of its attributes.
STAITHE_API staithe_status staithe_versions_attributes(const staithe_versions* versions, int64_t index,
                                                       staithe_attributes** attributes);

/// Removes a version. What somebody holds of it stays until it is let go. STAITHE_NOT_FOUND.
STAITHE_API staithe_status staithe_space_remove(staithe_space* space, const char* variable, int64_t version);
/// Removes all versions of a variable. STAITHE_NOT_FOUND.
STAITHE_API staithe_status staithe_space_remove_variable(staithe_space* space, const char* variable);

/// Removes all variables in a container, and the attributes of it and of whatever is in it; of "", all that the space
/// has. Writes to `removed`, unless it is NULL, how many variables these were: 0 if there is no such container.
STAITHE_API staithe_status staithe_space_remove_container(staithe_space* space, const char* path, int64_t* removed);

/// Which of the variable's complete versions are kept from now on: the newest ones, so many as `versions` says, that
/// take so many bytes together, and were complete since so many seconds. What is unset allows all. The newest always
/// stays, and so does what somebody holds or waits for.
STAITHE_API staithe_status staithe_space_keep(staithe_space* space, const char* variable, int64_t versions,
                                              int64_t bytes, double seconds);

/// Where a condition holds, such as "T > 300 and not (0 < rho <= 1) and run == 'a12'": names are variables, all of one
/// shape, or attributes of their version. In a version; unset: the newest that all its variables have complete. Gives
/// at most so many boxes as `most` says, the first ones; unset: all.
/// STAITHE_INVALID_ARGUMENT (says where the condition is wrong), STAITHE_NOT_FOUND (a name that is unknown).
STAITHE_API staithe_status staithe_space_query(const staithe_space* space, const char* condition, int64_t version,
                                               int64_t most, staithe_hits** hits);

/// A variable's elements in all boxes of the hits, box after box, each in C order: an array of one dimension, copied.
/// STAITHE_NOT_FOUND: it does not have that version (any more).
STAITHE_API staithe_status staithe_space_values(const staithe_space* space, const staithe_hits* hits,
                                                const char* variable, staithe_space_array** array);

STAITHE_API void staithe_hits_free(staithe_hits** hits);
STAITHE_API staithe_status staithe_hits_version(const staithe_hits* hits, int64_t* version);
/// How many elements match, in all.
STAITHE_API staithe_status staithe_hits_elements(const staithe_hits* hits, int64_t* elements);
/// The variables that the condition names.
STAITHE_API staithe_status staithe_hits_variables(const staithe_hits* hits, staithe_names** names);
/// The completion of the version that was looked at, of variable `index` of these, for staithe_space_get_completed.
STAITHE_API staithe_status staithe_hits_completion(const staithe_hits* hits, int64_t index, int64_t* completion);
/// How many boxes there are.
STAITHE_API staithe_status staithe_hits_count(const staithe_hits* hits, int64_t* count);
/// Box `index`, counted from 0, for staithe_space_get.
STAITHE_API staithe_status staithe_hits_box(const staithe_hits* hits, int64_t index, staithe_selection* box);

/// A lock of a variable, or of a box of it, that is held.
typedef struct staithe_lock staithe_lock;

/// Whom a lock excludes: one of the numbers from STAITHE_LOCK_READ on.
typedef int32_t staithe_lock_mode;
enum {
    STAITHE_LOCK_READ = 0,  // those that write: shared with others that read
    STAITHE_LOCK_WRITE = 1  // all others
};

/// Locks a box of a variable, as staithe_space_get takes it; NULL: all of it, whatever its shape. Waits until nobody
/// else holds, or has asked before for, a lock that excludes it. Locks exclude each other, not calls of those who take
/// none. A lock is the thread's that takes it, whose puts are under it; any thread may end it. `lease`: seconds after
/// which it is free if this process is stopped; unset: 5. If it dies, the lock is free at once.
/// STAITHE_INVALID_ARGUMENT, STAITHE_TIMEOUT (says who is in the way), STAITHE_DEADLOCK (says who would wait for whom),
/// STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_space_lock(staithe_space* space, const char* variable, staithe_lock_mode mode,
                                              const staithe_selection* box, double timeout, double lease,
                                              staithe_lock** lock);

/// Releases the lock, and frees the handle. STAITHE_CLOSED if its lease ran out: what it was to protect may have
/// changed then.
STAITHE_API staithe_status staithe_lock_release(staithe_lock** lock);

/// The same, without a word of whether it was still held.
STAITHE_API void staithe_lock_free(staithe_lock** lock);

/// How a space lends a block. What is unset of dtype, shape and unit is that of the newest complete version.
typedef struct staithe_space_loan_options {
    size_t struct_size;                    // set by staithe_space_loan_options_init
    const staithe_selection* box;          // which elements; NULL: all
    const int64_t* shape;                  // of the whole variable, a number for each of `dimensions`
    int32_t dimensions;                    // 0
    staithe_dtype dtype;                   // of the elements
    staithe_order order;                   // how they lie in the memory; STAITHE_ROW_MAJOR
    int32_t complete;                      // as of a put
    int64_t version;                       // that it becomes a block of; a new one after the newest
    const char* unit;                      // of the values
    const staithe_attributes* attributes;  // of the version; NULL: none
    double timeout;                        // seconds to wait for the lock, and for room
    int32_t persist;                       // as of a put
} staithe_space_loan_options;

/// Fills the structure with what means "not given". `struct_size` is sizeof(staithe_space_loan_options).
STAITHE_API void staithe_space_loan_options_init(staithe_space_loan_options* options, size_t struct_size);

/// A view to write into: memory of whoever keeps the space, under a write lock of its box, for a block of a version
/// that is not complete, and may be new. It has what the newest complete version has there, if that is of the same
/// shape and dtype, and 0 elsewhere. `options` NULL: all unset. Waits as staithe_space_lock does, and for room.
/// STAITHE_INVALID_ARGUMENT (no version is complete, and dtype and shape are not given; the box does not lie in it),
/// and what a lock and a put give.
STAITHE_API staithe_status staithe_space_loan(staithe_space* space, const char* variable,
                                              const staithe_space_loan_options* options, staithe_loan** loan);

/// Puts the block, without a copy, and ends the loan and its lock, whatever it returns. `version` may be NULL. Waits
/// for the server. STAITHE_INVALID_ARGUMENT (another space, or a stream, has lent it), STAITHE_CLOSED (the lock was
/// lost meanwhile), and what a put gives; nothing is put then.
STAITHE_API staithe_status staithe_space_publish(staithe_space* space, staithe_loan** loan, int64_t* version);

/// Many small blocks that are put together: a server is asked for many of them at once. For one thread at a time.
typedef struct staithe_batch staithe_batch;

/// Makes an empty one. Does not wait.
STAITHE_API staithe_status staithe_space_batch(staithe_space* space, staithe_batch** batch);

/// Copies the block, as staithe_space_put does, under the locks of this thread, which have to be held until it is sent.
/// Sends what was gathered, and waits for it, once it is 1024 blocks or 1 MiB; a block of more than 64 KiB is put at
/// once, after them. STAITHE_INVALID_ARGUMENT at once; what the space has against a block when it is sent, as
/// staithe_batch_send gives it.
STAITHE_API staithe_status staithe_batch_put(staithe_batch* batch, const char* variable, const void* data,
                                             staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                             const staithe_space_put_options* options);

/// Sends what is left, and waits until all of it is put. Each block is put for itself, in the order in which they came:
/// if some are refused the others are put all the same, and the status is that of the first one.
STAITHE_API staithe_status staithe_batch_send(staithe_batch* batch);

/// Blocks that are not sent yet.
STAITHE_API staithe_status staithe_batch_pending(const staithe_batch* batch, int64_t* count);

/// A block of a batch that was not put.
typedef struct staithe_put_failure {
    int64_t place;         // among all blocks that the batch was given, from 0 on
    int64_t version;       // as it was asked for; STAITHE_UNSET if it was not
    const char* variable;  // lives until the batch is used next, and so does the message
    const char* message;
    staithe_status status;
} staithe_put_failure;

/// How many were refused of what was sent last.
STAITHE_API staithe_status staithe_batch_failure_count(const staithe_batch* batch, int64_t* count);
/// Failure `index`, counted from 0. Fills the first `struct_size` bytes, which are sizeof(staithe_put_failure); it may
/// grow at its end.
STAITHE_API staithe_status staithe_batch_failure(const staithe_batch* batch, int64_t index,
                                                 staithe_put_failure* failure, size_t struct_size);

/// Frees the handle. What was not sent is not put.
STAITHE_API void staithe_batch_free(staithe_batch** batch);

/// The versions of a variable as they are completed. For one thread at a time.
typedef struct staithe_watch staithe_watch;

/// Begins with the versions that are complete already if `oldest` is 1, with those that will be if it is 0. `timeout`:
/// seconds to wait for each; unset: as long as it takes. The variable need not be there yet. STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_space_watch(const staithe_space* space, const char* variable, int32_t oldest,
                                               double timeout, staithe_watch** watch);

/// The next one. Each comes once, in the order in which they became complete; it stays, whatever staithe_space_keep
/// says, until the next one is asked for or the watch is freed. Versions that are gone before are passed over. Waits.
/// Once the space is closed `ended` is 1, and there is no version; until then it is 0.
/// STAITHE_TIMEOUT (it may be called again), STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_watch_next(staithe_watch* watch, int64_t* version, int32_t* ended);

STAITHE_API void staithe_watch_free(staithe_watch** watch);

/// A get or a put that is under way. May be asked by several threads at once while none ends it.
typedef struct staithe_future staithe_future;

/// The same as staithe_space_get, without waiting. One that waits for its version is in nobody's way.
/// Errors of the call itself come at once, STAITHE_LIMIT_REACHED among them (256 of the space are under way); others
/// with staithe_future_array, and STAITHE_CLOSED if the space was closed meanwhile.
STAITHE_API staithe_status staithe_space_get_async(const staithe_space* space, const char* variable, int64_t version,
                                                   const staithe_selection* box, double timeout,
                                                   staithe_future** future);

/// The same as staithe_space_put, without waiting: `data` must stay as it is until the future is ready. Puts are done
/// one after the other, in the order of the calls, under the locks of the thread that calls.
/// Errors of the call itself come at once, STAITHE_LIMIT_REACHED among them (1024 wait for their turn); others with
/// staithe_future_version, and STAITHE_CLOSED if the space was closed before it was put.
STAITHE_API staithe_status staithe_space_put_async(staithe_space* space, const char* variable, const void* data,
                                                   staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                                   const staithe_space_put_options* options, staithe_future** future);

/// 1: what is asked for next does not wait; 0.
STAITHE_API staithe_status staithe_future_is_ready(const staithe_future* future, int32_t* is_ready);
/// Waits until it is ready; unset: as long as the get or put does. STAITHE_TIMEOUT.
STAITHE_API staithe_status staithe_future_wait(const staithe_future* future, double timeout);

/// What a get got, or the error that it met. Waits for it, and ends the future. STAITHE_INVALID_ARGUMENT (it is of a
/// put), and what staithe_space_get gives.
STAITHE_API staithe_status staithe_future_array(staithe_future** future, staithe_space_array** array);
/// The version that a put has made or added to, or the error that it met; `version` may be NULL. Waits for it, and ends
/// the future. STAITHE_INVALID_ARGUMENT (it is of a get), and what staithe_space_put gives.
STAITHE_API staithe_status staithe_future_version(staithe_future** future, int64_t* version);

/// Ends the wait of a get. Waits for a put, whose data is used until then; it is put, or not, without a word.
STAITHE_API void staithe_future_free(staithe_future** future);

// ---- Limits of the process --------------------------------------------------------------------------------------

/// What this process may hold at most, over all its streams together, in whatever language they were opened. At a limit
/// a call waits, with its timeout, where waiting can help: for readers to release steps, for a connection to end. Else,
/// and when the time is up, it gives STAITHE_LIMIT_REACHED, and `staithe_last_error` says what is held and what to
/// change. The calls of this section may be made by any thread at any time.
typedef struct staithe_limits {
    size_t struct_size;       // set by staithe_limits_init
    int64_t memory;           // bytes that its writers' pools hold, used or kept for reuse; that it shares with
                              // devices, pins for a GPU or, as a device, keeps to encode for others; and that readers
                              // fetch of encoded blocks, until they are decoded
    int64_t descriptors;      // open files: some for a process with open streams, one a connection, one a pool
    int64_t connections;      // to other processes: one for each that shares a stream, however many they share
    int64_t bytes_in_flight;  // of published steps that readers have not released, over all streams that it writes. A
                              // stream of which at most one step is in flight may always begin another
    int64_t prefetch;         // of steps to come, fetched from other hosts before they are asked for; 256 MiB if unset,
                              // 0: none. Beyond it steps are fetched when they are read
} staithe_limits;

/// Fills the structure with STAITHE_UNSET. `struct_size` is sizeof(staithe_limits).
STAITHE_API void staithe_limits_init(staithe_limits* limits, size_t struct_size);

/// Replaces the limits that were set before; `limits` NULL: all unset. What is unset is taken from STAITHE_LIMITS, a
/// JSON map such as {"memory": "2 GiB", "connections": 100}; what is not there either has no limit but the streams'
/// queues and the system's. 0 is a limit, too. What is held already is not taken back.
/// STAITHE_INVALID_ARGUMENT (STAITHE_LIMITS is wrong, or a limit is below 0 and not STAITHE_UNSET).
STAITHE_API staithe_status staithe_set_limits(const staithe_limits* limits);

/// The limits that hold: those that were set, else those of STAITHE_LIMITS; STAITHE_UNSET where there is none. Needs no
/// _init: fills the first `struct_size` bytes, which are sizeof(staithe_limits).
/// STAITHE_INVALID_ARGUMENT (STAITHE_LIMITS is wrong).
STAITHE_API staithe_status staithe_get_limits(staithe_limits* limits, size_t struct_size);

/// What this process holds now; the fields mean what those of staithe_limits do.
typedef struct staithe_usage {
    int64_t memory;
    int64_t descriptors;
    int64_t connections;
    int64_t bytes_in_flight;
    int64_t prefetch;
} staithe_usage;

/// Fills the first `struct_size` bytes, which are sizeof(staithe_usage); it may grow at its end.
STAITHE_API staithe_status staithe_get_usage(staithe_usage* usage, size_t struct_size);

// ---- Looking from outside ---------------------------------------------------------------------------------------

/// The names of the streams that live writers of this user's run directory hold open.
STAITHE_API staithe_status staithe_stream_names(staithe_names** names);

/// What a stream's writer says of it, as JSON: what `staithe show --json` prints. Joins nothing and slows nobody.
/// Waits for the answer; STAITHE_UNSET: at most 5 seconds. STAITHE_NOT_FOUND, STAITHE_TIMEOUT.
STAITHE_API staithe_status staithe_describe(const char* stream, double timeout, char** json);

/// The names of the servers of this user's run directory, which keep spaces.
STAITHE_API staithe_status staithe_server_names(staithe_names** names);

/// What a server says of itself and its spaces, as JSON: what `staithe servers --json` prints of it.
/// Waits for the answer; STAITHE_UNSET: at most 5 seconds. STAITHE_NOT_FOUND, STAITHE_TIMEOUT, STAITHE_PEER_LOST.
STAITHE_API staithe_status staithe_describe_server(const char* server, double timeout, char** json);

#ifdef __cplusplus
}
#endif

#endif
