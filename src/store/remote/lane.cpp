#include "store/remote/lane.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "os/event.hpp"
#include "os/tcp.hpp"

namespace staithe::store::remote {
namespace {

/// What comes after a piece is received along with it: the header of the next one, and if that has no more bytes than
/// this, as much as there is. It is copied once more, so larger ones wait for their place.
constexpr std::int64_t longest_taken_ahead = 16 << 10;
constexpr std::size_t room_to_take_ahead = 64 << 10;

/// The kernel gets segments of 64 KiB at most, and to wake for each costs as much as to copy it. Many more at once
/// leave the caches of both sides' processors meanwhile.
constexpr std::int64_t enough_to_wake = 256 << 10;

}  // namespace

void Lane::ask(std::span<const Transfer> transfers) {
    if (is_finished()) {
        silent_since_ = base::Clock::now();
    }
    std::vector<Wanted> wanted;
    std::transform(transfers.begin(), transfers.end(), std::back_inserter(wanted),
                   [](const Transfer& transfer) { return transfer.wanted(); });
    const Requests requests = encode_requests(wanted, last_id_ + 1);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        awaited_.push_back({transfers[i], requests.asked[i]});
        last_id_ = requests.asked[i].id;
    }
    asked_ += static_cast<std::int64_t>(transfers.size());
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(std::exchange(sent_, 0)));
    requests_.insert(requests_.end(), requests.bytes.begin(), requests.bytes.end());
    if (ahead_ == nullptr) {
        ahead_ = std::make_unique_for_overwrite<std::byte[]>(room_to_take_ahead);
        buffer_ = std::make_unique_for_overwrite<std::byte[]>(Arrival::buffer_bytes);
    }
}

base::Result<bool> Lane::advance() {
    if (is_closed()) {
        return base::fail(ErrorCode::peer_lost, "the connection to {} was closed", peer_);
    }
    if (auto sent = send(); !sent) {
        return base::fail(std::move(sent));
    }
    auto more = is_finished() ? base::Result<bool>(false) : receive();
    if (!more) {
        close();
    }
    if (more && (!*more || is_finished())) {
        wake_for_enough();
    }
    return more;
}

base::Result<> Lane::send() {
    if (!sends()) {
        return {};
    }
    const std::span<std::byte> unsent = std::span(requests_).subspan(sent_);
    const auto sent = os::send_parts(connection_.socket, std::span(&unsent, 1));
    if (!sent) {
        return tl::unexpected(lost(sent.error()));
    }
    if (*sent > 0) {
        sent_ += *sent;
        silent_since_ = base::Clock::now();
    }
    return {};
}

base::Result<bool> Lane::receive() {
    std::array<std::span<std::byte>, os::most_parts> parts;
    Laid laid;
    if (arriving_) {
        laid = arriving_->next(buffer_.get(), std::span(parts).first(parts.size() - 1));
    }
    std::size_t count = laid.parts;
    std::span<std::byte> ahead;
    if (!arriving_ || laid.bytes == arriving_->left()) {
        ahead = room_ahead();
        parts[count++] = ahead;
    }
    const auto received = os::receive_parts(connection_.socket, std::span(parts).first(count));
    if (!received) {
        return tl::unexpected(lost(received.error()));
    }
    if (*received == 0) {
        return false;
    }
    silent_since_ = base::Clock::now();
    const auto bytes = static_cast<std::int64_t>(*received);
    const std::int64_t placed = std::min(bytes, laid.bytes);
    if (arriving_) {
        arriving_->take(buffer_.get(), placed);
    }
    untaken_ = {ahead_.get(), untaken_.size() + static_cast<std::size_t>(bytes - placed)};
    if (auto taken = take_ahead(); !taken) {
        return base::fail(std::move(taken));
    }
    return bytes == laid.bytes + static_cast<std::int64_t>(ahead.size());
}

/// Less than all that is sure to come of the piece: a part is copied while the next one comes.
void Lane::wake_for_enough() {
    const int bytes = arriving_ ? static_cast<int>(std::min<std::int64_t>(arriving_->left(), enough_to_wake)) : 1;
    if (std::exchange(readable_at_, bytes) != bytes) {
        os::make_readable_at(connection_.socket, bytes);
    }
}

