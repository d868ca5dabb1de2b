// A switch between network interfaces, in user space: every frame is handed on after a fixed time, or lost.
//
//   switch DELAY_IN_MICROSECONDS LOST_IN_A_MILLION PORT...
//
// It says "ready" when frames pass. The kernel's own way (netem) is not in every kernel. Frames come and go as the
// kernel has them, up to 64 KiB where the sender leaves cutting them to the network card: each is read straight into a
// ring, and written from there when it is due.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { MOST_PORTS = 64, LARGEST_FRAME = 1 << 17, FRAMES_AT_ONCE = 64, BUFFER = 1 << 25 };

struct frame {  // in the ring, with what was read behind it
    uint64_t due;
    uint32_t length;
    int32_t from;
};

struct port {
    int socket;
    uint8_t address[ETH_ALEN];  // of the host behind it; each port has one
};

static struct port ports[MOST_PORTS];
static int port_count;
static uint8_t* ring;
static size_t ring_size;
static size_t head, tail, wrap;  // frames from head to tail; or, where tail is below head, to wrap and on from 0

static void check(int succeeded, const char* what) {
    if (!succeeded) {
        perror(what);
        exit(1);
    }
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void open_port(const char* name) {
    const int on = 1, size = BUFFER;
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htobe16(ETH_P_ALL)};
    struct port* port = &ports[port_count++];
    check((port->socket = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) >= 0, "socket");
    check(setsockopt(port->socket, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) == 0, "PACKET_VNET_HDR");
    check(setsockopt(port->socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0, "PACKET_IGNORE_OUTGOING");
    check(setsockopt(port->socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) == 0, "SO_RCVBUFFORCE");
    check(setsockopt(port->socket, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) == 0, "SO_SNDBUFFORCE");
    check((address.sll_ifindex = (int)if_nametoindex(name)) != 0, name);
    check(bind(port->socket, (struct sockaddr*)&address, sizeof address) == 0, name);
}

static const struct ether_header* header_of(const struct frame* frame) {
    return (const struct ether_header*)((const uint8_t*)(frame + 1) + sizeof(struct virtio_net_hdr));
}

// The place for the next frame; NULL: there is none, and what comes is lost, as in any switch that is flooded.
static struct frame* place(void) {
    const size_t needed = sizeof(struct frame) + LARGEST_FRAME;
    if (tail >= head) {
        if (tail + needed <= ring_size) {
            return (struct frame*)(ring + tail);
        }
        if (needed >= head) {
            return NULL;
        }
        wrap = tail;
        tail = 0;
    }
    return tail + needed < head ? (struct frame*)(ring + tail) : NULL;
}

static const struct frame* first(void) {
    if (tail < head && head == wrap) {
        head = 0;
    }
    return head == tail ? NULL : (const struct frame*)(ring + head);
}

static size_t extent(const struct frame* frame) { return (sizeof *frame + frame->length + 7) & ~(size_t)7; }

// To the port behind which the receiver is; to all others if it is not known, or if all are meant. A port that is down
// or full loses it.
static void hand_on(const struct frame* frame) {
    const struct ether_header* header = header_of(frame);
    for (int known = 0; known < port_count; ++known) {
        if (memcmp(ports[known].address, header->ether_dhost, ETH_ALEN) == 0) {
            send(ports[known].socket, frame + 1, frame->length, MSG_DONTWAIT);
            return;
        }
    }
    for (int other = 0; other < port_count; ++other) {
        if (other != frame->from) {
            send(ports[other].socket, frame + 1, frame->length, MSG_DONTWAIT);
        }
    }
}

static uint64_t draw(void) {  // xorshift64: the same losses every time
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void take_from(int number, uint64_t delay, uint64_t lost_in_a_million) {
    static struct frame nowhere[1 + LARGEST_FRAME / sizeof(struct frame)];
    for (int taken = 0; taken < FRAMES_AT_ONCE; ++taken) {
        struct frame* kept = place();
        struct frame* frame = kept ? kept : nowhere;
        const ssize_t length = recv(ports[number].socket, frame + 1, LARGEST_FRAME, 0);
        if (length < 0) {  // EAGAIN; or ENETDOWN, said once when the port goes down
            return;
        }
        frame->length = (uint32_t)length;
        frame->from = number;
        frame->due = now() + delay;
        memcpy(ports[number].address, header_of(frame)->ether_shost, ETH_ALEN);
        if (kept && draw() % 1000000 >= lost_in_a_million) {
            tail += extent(frame);
        }
    }
}

int main(int count, char** arguments) {
    check(count > 3 && count - 3 <= MOST_PORTS, "switch DELAY_IN_MICROSECONDS LOST_IN_A_MILLION PORT...");
    const uint64_t delay = strtoull(arguments[1], NULL, 10) * 1000;
    const uint64_t lost_in_a_million = strtoull(arguments[2], NULL, 10);
    ring_size = ((size_t)8 << 20) + delay * 5 / 2;  // 20 Gbit/s for so long; more would only leave the cache
    ring = mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(ring != MAP_FAILED, "mmap");
    for (int i = 3; i < count; ++i) {
        open_port(arguments[i]);
    }
    prctl(PR_SET_TIMERSLACK, 1UL);
    puts("ready");
    fflush(stdout);

    struct pollfd polled[MOST_PORTS];
    for (;;) {
        const struct frame* frame;
        uint64_t time = now();
        while ((frame = first()) && frame->due <= time) {
            hand_on(frame);
            head += extent(frame);
        }
        const uint64_t wait = frame ? frame->due - time : 0;
        const struct timespec timeout = {.tv_sec = (time_t)(wait / 1000000000), .tv_nsec = (long)(wait % 1000000000)};
        for (int i = 0; i < port_count; ++i) {
            polled[i] = (struct pollfd){.fd = ports[i].socket, .events = POLLIN};
        }
        ppoll(polled, (nfds_t)port_count, frame ? &timeout : NULL, NULL);
        for (int i = 0; i < port_count; ++i) {
            if (polled[i].revents) {
                take_from(i, delay, lost_in_a_million);
            }
        }
    }
}
