// Stands for CUDA's driver where there is no GPU: as much of libcuda.so.1 as Staithe calls, and a few calls for tests.
//
// Nobody but this file can touch the memory of its device. Copies happen late, in a thread of their own and in the
// order of their stream, whatever memory of the host they are for: who does not wait for them sees it. What the real
// driver would answer with undefined behaviour, such as pinned memory that goes away under a copy, is counted as a
// fault.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ok = 0, invalid_value = 1, out_of_memory = 2, invalid_context = 201, invalid_handle = 400, registered = 712 };
enum { device_bytes = 1 << 26, most_functions = 32, late_us = 200 };

typedef struct {  // CUDA_MEMCPY2D_v2
    size_t src_x, src_y;
    int src_type;
    const void* src_host;
    uint64_t src_device;
    void* src_array;
    size_t src_pitch, dst_x, dst_y;
    int dst_type;
    void* dst_host;
    uint64_t dst_device;
    void* dst_array;
    size_t dst_pitch, width, height;
} Memcpy2D;

typedef struct Event {
    int done;
} Event;

typedef struct Work {  // of a stream: to copy, to fill, or to tell that an event is there
    uintptr_t stream;
    char *to, *from;
    size_t width, height, to_pitch, from_pitch;
    int value;
    Event* event;
    struct Work* next;
} Work;

typedef struct Range {
    char* first;
    size_t bytes;
    struct Range* next;
} Range;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char *shown, *backing;  // the device's memory as programs know it, and as it can be touched
static size_t allocated;
static Work* pending;
static Range* pinned;
static uintptr_t held;  // the stream that stands still; 0: none
static char failing[64];
static int failing_code, faults_seen, worker_runs;
static struct {
    const char* name;
    int calls;
} counted[most_functions];
static __thread int contexts;

static int on_device(uint64_t address) {
    return shown != NULL && address >= (uintptr_t)shown && address < (uintptr_t)shown + device_bytes;
}
static char* touchable(uint64_t address) { return backing + (address - (uintptr_t)shown); }

static int overlaps(const char* first, size_t bytes, const Range* range) {
    return first < range->first + range->bytes && range->first < first + bytes;
}
static size_t reach(size_t width, size_t height, size_t pitch) { return width + (height - 1) * pitch; }

static void do_work(const Work* work) {
    for (size_t row = 0; row < work->height && work->to != NULL; ++row) {
        if (work->from == NULL) {
            memset(work->to + row * work->to_pitch, work->value, work->width);
        } else {
            memcpy(work->to + row * work->to_pitch, work->from + row * work->from_pitch, work->width);
        }
    }
    if (work->event != NULL) {
        work->event->done = 1;
    }
}

