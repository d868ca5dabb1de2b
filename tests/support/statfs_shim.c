// Preloaded into a program: what lies below the directory that STATFS_SHIM names is on NFS, by what statfs(2) says.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int statfs(const char* path, struct statfs* status) {
    const int failed = (int)syscall(SYS_statfs, path, status);
    const char* shared = getenv("STATFS_SHIM");
    if (!failed && shared && strncmp(path, shared, strlen(shared)) == 0) {
        status->f_type = 0x6969;
    }
    return failed;
}
