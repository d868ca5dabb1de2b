// Preloaded into a program: a disk that fails. SYNC_SHIM names a file with a number: once it is there, attempts to have
// files on disk are counted, and that one fails. The kernel has lost what was not there yet, and says so once.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long attempts;

static int fails(void) {
    char text[32] = "";
    const char* path = getenv("SYNC_SHIM");
    const int file = path ? (int)syscall(SYS_open, path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return 0;
    }
    const ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
    close(file);
    return length > 0 && atomic_fetch_add(&attempts, 1) + 1 == atol(text);
}

#define SYNCHRONISES(number, file) \
    if (fails()) {                 \
        errno = EIO;               \
        return -1;                 \
    }                              \
    return (int)syscall(number, file)

int fsync(int file) { SYNCHRONISES(SYS_fsync, file); }
int fdatasync(int file) { SYNCHRONISES(SYS_fdatasync, file); }
