// Reads of a block by RDMA: Staithe's source beside a loop of fi_read by hand, with the same provider, out of the same
// memory of another process. The limit is the loop: what libfabric itself reaches.
//
//     fabric_reads PROVIDER MIB ROUNDS [OWNER_CORE READER_CORE]     such as tcp; prints the medians as JSON
#include <fcntl.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "memory/sources.hpp"
#include "store/fabric/fabric_source.hpp"
#include "transport/fabric/fabric.hpp"

using namespace staithe;

namespace {

constexpr const char* host = "127.0.0.1";

template <class T>
T value(base::Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "fabric_reads: %s\n", result.error().message.c_str());
        std::exit(1);
    }
    return *std::move(result);
}

void demand(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "fabric_reads: by hand: %s failed\n", what);
        std::exit(1);
    }
}

/// What the owner tells.
struct Told {
    char address[256] = {};
    std::uint64_t address_bytes = 0;
    transport::fabric::Place greeting;
    std::uint64_t greeting_number = 0;
    transport::fabric::Place block;
    store::BlockRef ref;
};

transport::fabric::Provider chosen() { return value(transport::fabric::offers()).front(); }

int own(int socket, std::int64_t bytes) {
    const auto pool = value(memory::open_pool("owner"));
    const auto block = value(pool->allocate(bytes));
    std::memset(block.data, 3, static_cast<std::size_t>(bytes));
    transport::fabric::ExposedPools::Files files;
    files.emplace(0, value(pool->file().duplicate()));
    const auto exposed = value(transport::fabric::ExposedPools::open(chosen(), host, files));
    Told told{};
    std::copy(exposed->address().begin(), exposed->address().end(), told.address);
    told.address_bytes = exposed->address().size();
    told.greeting = exposed->greeting();
    told.greeting_number = exposed->greeting_number();
    told.block = value(exposed->place_of(0, block.offset, bytes));
    told.ref = {.store = 0, .offset = block.offset, .bytes = bytes};
    char end = 0;
    return ::write(socket, &told, sizeof(told)) == sizeof(told) && ::read(socket, &end, 1) == 0 ? 0 : 1;
}

/// The loop: one endpoint, as many reads of 4 MiB as it takes, and its queue asked again and again.
class ByHand {
  public:
    ByHand(const transport::fabric::Provider& provider, const Told& told) : told_(told) {
        fi_info* const hints = fi_allocinfo();
        hints->caps = FI_MSG | FI_RMA;
        hints->mode = FI_CONTEXT;
        hints->ep_attr->type = FI_EP_RDM;
        hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
        hints->fabric_attr->prov_name = ::strdup(provider.name.c_str());
        demand(fi_getinfo(FI_VERSION(1, 17), host, nullptr, 0, hints, &info_) == 0, "fi_getinfo");
        fi_freeinfo(hints);
        demand(fi_fabric(info_->fabric_attr, &fabric_, nullptr) == 0, "fi_fabric");
        demand(fi_domain(fabric_, info_, &domain_, nullptr) == 0, "fi_domain");
        fi_cq_attr queue{};
        queue.format = FI_CQ_FORMAT_CONTEXT;
        demand(fi_cq_open(domain_, &queue, &queue_, nullptr) == 0, "fi_cq_open");
        fi_av_attr table{};
        demand(fi_av_open(domain_, &table, &table_, nullptr) == 0, "fi_av_open");
        demand(fi_endpoint(domain_, info_, &endpoint_, nullptr) == 0, "fi_endpoint");
        demand(fi_ep_bind(endpoint_, &table_->fid, 0) == 0 &&
                   fi_ep_bind(endpoint_, &queue_->fid, FI_TRANSMIT | FI_RECV) == 0 && fi_enable(endpoint_) == 0,
               "fi_enable");
        demand(fi_av_insert(table_, told.address, 1, &peer_, 0, nullptr) == 1, "fi_av_insert");
    }

