// Blocks that a process holds out of whose memory they are read with a provider of libfabric.
#pragma once

#include <fcntl.h>
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
        const std::string numbers[] = {std::to_string(ends[1]), std::to_string(copy_of(pool)),
                                       std::to_string(copy_of(other))};
        pid_ = ::vfork();
        if (pid_ == 0) {
            ::execl(STAITHE_FABRIC_OWNER, "fabric_owner", provider.name.c_str(), provider.version.c_str(),
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
    void signal(int number) const { ::kill(pid_, number); }
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
};

struct ProviderNet {
    static constexpr const char* name = "tcp";
};
struct ProviderShm {
    static constexpr const char* name = "shm";
};

/// The class that the suite asks for. What is not for RDMA is fetched over stream sockets.
template <class Named>
class ReadByRdma {
  public:
    ReadByRdma() {
        const EnvironmentVariable chosen("STAITHE_FABRIC", Named::name);
        const auto offers = transport::fabric::offers();
        EXPECT_TRUE(offers) << offers.error().message;
        provider_ = offers->front();
        owner_ = std::make_shared<FabricOwnerProcess>(provider_, beside_.pool(0), beside_.pool(1));
    }
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return beside_.keep(store, elements);
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source(base::Seconds timeout = base::Seconds(20)) {
        store::fabric::FabricOwner owner;
        owner.name = "owner";
        owner.stores = {0, 1};
        owner.agree = [provider = provider_, process = owner_](const base::Deadline&) {
            const OwnerIsAt& at = process->here;
            return store::fabric::Terms{provider, "127.0.0.1", std::string(at.address.data(), at.address_bytes),
                                        at.greeting, at.greeting_number};
        };
        owner.find = [process = owner_](const store::BlockRef& ref, const base::Deadline&) {
            return process->find(ref);
        };
        owner.tell = [this](const std::string& way) { way_ = way; };
        return std::make_shared<store::fabric::FabricSource>(std::vector{std::move(owner)}, beside_.source(), timeout);
    }
    static constexpr bool shows = false;

    /// That a source of this has taken.
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] FabricOwnerProcess& process() const { return *owner_; }

  private:
    BlocksOfOtherHosts<connected_by_unix_sockets, 1> beside_;
    transport::fabric::Provider provider_;
    std::shared_ptr<FabricOwnerProcess> owner_;
    std::string way_;
};

}  // namespace staithe::testing