static void* run(void* unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        Work** next = &pending;
        while (*next != NULL && (*next)->stream == held) {
            next = &(*next)->next;
        }
        if (*next == NULL) {
            pthread_cond_wait(&changed, &mutex);
            continue;
        }
        if ((*next)->event == NULL) {
            Work* const chosen = *next;
            pthread_mutex_unlock(&mutex);
            usleep(late_us);
            pthread_mutex_lock(&mutex);
            if (chosen->stream == held) {
                continue;
            }
            for (next = &pending; *next != chosen; next = &(*next)->next) {
            }
        }
        Work* const work = *next;
        do_work(work);
        *next = work->next;
        free(work);
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

// With the lock. Whether the call goes on: not if a test wants it to fail, or no context is current.
static int begin(const char* name, int needs_context) {
    for (int i = 0; i < most_functions; ++i) {
        if (counted[i].name == NULL || strcmp(counted[i].name, name) == 0) {
            counted[i].name = name;
            ++counted[i].calls;
            break;
        }
    }
    if (strcmp(failing, name) == 0) {
        failing[0] = 0;
        return failing_code;
    }
    return needs_context && contexts == 0 ? invalid_context : ok;
}

static void enqueue(Work work) {
    Work** last = &pending;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = malloc(sizeof work);
    **last = work;
    if (!worker_runs) {
        pthread_t worker;
        worker_runs = pthread_create(&worker, NULL, run, NULL) == 0;
    }
    pthread_cond_broadcast(&changed);
}

static int copy(const char* name, Work work, uint64_t device, size_t device_pitch) {
    pthread_mutex_lock(&mutex);
    int code = begin(name, 1);
    const size_t bytes = reach(work.width, work.height, device_pitch);
    if (code == ok && (!on_device(device) || !on_device(device + bytes - 1) || work.stream == 0)) {
        code = invalid_value;
    }
    if (code == ok) {
        enqueue(work);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int pin(const char* name, char* memory, size_t bytes) {
    pthread_mutex_lock(&mutex);
    int code = begin(name, 1);
    for (Range* range = pinned; range != NULL && code == ok; range = range->next) {
        code = overlaps(memory, bytes, range) ? registered : ok;
    }
    if (code == ok) {
        Range* const range = malloc(sizeof *range);
        *range = (Range){memory, bytes, pinned};
        pinned = range;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int unpin(const char* name, const char* memory) {
    pthread_mutex_lock(&mutex);
    int code = begin(name, 1);
    Range** range = &pinned;
    while (*range != NULL && (*range)->first != memory) {
        range = &(*range)->next;
    }
    if (code != ok || *range == NULL) {
        faults_seen += code == ok;
        code = code != ok ? code : invalid_value;
    } else {
        for (const Work* work = pending; work != NULL; work = work->next) {
            faults_seen += work->to != NULL && (overlaps(work->to, 1, *range) || overlaps(work->from, 1, *range));
        }
        Range* const gone = *range;
        *range = gone->next;
        free(gone);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

// ---- The driver

int cuInit(unsigned flags) { return flags == 0 ? ok : invalid_value; }

int cuGetErrorString(int code, const char** text) {
    *text = code == out_of_memory ? "out of memory" : "the device is a fake";
    return ok;
}

int cuPointerGetAttribute(void* data, int attribute, uint64_t address) {
    if (attribute != 9 || !on_device(address)) {
        return invalid_value;
    }
    *(int*)data = 0;
    return ok;
}

int cuDevicePrimaryCtxRetain(void** context, int ordinal) {
    *context = &mutex;
    return ordinal == 0 ? ok : invalid_value;
}

int cuCtxPushCurrent_v2(void* context) {
    contexts += context == &mutex;
    return context == &mutex ? ok : invalid_context;
}

int cuCtxPopCurrent_v2(void** context) {
    *context = &mutex;
    return contexts-- > 0 ? ok : invalid_context;
}

int cuMemcpyDtoHAsync_v2(void* host, uint64_t device, size_t bytes, void* stream) {
    return copy(__func__, (Work){(uintptr_t)stream, host, touchable(device), bytes, 1, 0, 0, 0, NULL, NULL}, device, 0);
}

int cuMemcpyHtoDAsync_v2(uint64_t device, const void* host, size_t bytes, void* stream) {
    return copy(__func__, (Work){(uintptr_t)stream, touchable(device), (char*)host, bytes, 1, 0, 0, 0, NULL, NULL},
                device, 0);
}

int cuMemcpy2DAsync_v2(const Memcpy2D* what, void* stream) {
    const int to_host = what->dst_type == 1;
    if (what->src_type != (to_host ? 2 : 1) || what->dst_type != (to_host ? 1 : 2) || what->src_x + what->src_y != 0 ||
        what->dst_x + what->dst_y != 0 || what->src_pitch < what->width || what->dst_pitch < what->width) {
        return invalid_value;
    }
    char* const to = to_host ? what->dst_host : touchable(what->dst_device);
    char* const from = to_host ? touchable(what->src_device) : (char*)what->src_host;
    return copy(
        __func__,
        (Work){(uintptr_t)stream, to, from, what->width, what->height, what->dst_pitch, what->src_pitch, 0, NULL, NULL},
        to_host ? what->src_device : what->dst_device, to_host ? what->src_pitch : what->dst_pitch);
}

int cuEventCreate(Event** event, unsigned flags) {
    (void)flags;
    pthread_mutex_lock(&mutex);
    const int code = begin(__func__, 1);
    *event = code == ok ? calloc(1, sizeof **event) : NULL;
    pthread_mutex_unlock(&mutex);
    return code;
}

int cuEventRecord(Event* event, void* stream) {
    pthread_mutex_lock(&mutex);
    const int code = begin(__func__, 1);
    if (code == ok) {
        enqueue((Work){(uintptr_t)stream, NULL, NULL, 0, 0, 0, 0, 0, event, NULL});
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

int cuEventSynchronize(Event* event) {
    pthread_mutex_lock(&mutex);
    const int code = begin(__func__, 1);
    while (code == ok && !event->done) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

int cuEventDestroy_v2(Event* event) {
    free(event);
    return ok;
}

int cuStreamSynchronize(void* stream) {
    pthread_mutex_lock(&mutex);
    const int code = begin(__func__, 1);
    for (const Work* work = pending; code == ok && work != NULL;) {
        if (work->stream == (uintptr_t)stream) {
            pthread_cond_wait(&changed, &mutex);
            work = pending;
        } else {
            work = work->next;
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

int cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
    (void)flags;
    *memory = malloc(bytes);
    const int code = pin(__func__, *memory, bytes);
    if (code != ok) {
        free(*memory);
    }
    return code;
}

int cuMemFreeHost(void* memory) {
    const int code = unpin(__func__, memory);
    if (code == ok) {
        free(memory);
    }
    return code;
}

int cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
    (void)flags;
    return pin(__func__, memory, bytes);
}

int cuMemHostUnregister(void* memory) { return unpin(__func__, memory); }

// ---- For tests

// Memory of the device; 0 if there is none left.
uint64_t fake_allocate(size_t bytes) {
    pthread_mutex_lock(&mutex);
    if (shown == NULL) {
        shown = mmap(NULL, device_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        backing = mmap(NULL, device_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    const size_t first = allocated;
    allocated += (bytes + 255) / 256 * 256;
    pthread_mutex_unlock(&mutex);
    return allocated <= device_bytes ? (uintptr_t)shown + first : 0;
}

void fake_free_all(void) { allocated = 0; }

// At once, outside of all streams.
void fake_write(uint64_t device, const void* from, size_t bytes) { memcpy(touchable(device), from, bytes); }
void fake_read(uint64_t device, void* to, size_t bytes) { memcpy(to, touchable(device), bytes); }

// What a kernel on that stream does.
void fake_fill(uint64_t device, size_t bytes, int value, uintptr_t stream) {
    pthread_mutex_lock(&mutex);
    enqueue((Work){stream, touchable(device), NULL, bytes, 1, 0, 0, value, NULL, NULL});
    pthread_mutex_unlock(&mutex);
}

// From now on nothing happens on that stream; 0: all go on.
void fake_hold(uintptr_t stream) {
    pthread_mutex_lock(&mutex);
    held = stream;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

// The next call of that function fails.
void fake_fail(const char* name, int code) {
    pthread_mutex_lock(&mutex);
    strncpy(failing, name, sizeof failing - 1);
    failing_code = code;
    pthread_mutex_unlock(&mutex);
}

int fake_calls(const char* name) {
    int calls = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < most_functions && counted[i].name != NULL; ++i) {
        calls += strcmp(counted[i].name, name) == 0 ? counted[i].calls : 0;
    }
    pthread_mutex_unlock(&mutex);
    return calls;
}

int fake_faults(void) { return faults_seen; }
// Contexts that this thread has pushed and not popped.
int fake_contexts(void) { return contexts; }
