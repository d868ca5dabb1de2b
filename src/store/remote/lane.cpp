#include "store/remote/lane.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "os/event.hpp"
#include "os/tcp.hpp"
#include "store/remote/reducing.hpp"
#include "transform/coding.hpp"

namespace staithe::store::remote {
namespace {

/// What comes after a piece is received along with it: the header of the next one, and if that has no more bytes than
/// this, as much as there is. It is copied once more, so larger ones wait for their place.
constexpr std::int64_t longest_taken_ahead = 16 << 10;
constexpr std::size_t room_to_take_ahead = 64 << 10;

/// The kernel gets segments of 64 KiB at most, and to wake for each costs as much as to copy it. Many more at once
/// leave the caches of both sides' processors meanwhile.
constexpr std::int64_t enough_to_wake = 256 << 10;

/// To decode, where the cores are idle.
constexpr int threads_to_decode = 4;

/// A thirtieth of the time that decoding all of them would take.
constexpr std::int64_t kept_for_each_tried = 32;

constexpr auto is_positive = [](std::int64_t stride) { return stride > 0; };

}  // namespace

void Lane::ask(std::span<const Transfer> transfers) {
    if (is_finished()) {
        silent_since_ = base::Clock::now();
    }
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(std::exchange(sent_, 0)));
    for (std::size_t first = 0; first < transfers.size();) {
        const auto others = std::ranges::find_if(
            transfers.subspan(first), [&](const auto& each) { return each.offer != transfers[first].offer; });
        ask_alike(transfers.subspan(first, static_cast<std::size_t>(others - transfers.begin()) - first));
        first = static_cast<std::size_t>(others - transfers.begin());
    }
    asked_ += static_cast<std::int64_t>(transfers.size());
    if (ahead_ == nullptr) {
        ahead_ = std::make_unique_for_overwrite<std::byte[]>(room_to_take_ahead);
        buffer_ = std::make_unique_for_overwrite<std::byte[]>(Arrival::buffer_bytes);
    }
}

/// Of the same offer, or without one.
void Lane::ask_alike(std::span<const Transfer> transfers) {
    std::vector<Wanted> wanted;
    std::transform(transfers.begin(), transfers.end(), std::back_inserter(wanted),
                   [](const Transfer& transfer) { return transfer.wanted(); });
    std::optional<Offer> offer;
    if (transfers.front().offer) {
        offer = *transfers.front().offer;
        offer->decode = decode_.median();
    }
    const Requests requests = encode_requests(wanted, last_id_ + 1, offer ? &*offer : nullptr);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        awaited_.push_back({transfers[i], requests.asked[i]});
        last_id_ = requests.asked[i].id;
    }
    requests_.insert(requests_.end(), requests.bytes.begin(), requests.bytes.end());
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
        if (!awaited_.empty() && awaited().offer) {
            os::acknowledge_at_once(connection_.socket);  // what comes, or its owner would take the link for busy
        }
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
    const bool is_reduced = transfer.offer && transfer.offer->reduced;
    if (is_next && reply.status == Status::given && reply.bytes == transfer.bytes() && !is_reduced) {
        arriving_.emplace(transfer);
        return {};
    }
    if (is_next && reply.status == Status::coded && is_reduced && reply.bytes == reduced_bytes(transfer)) {
        await_payload(reply.bytes);
        return {};
    }
    if (is_next && reply.status == Status::coded && transfer.offer && !is_reduced) {
        const auto bound = transform::payload_bound(transfer.destination.shape, transfer.stored);
        const auto most = bound ? static_cast<std::int64_t>(*bound) : 0;
        if (reply.bytes > 0 && reply.bytes <= (transfer.sent != nullptr ? std::min(most, transfer.bytes()) : most)) {
            await_payload(reply.bytes);
            return {};
        }
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
    if (arriving_->left() > 0) {
        return;
    }
    arriving_.reset();
    if (const Transfer& come = awaited(); come.sent != nullptr) {
        const std::int64_t bytes = payload_ ? payload_->transfer.bytes() : come.bytes();
        come.sent->push_back({come.piece->block, come.first, come.bytes(), bytes, payload_.has_value()});
        if (payload_ && kept_++ % kept_for_each_tried == 0) {
            try_payload();
        }
        payload_.reset();
    } else if (payload_) {
        take_payload();
    }
    awaited_.pop_front();
}

void Lane::take_payload() {
    if (awaited().offer->reduced) {
        merge_reduced(awaited(), {payload_->memory.get(), static_cast<std::size_t>(payload_->transfer.bytes())});
    } else {
        decode(awaited().destination);
    }
    payload_.reset();
}

/// What is kept as it came others decode: how long that takes counts for its owner, who asks what is there soonest.
void Lane::try_payload() {
    const Transfer& come = awaited();
    const auto memory = transform::take_from(*transform::kept_memory(), static_cast<std::size_t>(come.bytes()));
    decode(MutableArrayView::row_major(memory.get(), come.stored, come.destination.shape));
}

void Lane::await_payload(std::int64_t bytes) {
    transform::TakenMemory memory;
    void* to = awaited().destination.data;
    if (awaited().sent == nullptr) {
        memory = transform::take_from(*transform::kept_memory(), static_cast<std::size_t>(bytes));
        to = memory.get();
    }
    Transfer transfer;
    transfer.strides = {1};
    transfer.destination = MutableArrayView::row_major(to, Dtype::u8, {bytes});
    payload_.emplace(Payload{std::move(memory), std::move(transfer)});
    arriving_.emplace(payload_->transfer);
}

void Lane::decode(const MutableArrayView& to) {
    const Transfer& transfer = awaited();
    const auto& [data, dtype, shape, strides] = to;
    const std::span payload(static_cast<const std::byte*>(payload_->transfer.destination.data),
                            static_cast<std::size_t>(payload_->transfer.bytes()));
    const auto began = base::Clock::now();
    base::Result<> decoded;
    // Straight to its place if that has rows as codecs write them.
    const bool in_place = dtype == transfer.stored && !shape.empty() && strides[shape.size() - 1] == size_of(dtype) &&
                          std::ranges::all_of(strides, is_positive);
    if (in_place) {
        decoded = transform::decode(payload, to, std::nullopt, threads_to_decode);
    } else {
        const auto memory = transform::take_from(*transform::kept_memory(), static_cast<std::size_t>(transfer.bytes()));
        const auto dense = MutableArrayView::row_major(memory.get(), transfer.stored, shape);
        decoded = transform::decode(payload, dense, std::nullopt, threads_to_decode);
        if (decoded) {
            put_elements(to, dense, transfer.bytes());
        }
    }
    const base::Seconds took = base::Clock::now() - began;
    decoding_ += took;
    decode_.add(took.count() / static_cast<double>(transfer.bytes()));
    if (!decoded && outcome_) {
        outcome_ = tl::unexpected(unusable(transfer.ref, *transfer.piece->description,
                                           fmt::format("{} sent it coded: {}", peer_, decoded.error().message)));
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
