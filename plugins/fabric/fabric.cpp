// libfabric, for reads of blocks by RDMA. Providers' registration caches are not relied on: they have been seen to keep
// memory registered that was unmapped, and mapped anew, behind their backs.
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

#include "transport/fabric/plugin.hpp"

namespace staithe::transport::fabric {
namespace {

/// What is asked of libfabric is what its version 1.17 had.
constexpr std::uint32_t api = FI_VERSION(1, 17);

/// Of 1.17: an endpoint that is closed while reads are under way ends the process. `net` is the same made anew, and
/// from 1.18 on has its name.
constexpr const char* crashes_when_stopped = "tcp;ofi_rxm";
constexpr const char* tcp_of_1_17 = "net";

/// At once by one port; each has a place of its own, which some providers write to.
constexpr std::size_t most_reads = 64;

struct CloseObject {
    template <class Object>
    void operator()(Object* object) const {
        fi_close(&object->fid);
    }
};
template <class Object>
using Owned = std::unique_ptr<Object, CloseObject>;
struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// What a call of libfabric returned, as a failure if it is one.
base::Result<> checked(const char* what, ssize_t returned) {
    if (returned == -FI_ENOMEM) {
        return base::fail(ErrorCode::limit_reached,
                          "libfabric cannot {}: no memory may be registered any more; allow more locked memory "
                          "(ulimit -l unlimited, or LimitMEMLOCK of the service that starts programs)",
                          what);
    }
    return returned < 0 ? base::fail(ErrorCode::system, "libfabric cannot {}: {}", what,
                                     fi_strerror(static_cast<int>(-returned)))
                        : base::Result<>();
}

/// `call` fills in a pointer to a new object.
template <class Object, class Call>
base::Result<> make(Owned<Object>& object, const char* what, const Call& call) {
    Object* made = nullptr;
    auto done = checked(what, call(&made));
    object.reset(made);
    return done;
}

std::string version_of(const fi_info& info) {
    const std::uint32_t version = info.fabric_attr->prov_version;
    return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

std::vector<Info> find(const std::string& name, const std::string& host, Side side) {
    const Info hints(fi_allocinfo());
    if (hints == nullptr) {
        return {};
    }
    hints->caps = FI_MSG | FI_RMA | (side == Side::owner ? FI_REMOTE_READ : FI_READ);
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    if (!name.empty()) {
        hints->fabric_attr->prov_name = ::strdup(name.c_str());  // freed with the hints
    }
    fi_info* first = nullptr;
    const char* const node = host.empty() ? nullptr : host.c_str();
    fi_getinfo(api, node, nullptr, node != nullptr && side == Side::owner ? FI_SOURCE : 0, hints.get(), &first);
    std::vector<Info> found;
    while (first != nullptr) {
        fi_info* const next = std::exchange(first->next, nullptr);
        found.emplace_back(std::exchange(first, next));
    }
    return found;
}

class FabricRegion final : public Region {
  public:
    FabricRegion(Owned<fid_mr> memory, std::uint64_t address) : memory_(std::move(memory)), address_(address) {}
    [[nodiscard]] std::uint64_t key() const override { return fi_mr_key(memory_.get()); }
    [[nodiscard]] std::uint64_t address() const override { return address_; }
    [[nodiscard]] void* descriptor() const { return fi_mr_desc(memory_.get()); }

  private:
    const Owned<fid_mr> memory_;
    const std::uint64_t address_;
};

class FabricPort final : public Port {
  public:
    static base::Result<std::unique_ptr<Port>> open(Info info) {
        std::unique_ptr<FabricPort> port(new FabricPort(std::move(info)));
        if (auto opened = port->open_objects(); !opened) {
            return base::fail(std::move(opened));
        }
        return port;
    }

    /// With its endpoint nothing is under way any more, and the queue holds what became of it.
    void stop() override {
        endpoint_.reset();
        fi_cq_entry entry;
        while (queue_ != nullptr && fi_cq_read(queue_.get(), &entry, 1) > 0) {
        }
    }

    [[nodiscard]] const std::string& address() const override { return address_; }
    [[nodiscard]] std::size_t longest_read() const override { return info_->ep_attr->max_msg_size; }

    base::Result<std::unique_ptr<Region>> register_memory(std::span<std::byte> memory, Use use) override {
        const std::uint64_t mode = info_->domain_attr->mr_mode;
        if (use == Use::written_by_reads && (mode & FI_MR_LOCAL) == 0) {
            return nullptr;
        }
        Owned<fid_mr> region;
        for (int attempt = 0;; ++attempt) {
            auto made = make(region, "register memory", [&](fid_mr** made) {
                return fi_mr_reg(domain_.get(), memory.data(), memory.size(),
                                 use == Use::read_by_peers ? FI_REMOTE_READ : FI_READ, 0, free_key(), 0, made, nullptr);
            });
            if (made) {
                break;
            }
            // A key that is taken, which is drawn again.
            if (attempt == 3 || (mode & FI_MR_PROV_KEY) != 0) {
                return base::fail(std::move(made));
            }
        }
        if ((mode & FI_MR_ENDPOINT) != 0) {
            auto enabled = checked("bind memory", fi_mr_bind(region.get(), &endpoint_->fid, 0));
            enabled = enabled ? checked("enable memory", fi_mr_enable(region.get())) : std::move(enabled);
            if (!enabled) {
                return base::fail(std::move(enabled));
            }
        }
        const auto address = (mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uint64_t>(memory.data()) : 0;
        return std::make_unique<FabricRegion>(std::move(region), address);
    }

    base::Result<> connect(std::string_view address) override {
        // Providers believe an address to be as long as their own, or to end with a zero.
        const bool is_text = info_->addr_format == FI_ADDR_STR;
        if (is_text ? address.empty() || address.back() != '\0' : address.size() != address_.size()) {
            return base::fail(ErrorCode::protocol, "a peer's address on the fabric is of {} bytes", address.size());
        }
        return fi_av_insert(peers_.get(), address.data(), 1, &peer_, 0, nullptr) == 1
                   ? base::Result<>()
                   : base::fail(ErrorCode::system, "libfabric takes a peer's address for none");
    }

    base::Result<bool> read(std::span<std::byte> into, const Region* region, std::uint64_t address,
                            std::uint64_t key) override {
        if (free_contexts_.empty()) {
            return false;
        }
        void* const descriptor = region != nullptr ? static_cast<const FabricRegion*>(region)->descriptor() : nullptr;
        const ssize_t begun =
            fi_read(endpoint_.get(), into.data(), into.size(), descriptor, peer_, address, key, free_contexts_.back());
        if (begun == -FI_EAGAIN) {
            return false;
        }
        if (begun < 0) {
            return base::fail(checked("read", begun));
        }
        free_contexts_.pop_back();
        return true;
    }

    base::Result<std::size_t> advance() override {
        std::array<fi_cq_entry, 16> entries;
        const ssize_t count = fi_cq_read(queue_.get(), entries.data(), entries.size());
        if (count == -FI_EAGAIN) {
            return 0;
        }
        if (count == -FI_EAVAIL) {
            fi_cq_err_entry error{};
            fi_cq_readerr(queue_.get(), &error, 0);
            return base::fail(ErrorCode::peer_lost, "a read over the fabric failed: {}", fi_strerror(error.err));
        }
        if (count < 0) {
            return base::fail(checked("go on", count));
        }
        for (ssize_t i = 0; i < count; ++i) {
            free_contexts_.push_back(static_cast<fi_context2*>(entries[static_cast<std::size_t>(i)].op_context));
        }
        return static_cast<std::size_t>(count);
    }

    [[nodiscard]] int descriptor_to_sleep_on() override {
        fid* const queue = &queue_->fid;
        std::array<fid*, 1> sleepers{queue};
        return descriptor_ >= 0 && fi_trywait(fabric_.get(), sleepers.data(), 1) == FI_SUCCESS ? descriptor_ : -1;
    }

  private:
    explicit FabricPort(Info info) : info_(std::move(info)) {
        for (fi_context2& context : contexts_) {
            free_contexts_.push_back(&context);
        }
    }

    base::Result<> open_objects() {
        const auto chain = [&](base::Result<>& done, auto&& next) {
            if (done) {
                done = next();
            }
        };
        base::Result<> done = make(fabric_, "open a fabric",
                                   [&](fid_fabric** made) { return fi_fabric(info_->fabric_attr, made, nullptr); });
        chain(done, [&] {
            return make(domain_, "open a domain",
                        [&](fid_domain** made) { return fi_domain(fabric_.get(), info_.get(), made, nullptr); });
        });
        chain(done, [&] { return open_queue(); });
        chain(done, [&] {
            return make(peers_, "open a table of addresses", [&](fid_av** made) {
                fi_av_attr attributes{};
                attributes.type = FI_AV_UNSPEC;
                return fi_av_open(domain_.get(), &attributes, made, nullptr);
            });
        });
        chain(done, [&] {
            return make(endpoint_, "open an endpoint",
                        [&](fid_ep** made) { return fi_endpoint(domain_.get(), info_.get(), made, nullptr); });
        });
        chain(done, [&] { return checked("bind addresses", fi_ep_bind(endpoint_.get(), &peers_->fid, 0)); });
        chain(done, [&] {
            return checked("bind a queue", fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_RECV));
        });
        chain(done, [&] { return checked("enable an endpoint", fi_enable(endpoint_.get())); });
        chain(done, [&] { return name_endpoint(); });
        return done;
    }

    /// With something to sleep on, where the provider has it.
    base::Result<> open_queue() {
        const auto open = [&](fi_wait_obj wait) {
            return make(queue_, "open a queue", [&](fid_cq** made) {
                fi_cq_attr attributes{};
                attributes.format = FI_CQ_FORMAT_CONTEXT;
                attributes.wait_obj = wait;
                attributes.size = 2 * most_reads;
                return fi_cq_open(domain_.get(), &attributes, made, nullptr);
            });
        };
        if (open(FI_WAIT_FD) && fi_control(&queue_->fid, FI_GETWAIT, &descriptor_) == FI_SUCCESS) {
            return {};
        }
        descriptor_ = -1;
        return open(FI_WAIT_NONE);
    }

    base::Result<> name_endpoint() {
        address_.resize(longest_address);
        std::size_t length = address_.size();
        auto named = checked("name an endpoint", fi_getname(&endpoint_->fid, address_.data(), &length));
        address_.resize(std::min(length, longest_address));
        return named;
    }

    /// One that nobody guesses, where the provider has us choose: whoever has it may read the memory.
    [[nodiscard]] std::uint64_t free_key() const {
        std::random_device random;
        const std::uint64_t drawn = (std::uint64_t{random()} << 32) | random();
        const std::size_t bits = 8 * std::min<std::size_t>(info_->domain_attr->mr_key_size, 8);
        return bits == 64 ? drawn : drawn & ((std::uint64_t{1} << bits) - 1);
    }

    static constexpr std::size_t longest_address = 256;

    const Info info_;
    Owned<fid_fabric> fabric_;
    Owned<fid_domain> domain_;
    Owned<fid_cq> queue_;
    Owned<fid_av> peers_;
    std::string address_;
    fi_addr_t peer_ = FI_ADDR_UNSPEC;
    int descriptor_ = -1;
    std::array<fi_context2, most_reads> contexts_{};
    std::vector<fi_context2*> free_contexts_;
    Owned<fid_ep> endpoint_;  // last: it is closed first
};

class Libfabric final : public Plugin {
  public:
    Libfabric() {
        // Read when libfabric is first asked for something.
        ::setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
        ::setenv("FI_MR_CACHE_MAX_COUNT", "0", 0);
    }

    std::vector<Provider> providers(const std::string& name) override {
        std::vector<Provider> known;
        for (const Info& info : find(name, "", Side::owner)) {
            Provider provider{info->fabric_attr->prov_name, version_of(*info)};
            if (provider.name != crashes_when_stopped &&
                std::find(known.begin(), known.end(), provider) == known.end()) {
                known.push_back(std::move(provider));
            }
        }
        return known.empty() && name == "tcp" ? providers(tcp_of_1_17) : known;
    }

    base::Result<std::unique_ptr<Port>> open(const Provider& provider, const std::string& host, Side side) override {
        // Adapters that have addresses of their own are not found by the host's. Where an address is a text, it would
        // be the host's for all processes; else each has one of its own.
        for (const std::string& node : {host, std::string()}) {
            for (Info& info : find(provider.name, node, side)) {
                const bool is_shared = !node.empty() && info->addr_format == FI_ADDR_STR;
                if (!is_shared && Provider{info->fabric_attr->prov_name, version_of(*info)} == provider) {
                    return FabricPort::open(std::move(info));
                }
            }
        }
        return base::fail(ErrorCode::not_found, "libfabric has no provider '{}' {} here", provider.name,
                          provider.version);
    }
};

}  // namespace
}  // namespace staithe::transport::fabric

staithe::transport::fabric::Plugin* staithe_fabric_plugin_get(unsigned interface) {
    static staithe::transport::fabric::Libfabric libfabric;
    return interface == staithe::transport::fabric::plugin_interface ? &libfabric : nullptr;
}
