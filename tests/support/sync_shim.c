// Preloaded into a program: a disk that fails. SYNC_SHIM names a file with a number: once it is there, attempts to have
// files on disk are counted, and that one fails. The kernel has lost what was not there yet, and says so once. If the
// number is 0, each attempt is broken off by a signal, and has to be made again.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long attempts;

static int error_of_attempt(void) {
    char text[32] = "";
    const char* path = getenv("SYNC_SHIM");
    const int file = path ? (int)syscall(SYS_open, path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return 0;
    }
    const ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
    close(file);
    if (length <= 0) {
        return 0;
    }
    const long attempt = atomic_fetch_add(&attempts, 1) + 1;
    if (atol(text) == 0) {
        return attempt % 2 == 1 ? EINTR : 0;
    }
    return attempt == atol(text) ? EIO : 0;
}

#define SYNCHRONISES(number, file)        \
    const int error = error_of_attempt(); \
    if (error != 0) {                     \
        errno = error;                    \
        return -1;                        \
    }                                     \
    return (int)syscall(number, file)

int fsync(int file) { SYNCHRONISES(SYS_fsync, file); }
int fdatasync(int file) { SYNCHRONISES(SYS_fdatasync, file); }