std::span<std::byte> Lane::room_ahead() const {
    const std::size_t following = arriving_ ? 1 : 0;
    std::size_t room = room_to_take_ahead;
    if (following == awaited_.size()) {
        room = 0;
    } else if (!refusal_ && awaited_[following].transfer.bytes() > longest_taken_ahead) {
        room = sizeof(ReplyHeader);
    }
    return std::span(ahead_.get(), std::max(room, untaken_.size())).subspan(untaken_.size());
}

base::Result<> Lane::take_ahead() {
    while (!is_finished()) {
        if (arriving_) {
            arrive();
        } else if (refusal_) {
            be_refused();
        } else if (untaken_.size() >= sizeof(ReplyHeader)) {
            ReplyHeader reply;
            std::memcpy(&reply, untaken_.data(), sizeof(reply));
            untaken_ = untaken_.subspan(sizeof(reply));
            if (auto begun = begin(reply); !begun) {
                return begun;
            }
            continue;
        }
        if (arriving_ || refusal_ || untaken_.size() < sizeof(ReplyHeader)) {
            break;
        }
    }
    if (is_finished() && !untaken_.empty()) {
        return base::fail(ErrorCode::protocol, "{} sent more of its blocks than it was asked for", peer_);
    }
    std::copy(untaken_.begin(), untaken_.end(), ahead_.get());
    untaken_ = {ahead_.get(), untaken_.size()};
    return {};
}

base::Result<> Lane::begin(const ReplyHeader& reply) {
    const auto& [transfer, name] = awaited_.front();
    const bool is_next =
        reply.magic == ReplyHeader::known_magic && reply.version == version && Asked{reply.id, reply.piece} == name;
    if (is_next && reply.status == Status::given && reply.bytes == transfer.bytes()) {
        arriving_.emplace(transfer);
        return {};
    }
    const auto longest = static_cast<std::int64_t>(longest_text);
    if (is_next && reply.status == Status::refused && reply.bytes >= 0 && reply.bytes <= longest) {
        refusal_ = {"", static_cast<std::size_t>(reply.bytes)};
        return {};
    }
    return base::fail(ErrorCode::protocol, "{}, asked for blocks, answered what cannot be understood", peer_);
}

void Lane::arrive() {
    while (!untaken_.empty() && arriving_->left() > 0) {
        std::array<std::span<std::byte>, 1> part;
        static_cast<void>(arriving_->next(buffer_.get(), part));
        const auto bytes = std::min(untaken_.size(), part.front().size());
        std::copy_n(untaken_.begin(), bytes, part.front().begin());
        untaken_ = untaken_.subspan(bytes);
        arriving_->take(buffer_.get(), static_cast<std::int64_t>(bytes));
    }
    if (arriving_->left() == 0) {
        arriving_.reset();
        awaited_.pop_front();
    }
}

void Lane::be_refused() {
    const std::size_t bytes = std::min(untaken_.size(), refusal_->missing);
    refusal_->text.append(reinterpret_cast<const char*>(untaken_.data()), bytes);
    refusal_->missing -= bytes;
    untaken_ = untaken_.subspan(bytes);
    if (refusal_->missing == 0) {
        if (outcome_) {
            const Transfer& refused = awaited();
            outcome_ = tl::unexpected(
                unusable(refused.ref, *refused.piece->description, fmt::format("{} says: {}", peer_, refusal_->text)));
        }
        refusal_.reset();
        awaited_.pop_front();
    }
}

base::Seconds Lane::round_trip() const { return os::round_trip_of(connection_.socket).value_or(base::Seconds(0)); }

bool Lane::is_idle() const {
    std::array polled{os::Polled{.descriptor = descriptor()}};
    os::poll(polled, base::Deadline(base::Seconds(0)));
    return is_finished() && !polled.front().ready;
}

base::Failure Lane::lost(const base::Failure& failure) const {
    return failure.code == ErrorCode::peer_lost
               ? base::Failure{failure.code, fmt::format("{} is gone: {}", peer_, failure.message)}
               : base::Failure{failure.code, fmt::format("blocks of {}: {}", peer_, failure.message)};
}

}  // namespace staithe::store::remote
