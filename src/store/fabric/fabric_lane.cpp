#include "store/fabric/fabric_lane.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "base/interruption.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::store::fabric {
namespace {

/// Long reads are cut, so that something is heard of them while they last.
constexpr std::size_t longest_read = 4 << 20;

/// While a port is connecting nothing wakes who waits for it.
constexpr base::Seconds while_connecting{0.0002};

}  // namespace

base::Result<std::unique_ptr<FabricLane>> FabricLane::open(const Terms& terms, const base::Deadline& deadline) {
    auto port = transport::fabric::open(terms.provider, terms.host, transport::fabric::Side::reader);
    if (!port) {
        return base::fail(std::move(port));
    }
    if (auto connected = (*port)->connect(terms.address); !connected) {
        return base::fail(std::move(connected));
    }
    std::unique_ptr<FabricLane> lane(new FabricLane(*std::move(port)));
    auto region = lane->port_->register_memory({lane->buffer_.get(), remote::Arrival::buffer_bytes},
                                               transport::fabric::Port::Use::written_by_reads);
    if (!region) {
        return base::fail(std::move(region));
    }
    lane->buffer_region_ = *std::move(region);
    if (auto greeted = lane->greet(terms, deadline); !greeted) {
        return base::fail(std::move(greeted));
    }
    return lane;
}

FabricLane::~FabricLane() { port_->stop(); }

base::Result<> FabricLane::greet(const Terms& terms, const base::Deadline& deadline) {
    const std::span word(buffer_.get(), sizeof(terms.greeting_number));
    for (bool begun = false;;) {
        if (!begun) {
            const auto read = port_->read(word, buffer_region_.get(), terms.greeting.address, terms.greeting.key);
            if (!read) {
                return base::fail(read);
            }
            begun = *read;
        }
        const auto done = port_->advance();
        if (!done) {
            return base::fail(done);
        }
        if (*done > 0) {
            break;
        }
        if (deadline.passed() || base::interrupted()) {
            return base::fail(ErrorCode::timeout, "the owner's memory was not reached within {:g} s",
                              deadline.seconds());
        }
        std::this_thread::sleep_for(while_connecting);
    }
    const std::span expected = std::as_bytes(std::span(&terms.greeting_number, 1));
    return std::ranges::equal(word, expected)
               ? base::Result<>()
               : base::fail(ErrorCode::protocol, "what was reached is not the memory of the owner");
}

base::Result<> FabricLane::ask(std::vector<FabricTransfer> transfers, std::span<std::byte> memory) {
    auto region = port_->register_memory(memory, transport::fabric::Port::Use::written_by_reads);
    if (!region) {
        return base::fail(std::move(region));
    }
    destination_ = *std::move(region);
    transfers_ = std::move(transfers);
    next_ = 0;
    silent_since_ = base::Clock::now();
    return {};
}

base::Result<bool> FabricLane::advance() {
    const auto begun = begin_reads();
    const auto done = begun ? port_->advance() : base::fail(begun);
    if (!done) {
        return base::fail(done);
    }
    under_way_ -= std::min(*done, under_way_);
    if (*done > 0) {
        silent_since_ = base::Clock::now();
    }
    if (under_way_ == 0 && batch_ > 0 && room_.empty()) {
        take(buffer_.get(), std::exchange(batch_, 0));
    }
    return *begun || *done > 0;
}

/// As many as the port takes. Whether there was one.
base::Result<bool> FabricLane::begin_reads() {
    bool any = false;
    while (next_ < transfers_.size()) {
        const FabricTransfer& now = transfers_[next_];
        if (!arriving_) {
            arriving_.emplace(now.transfer);
            runs_ = now.transfer.wanted().runs;
            begun_ = 0;
        }
        if (batch_ == 0) {
            std::array<std::span<std::byte>, 1> part;
            static_cast<void>(arriving_->next(buffer_.get(), part));
            room_ = part.front();
            batch_ = arriving_->is_in_place() ? 0 : static_cast<std::int64_t>(room_.size());
        } else if (room_.empty()) {
            break;  // the buffer is taken
        }
        const remote::Stretch stretch = remote::stretch_at(runs_, begun_);
        const auto longest = std::min({longest_read, port_->longest_read(), room_.size()});
        const auto most = std::min(stretch.bytes, static_cast<std::int64_t>(longest));
        const std::span part = room_.first(static_cast<std::size_t>(most));
        const auto* const region = (arriving_->is_in_place() ? destination_ : buffer_region_).get();
        const auto read = port_->read(part, region, now.address + static_cast<std::uint64_t>(stretch.place), now.key);
        if (!read) {
            return base::fail(read);
        }
        if (!*read) {
            break;
        }
        any = true;
        ++under_way_;
        begun_ += most;
        room_ = room_.subspan(part.size());
        if (arriving_->is_in_place()) {
            take(nullptr, most);
        }
    }
    return any;
}

void FabricLane::take(std::byte* buffer, std::int64_t bytes) {
    arriving_->take(buffer, bytes);
    if (arriving_->left() == 0) {
        arriving_.reset();
        ++next_;
    }
}

int FabricLane::descriptor_to_sleep_on() { return under_way_ > 0 ? port_->descriptor_to_sleep_on() : -1; }

const remote::Transfer& FabricLane::awaited() const {
    return transfers_[std::min(next_, transfers_.size() - 1)].transfer;
}

}  // namespace staithe::store::fabric
