// Blocks that a process holds out of whose memory they are read with a provider of libfabric.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "conformance/blocks_of_other_hosts.hpp"
#include "fabric/owner_messages.hpp"
#include "store/fabric/fabric_source.hpp"
#include "support/beside.hpp"
#include "support/environment_variable.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::testing {

/// The process, which ends with this.
class FabricOwnerProcess {
  public:
    FabricOwnerProcess(const transport::fabric::Provider& provider, const os::FileDescriptor& pool,
                       const os::FileDescriptor& other) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
        ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);  // else it would not end for the other process
        const std::string numbers[] = {std::to_string(ends[1]), std::to_string(copy_of(pool)),
                                       std::to_string(copy_of(other))};
        const std::string program = beside("fabric_owner");
        pid_ = ::vfork();
        if (pid_ == 0) {
            ::execl(program.c_str(), "fabric_owner", provider.name.c_str(), provider.version.c_str(),
                    numbers[0].c_str(), numbers[1].c_str(), numbers[2].c_str(), nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        socket_ = ends[0];
        EXPECT_EQ(::read(socket_, &here, sizeof(here)), static_cast<ssize_t>(sizeof(here)));
    }
    ~FabricOwnerProcess() {
        ::close(socket_);
        ::waitpid(pid_, nullptr, 0);
        ::shm_unlink(("/" + std::to_string(pid_) + ":0:0").c_str());  // libfabric's, of one that was killed
        for (const int copy : copies_) {
            ::close(copy);
        }
    }
    FabricOwnerProcess(const FabricOwnerProcess&) = delete;
    FabricOwnerProcess& operator=(const FabricOwnerProcess&) = delete;

    base::Result<transport::fabric::Place> find(const store::BlockRef& ref) {
        const std::lock_guard lock(mutex_);
        const PlaceAsked asked{ref.store, ref.offset, ref.bytes};
        PlaceAnswered answer{.is_refused = 1, .place = {}};
        if (::write(socket_, &asked, sizeof(asked)) != sizeof(asked) ||
            ::read(socket_, &answer, sizeof(answer)) != sizeof(answer) || answer.is_refused != 0) {
            return base::fail(ErrorCode::protocol, "the owner has no such block");
        }
        ++found_;
        return answer.place;
    }
    void signal(int number) {
        is_disturbed_ = true;
        ::kill(pid_, number);
    }
    [[nodiscard]] bool is_disturbed() const { return is_disturbed_; }
    [[nodiscard]] int found() const { return found_; }

    OwnerIsAt here;

  private:
    /// That a program which is executed inherits.
    int copy_of(const os::FileDescriptor& file) {
        copies_.push_back(::fcntl(file.get(), F_DUPFD, 0));
        return copies_.back();
    }

    std::vector<int> copies_;
    pid_t pid_ = -1;
    int socket_ = -1;
    std::mutex mutex_;
    int found_ = 0;
    bool is_disturbed_ = false;
};

struct ProviderNet {
    static constexpr const char* name = "tcp";
};
struct ProviderShm {
    static constexpr const char* name = "shm";
};

/// The class that the suite asks for. What is not for RDMA is fetched over stream sockets. All of a provider share one
/// owner, unless a test has disturbed it: libfabric takes a tenth of a second to start.
template <class Named>
class ReadByRdma {
  public:
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return owned_->beside.keep(store, elements);
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source(base::Seconds timeout = base::Seconds(20)) {
        store::fabric::FabricOwner owner;
        owner.name = "owner";
        owner.stores = {0, 1};
        owner.agree = [owned = owned_](const base::Deadline&) {
            const OwnerIsAt& at = owned->process.here;
            return store::fabric::Terms{owned->provider, "127.0.0.1", std::string(at.address.data(), at.address_bytes),
                                        at.greeting, at.greeting_number};
        };
        owner.find = [owned = owned_](const store::BlockRef& ref, const base::Deadline&) {
            return owned->process.find(ref);
        };
        owner.tell = [this](const std::string& way) { way_ = way; };
        return std::make_shared<store::fabric::FabricSource>(std::vector{std::move(owner)}, owned_->beside.source(),
                                                             timeout);
    }
    static constexpr bool shows = false;

    /// That a source of this has taken.
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] FabricOwnerProcess& process() const { return owned_->process; }

  private:
    struct Owned {
        BlocksOfOtherHosts<connected_by_unix_sockets, 1> beside;
        transport::fabric::Provider provider = [] {
            const EnvironmentVariable chosen("STAITHE_FABRIC", Named::name);
            const auto offers = transport::fabric::offers();
            EXPECT_TRUE(offers) << offers.error().message;
            return offers->front();
        }();
        FabricOwnerProcess process{provider, beside.pool(0), beside.pool(1)};
    };
    static std::shared_ptr<Owned> owned() {
        static std::shared_ptr<Owned> last;
        if (last == nullptr || last->process.is_disturbed()) {
            last = std::make_shared<Owned>();
        }
        return last;
    }

    const std::shared_ptr<Owned> owned_ = owned();
    std::string way_;
};

}  // namespace staithe::testing