    void read(std::vector<std::uint8_t>& into) {
        fid_mr* region = nullptr;
        demand(fi_mr_reg(domain_, into.data(), into.size(), FI_READ, 0, 1, 0, &region, nullptr) == 0, "fi_mr_reg");
        constexpr std::size_t at_once = 4 << 20;
        const auto first = told_.block.address + static_cast<std::uint64_t>(told_.ref.offset - told_.block.offset);
        std::vector<fi_context> contexts((into.size() + at_once - 1) / at_once);
        std::size_t begun = 0;
        for (std::size_t done = 0; done < contexts.size();) {
            for (; begun < contexts.size() && begun - done < 64; ++begun) {
                const std::size_t at = begun * at_once;
                if (fi_read(endpoint_, into.data() + at, std::min(at_once, into.size() - at), fi_mr_desc(region), peer_,
                            first + at, told_.block.key, &contexts[begun]) != 0) {
                    break;
                }
            }
            fi_cq_entry entries[16];
            const ssize_t count = fi_cq_read(queue_, entries, 16);
            demand(count >= 0 || count == -FI_EAGAIN, "fi_cq_read");
            done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        }
        fi_close(&region->fid);
    }

  private:
    const Told& told_;
    fi_info* info_ = nullptr;
    fid_fabric* fabric_ = nullptr;
    fid_domain* domain_ = nullptr;
    fid_cq* queue_ = nullptr;
    fid_av* table_ = nullptr;
    fid_ep* endpoint_ = nullptr;
    fi_addr_t peer_ = 0;
};

template <class Read>
double rate(std::vector<std::uint8_t>& into, const Read& read) {
    const auto began = std::chrono::steady_clock::now();
    read();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    demand(into.front() == 3 && into.back() == 3, "reading what was written");
    return static_cast<double>(into.size()) / took.count() / 1e9;
}

/// This process, and those that it starts from now on.
void pin(const char* core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(std::atoi(core)), &cores);
    demand(::sched_setaffinity(0, sizeof(cores), &cores) == 0, "keeping to a core");
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: fabric_reads PROVIDER MIB ROUNDS [OWNER_CORE READER_CORE]\n");
        return 2;
    }
    const std::int64_t bytes = std::int64_t{std::atoi(argv[2])} << 20;
    const int rounds = std::atoi(argv[3]);
    if (argc == 5) {  // by itself: the owner
        return own(std::atoi(argv[4]), bytes);
    }
    ::setenv("STAITHE_FABRIC", argv[1], 1);
    int ends[2];
    demand(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
    const std::string socket = std::to_string(ends[1]);
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);  // else it would not end for the owner
    char* arguments[] = {argv[0], argv[1], argv[2], argv[3], const_cast<char*>(socket.c_str()), nullptr};
    pid_t owner = 0;
    if (argc == 6) {
        pin(argv[4]);
    }
    demand(::posix_spawn(&owner, argv[0], nullptr, nullptr, arguments, environ) == 0, "starting the owner");
    ::close(ends[1]);
    if (argc == 6) {
        pin(argv[5]);
    }
    Told told{};
    demand(::read(ends[0], &told, sizeof(told)) == sizeof(told), "starting the owner");

    const transport::fabric::Provider provider = chosen();
    store::fabric::FabricSource source(
        {{.name = "owner",
          .stores = {0},
          .agree =
              [&](const base::Deadline&) {
                  return store::fabric::Terms{provider, host, std::string(told.address, told.address_bytes),
                                              told.greeting, told.greeting_number};
              },
          .find = [&](const store::BlockRef&,
                      const base::Deadline&) { return base::Result<transport::fabric::Place>(told.block); }}},
        nullptr, base::Seconds(60));
    store::BlockDescription block;
    block.variable = "x";
    block.shape = block.box.count = {bytes};
    block.box.offset = {0};
    std::vector<std::uint8_t> into(static_cast<std::size_t>(bytes));
    const store::Piece piece{0, &block, {{{0}, block.shape}, Selection::all(block.shape)}};
    ByHand hand(provider, told);
    std::vector<double> ours;
    std::vector<double> theirs;
    for (int round = 0; round <= rounds; ++round) {  // the first opens connections
        const double by_hand = rate(into, [&] { hand.read(into); });
        std::ranges::fill(into, std::uint8_t{0});
        const double by_us = rate(into, [&] {
            const auto fetched = source.fetch(std::span(&told.ref, 1), std::span(&piece, 1), view_of(into));
            demand(fetched.has_value(), "fetching");
        });
        std::ranges::fill(into, std::uint8_t{0});
        if (round > 0) {
            theirs.push_back(by_hand);
            ours.push_back(by_us);
        }
    }
    std::printf(R"({"provider": "%s", "gigabytes_per_second": %.3f, "by_hand": %.3f})"
                "\n",
                transport::fabric::to_string(provider).c_str(), median(ours), median(theirs));
    ::close(ends[0]);
    ::waitpid(owner, nullptr, 0);
    return 0;
}
