#include "store/remote/serving.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "array/strided_copy.hpp"
#include "os/tcp.hpp"
#include "store/remote/reducing.hpp"
#include "transform/kept_memory.hpp"

namespace staithe::store::remote {
namespace {

/// Runs of so many bytes go out from where they lie; shorter ones are packed first: a part costs the kernel as much as
/// copying some thousand bytes.
constexpr std::int64_t shortest_sent_in_place = 4 << 10;

constexpr std::size_t room_to_pack = 256 << 10;
constexpr std::int64_t most_packed_at_once = room_to_pack / 2;
constexpr std::int64_t most_runs_at_once = 16 << 10;

/// What a run costs at least of a turn, however short it is: a line of the cache has to come.
constexpr std::int64_t bytes_of_a_look = 64;

/// Pieces that a connection has answers under way for before more of its requests are looked at.
constexpr std::size_t most_answers = 1024;

/// What a queue that is full now and then loses is less.
constexpr std::int64_t one_lost_of = 300;
constexpr std::int64_t bytes_between_looks = 512 << 10;

/// Of files, for a piece: operands may lie far apart in their blocks.
constexpr std::int64_t most_read_to_compute = 4 * most_coded_bytes;

constexpr std::string_view not_in_the_block = "bytes were asked for that are not in the block";

constexpr std::size_t room_for_requests = sizeof(RequestHeader) + most_request_bytes;

/// What has elements of that size, if there is such.
std::optional<Dtype> dtype_of_size(std::int64_t size) {
    switch (size) {
        case 1: return Dtype::u8;
        case 2: return Dtype::u16;
        case 4: return Dtype::u32;
        case 8: return Dtype::u64;
        case 16: return Dtype::c128;
        default: return std::nullopt;
    }
}

/// An array has a dimension for each loop, and one for the run unless that is an element.
bool is_an_array(const Runs& runs) { return runs.loops.size() < max_dimensions || dtype_of_size(runs.run); }

Extents counts_of(const Runs& runs) {
    Extents counts;
    for (const Loop& loop : runs.loops) {
        counts.push_back(loop.count);
    }
    return counts;
}

void pack(std::byte* to, const Runs& runs, const Box& batch, const std::byte* block) {
    ArrayView from{nullptr, Dtype::u8, batch.count, {}};
    std::int64_t start = runs.first;
    for (std::size_t i = 0; i < runs.loops.size(); ++i) {
        from.strides.push_back(runs.loops[i].stride);
        start += batch.offset[i] * runs.loops[i].stride;
    }
    from.data = block + start;
    if (const auto element = dtype_of_size(runs.run)) {
        from.dtype = *element;
    } else {
        from.shape.push_back(runs.run);
        from.strides.push_back(1);
    }
    array::copy(MutableArrayView::row_major(to, from.dtype, from.shape), from);
}

}  // namespace

FindStore find_in(std::shared_ptr<const Stores> stores) {
    return [stores = std::move(stores)](std::uint32_t store) {
        const auto found = stores->find(store);
        return found == stores->end() ? std::nullopt : std::optional(found->second);
    };
}

Serving::Serving(os::FileDescriptor socket, FindStore find_store, std::shared_ptr<Traffic> traffic,
                 std::shared_ptr<EncodedParts> encoded, std::shared_ptr<devices::Devices> devices)
    : socket_(std::move(socket)),
      find_store_(std::move(find_store)),
      traffic_(std::move(traffic)),
      incoming_(std::make_unique_for_overwrite<std::byte[]>(room_for_requests)),
      coding_(traffic_, std::move(encoded), std::move(devices)) {
    traffic_->change([this](Traffic::Figures& figures) {
        ++figures.connections;
        figures.congestion_control = os::congestion_control_of(socket_);
    });
}

Serving::~Serving() {
    bool is_last = false;
    traffic_->change([&](Traffic::Figures& figures) {
        is_last = --figures.connections == 0;
        figures.pieces -= static_cast<std::int64_t>(answers_.size());
    });
    if (is_last) {
        traffic_->save_models();
    }
}

bool Serving::reads() const { return answers_.size() < most_answers; }

base::Result<> Serving::take_turn(std::int64_t most) {
    const auto since = busy_since_.value_or(base::Clock::now());
    auto answered = answer(most);
    const auto now = base::Clock::now();
    busy_since_ = writes() ? std::optional(now) : std::nullopt;
    if (const std::int64_t bytes = std::exchange(counted_bytes_, sent_bytes_); bytes < sent_bytes_) {
        traffic_->change([&](Traffic::Figures& figures) {
            figures.bytes += sent_bytes_ - bytes;
            figures.busy += now - since;
        });
    }
    return answered;
}

base::Result<> Serving::answer(std::int64_t most) {
    for (;;) {
        // Also after each that was answered: the next one may have come long ago.
        if (auto taken = take_in(); !taken) {
            return taken;
        }
        if (most <= 0 || !writes()) {
            return {};
        }
        if (unsent_.empty()) {
            lay_out_next(most);
        }
        if (auto sent = send(); !sent) {
            return sent;
        }
        if (!unsent_.empty()) {  // the socket is full
            code_ahead();
            spent_ = worked_ = 0;  // what that made goes behind what is left now, in the next turn
            return {};
        }
        most -= spent_ + worked_;
    }
}

base::Result<> Serving::take_in() {
    for (;;) {
        std::span<const std::byte> rest(incoming_.get(), incoming_bytes_);
        while (reads()) {
            const auto taken = take_request(rest);
            if (!taken) {
                return base::fail(taken);
            }
            if (!*taken) {
                break;
            }
        }
        std::copy(rest.begin(), rest.end(), incoming_.get());
        incoming_bytes_ = rest.size();
        if (!reads()) {
            return {};
        }
        const std::span<std::byte> room(incoming_.get() + incoming_bytes_, room_for_requests - incoming_bytes_);
        const auto received = os::receive_parts(socket_, std::span(&room, 1));  // no request is longer: there is room
        if (!received) {
            return base::fail(received);
        }
        if (*received == 0) {
            return {};
        }
        incoming_bytes_ += *received;
    }
}

base::Result<bool> Serving::take_request(std::span<const std::byte>& bytes) {
    if (bytes.size() < sizeof(RequestHeader)) {
        return false;
    }
    const auto header = decode_request_header(bytes.first<sizeof(RequestHeader)>());
    if (!header) {
        return base::fail(header);
    }
    if (bytes.size() - sizeof(RequestHeader) < header->bytes) {
        return false;
    }
    auto request = decode_request(*header, bytes.subspan(sizeof(RequestHeader), header->bytes));
    if (!request) {
        return base::fail(request);
    }
    const auto offer = request->offer ? std::make_shared<const Offer>(*std::move(request->offer)) : nullptr;
    if (!writes()) {
        pools_.clear();
    }
    for (std::uint32_t i = 0; i < header->pieces; ++i) {
        answers_.push_back(answer_to(request->pieces[i], {.id = header->id, .piece = i}, offer));
    }
    traffic_->change([&](Traffic::Figures& figures) { figures.pieces += header->pieces; });
    bytes = bytes.subspan(sizeof(RequestHeader) + header->bytes);
    return true;
}

Serving::Answer Serving::refusal(ReplyHeader header, std::string_view why) {
    Answer answer{.header = header, .text = std::string(why.substr(0, longest_text))};
    answer.header.status = Status::refused;
    answer.header.bytes = static_cast<std::int64_t>(answer.text.size());
    return answer;
}

/// nullptr if there is none.
const transport::PeerPool* Serving::pool_of(std::uint32_t store) {
    if (const auto known = pools_.find(store); known != pools_.end()) {
        return &known->second;
    }
    auto found = find_store_(store);
    return found ? &pools_.emplace(store, *std::move(found)).first->second : nullptr;
}

Serving::Answer Serving::answer_from(const BlockRef& ref, const Runs& runs, ReplyHeader header) {
    using Mapped = std::shared_ptr<transport::MappedPool>;
    const transport::PeerPool* const pool = pool_of(ref.store);
    if (pool == nullptr) {
        return refusal(header, "that process holds no such store");
    }
    Answer answer{.header = header, .runs = runs, .ref = ref, .first = runs.first};
    if (const auto* const mapped = std::get_if<Mapped>(pool)) {
        const auto block = (*mapped)->bytes(ref.offset, ref.bytes);
        if (!block) {
            return refusal(header, block.error().message);
        }
        answer.block = block->data();
    } else {
        answer.file = std::get<std::shared_ptr<transport::PoolFile>>(*pool);
    }
    const bool can_be =
        ref.bytes >= 0 && ref.offset >= 0 && ref.offset <= std::numeric_limits<std::int64_t>::max() - ref.bytes;
    return can_be ? answer : refusal(header, not_in_the_block);
}

Serving::Answer Serving::answer_to(const Wanted& wanted, ReplyHeader header,
                                   const std::shared_ptr<const Offer>& offer) {
    if (offer && offer->computed) {
        return answer_computed(wanted, header, offer);
    }
    Answer answer = answer_from(wanted.ref, wanted.runs, header);
    const bool is_reduced = offer && offer->reduced;  // as it lies: an array of the loops alone
    if (answer.header.status == Status::given &&
        !(fit(wanted.runs, wanted.ref.bytes) && (is_reduced || is_an_array(wanted.runs)))) {
        return refusal(header, not_in_the_block);
    }
    if (answer.header.status == Status::given) {
        answer.offer = offer;
        answer.header.bytes = wanted.runs.bytes();
    }
    return answer;
}

/// Its operands are answers of their own, whose bytes nobody sends.
Serving::Answer Serving::answer_computed(const Wanted& wanted, ReplyHeader header, std::shared_ptr<const Offer> offer) {
    std::vector<Answer> operands;
    std::int64_t bytes_to_read = 0;
    const auto append = [&](const Wanted& operand) {
        Answer& last = operands.emplace_back(answer_from(operand.ref, operand.runs, header));
        const auto lies = lie_in(operand.runs, operand.ref.bytes);
        bytes_to_read += last.file && lies ? std::min(lies->bytes, most_read_to_compute + 1) : 0;
        if (last.header.status == Status::given && !lies) {
            last = refusal(header, not_in_the_block);
        } else if (bytes_to_read > most_read_to_compute) {
            last = refusal(header, "more of files would have to be read than is computed with at once");
        }
        return last.header.status == Status::given;
    };
    if (!append(wanted) || !std::ranges::all_of(wanted.others, append)) {
        return std::move(operands.back());
    }
    const auto bytes = size_in_bytes(counts_of(wanted.runs), offer->dtype);
    if (!bytes || *bytes > most_coded_bytes) {
        return refusal(header, "more was asked for than is computed at once");
    }
    header.bytes = *bytes;
    return {.header = header,
            .ref = wanted.ref,
            .first = wanted.runs.first,
            .offer = std::move(offer),
            .operands = std::move(operands)};
}

void Serving::lay_out_next(std::int64_t most) {
    laid_ = 0;
    spent_ = 0;
    worked_ = 0;
    packed_bytes_ = 0;
    for (Sent& each : sent_) {
        if (each.is_payload) {
            transform::give_back(std::move(each.kept));
        }
    }
    sent_.clear();
    const std::size_t before = answers_.size();
    while (!answers_.empty() && spent_ + worked_ < most && lay_out_rest(answers_.front(), most)) {
        sent_.push_back({std::move(answers_.front().kept), answers_.front().header.status == Status::coded});
        answers_.pop_front();
    }
    traffic_->change(
        [&](Traffic::Figures& figures) { figures.pieces -= static_cast<std::int64_t>(before - answers_.size()); });
    unsent_ = std::span(parts_).first(laid_);
}

void Serving::begin(Answer& answer) {
    if (!answer.operands.empty()) {
        evaluate(answer);
    } else if (answer.file && answer.block == nullptr) {
        read_part(answer);
    }
    if (answer.offer && answer.header.status == Status::given) {
        code(answer);
    }
    if (answer.header.status == Status::given && answer.runs.run < shortest_sent_in_place && !answer.batches.now()) {
        answer.batches =
            Batches(counts_of(answer.runs), std::min(most_packed_at_once / answer.runs.run, most_runs_at_once));
    }
}

/// Files are read no sooner than their bytes can go, and what is read counts as what is sent: what a connection has in
/// memory is one piece, or what one is computed of, and little ones beside it, and not all that was asked for.
void Serving::read_part(Answer& answer) {
    const auto [first, bytes] = lie_in(answer.runs, answer.ref.bytes).value();
    answer.runs.first -= first;
    auto part = answer.file->copy_of_part({answer.ref.offset, answer.ref.bytes, first}, bytes);
    if (!part) {
        answer = refusal(answer.header, part.error().message);
        return;
    }
    worked_ += bytes;
    answer.kept = *std::move(part);
    answer.block = answer.kept.data();
}

/// What is computed counts as what is sent, too.
void Serving::evaluate(Answer& answer) {
    const monitor::Span span(traffic_->tracer, "derive", -1, answer.header.bytes);
    const Computed& computed = *answer.offer->computed;
    std::vector<Answer> operands = std::exchange(answer.operands, {});
    const Extents shape = counts_of(operands.front().runs);
    const auto operations = evaluating_.operations_of(computed, volume(shape).value());
    if (!operations) {
        answer = refusal(answer.header, operations.error().message);
        return;
    }
    worked_ += std::max(answer.header.bytes, *operations);
    std::vector<ArrayView> arrays;
    for (Answer& operand : operands) {
        if (operand.file) {
            read_part(operand);
        }
        if (operand.header.status == Status::refused) {
            answer = std::move(operand);
            return;
        }
        arrays.push_back(elements_of({operand.runs, operand.block, {}, operand.ref}, computed.operands[arrays.size()]));
    }
    auto made = evaluating_.evaluate(computed, answer.offer->dtype, arrays);
    if (!made) {
        answer = refusal(answer.header, made.error().message);
        return;
    }
    const Extents strides = row_major_strides(shape, size_of(answer.offer->dtype));
    answer.kept = *std::move(made);
    answer.block = answer.kept.data();
    answer.runs = {0, size_of(answer.offer->dtype), {}};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        answer.runs.loops.push_back({shape[i], strides[i]});
    }
}

/// One at most: while the link carries what goes before it.
void Serving::code_ahead() {
    const auto next = std::ranges::find(answers_, false, &Answer::begun);
    if (next == answers_.end() || !next->offer || next->file || next->header.status != Status::given) {
        return;
    }
    if (std::ranges::any_of(next->operands, [](const Answer& operand) { return operand.file != nullptr; })) {
        return;
    }
    if (!next->operands.empty()) {
        evaluate(*next);
    }
    if (next->header.status == Status::given) {
        code(*next);
    }
}

/// What is coded counts as what is sent, too. What is not goes in runs that are as long as they are, not in elements.
void Serving::code(Answer& answer) {
    const auto offer = std::exchange(answer.offer, nullptr);
    PartToCode part{answer.runs, answer.block, {}, answer.ref, answer.first, answer.header.id};
    if (answer.kept.empty()) {  // else what is there is not all of the block
        part.block = {answer.block, static_cast<std::size_t>(answer.ref.bytes)};
    }
    auto payload = offer->reduced ? reduce(*offer, part)
                   : offer->as_is ? base::Result<std::optional<std::vector<std::byte>>>(std::nullopt)
                                  : coded(*offer, part);
    if (!payload) {
        answer = refusal(answer.header, payload.error().message);
        return;
    }
    if (*payload) {
        worked_ += answer.header.bytes;
        answer.kept = **std::move(payload);
        answer.header.status = Status::coded;
        answer.header.bytes = static_cast<std::int64_t>(answer.kept.size());
        answer.block = answer.kept.data();
        answer.runs = {0, answer.header.bytes, {}};
        return;
    }
    Extents strides;
    for (const Loop& loop : answer.runs.loops) {
        strides.push_back(loop.stride);
    }
    const std::int64_t first = answer.runs.first;
    answer.runs = runs_of(answer.runs.run, counts_of(answer.runs), strides);
    answer.runs.first = first;
}

base::Result<std::optional<std::vector<std::byte>>> Serving::coded(const Offer& offer, const PartToCode& part) {
    const auto carried = os::carried_by(socket_).value_or(os::Carried{});
    coding_.watch(carried.bytes, carried.time, std::exchange(passed_, {}));
    return part.runs.bytes() <= most_coded_bytes ? coding_.code(offer, part)
                                                 : base::Result<std::optional<std::vector<std::byte>>>(std::nullopt);
}

bool Serving::lay_out_rest(Answer& answer, std::int64_t most) {
    if (!answer.begun) {
        begin(answer);
        const std::span<std::byte> head = take_room(sizeof(answer.header) + answer.text.size());
        if (head.empty()) {
            return false;
        }
        std::memcpy(head.data(), &answer.header, sizeof(answer.header));
        std::copy(answer.text.begin(), answer.text.end(), reinterpret_cast<char*>(head.data() + sizeof(answer.header)));
        answer.begun = true;
    }
    if (answer.header.status == Status::refused) {
        return true;
    }
    if (answer.runs.run >= shortest_sent_in_place || answer.header.status == Status::coded) {
        const auto laid =
            lay_out(answer.runs, answer.block, answer.position, most - spent_, std::span(parts_).subspan(laid_));
        laid_ += laid.parts;
        spent_ += laid.bytes;
        answer.position += laid.bytes;
        return answer.position == answer.header.bytes;
    }
    for (; answer.batches.now(); answer.batches.next()) {
        const Box& batch = *answer.batches.now();
        const std::int64_t count = volume(batch.count).value();
        const auto bytes = static_cast<std::size_t>(count * answer.runs.run);
        const std::span<std::byte> room = spent_ < most ? take_room(bytes) : std::span<std::byte>();
        if (room.empty()) {
            return false;
        }
        spent_ += count * std::max<std::int64_t>(bytes_of_a_look - answer.runs.run, 0);
        pack(room.data(), answer.runs, batch, answer.block);
    }
    return true;
}

std::span<std::byte> Serving::take_room(std::size_t bytes) {
    if (packed_ == nullptr) {
        packed_ = std::make_unique_for_overwrite<std::byte[]>(room_to_pack);
    }
    const std::span<std::byte> room(packed_.get() + packed_bytes_, bytes);
    const bool goes_on = laid_ > 0 && parts_[laid_ - 1].data() + parts_[laid_ - 1].size() == room.data();
    if (bytes > room_to_pack - packed_bytes_ || (!goes_on && laid_ == parts_.size())) {
        return {};
    }
    if (goes_on) {
        parts_[laid_ - 1] = {parts_[laid_ - 1].data(), parts_[laid_ - 1].size() + bytes};
    } else {
        parts_[laid_++] = room;
    }
    packed_bytes_ += bytes;
    spent_ += static_cast<std::int64_t>(bytes);
    return room;
}

base::Result<> Serving::send() {
    const auto began = base::Clock::now();
    const auto sent = os::send_parts(socket_, unsent_);
    if (!sent) {
        return base::fail(sent);
    }
    passed_.time += base::Clock::now() - began;
    passed_.bytes += static_cast<std::int64_t>(*sent);
    mind_losses(*sent);
    std::size_t bytes = *sent;
    while (!unsent_.empty() && bytes >= unsent_.front().size()) {
        bytes -= unsent_.front().size();
        unsent_ = unsent_.subspan(1);
    }
    if (bytes > 0) {
        unsent_.front() = unsent_.front().subspan(bytes);
    }
    return {};
}

/// Who takes every loss for a queue that is full sends a tenth of what a long way with losses carries.
void Serving::mind_losses(std::size_t sent) {
    sent_bytes_ += static_cast<std::int64_t>(sent);
    if (sent_bytes_ - looked_at_ < bytes_between_looks) {
        return;
    }
    looked_at_ = sent_bytes_;
    if (const auto losses = os::losses_of(socket_);
        losses && losses->segments_again * losses->bytes_a_segment > sent_bytes_ / one_lost_of) {
        if (os::use_congestion_control(socket_, "bbr")) {
            traffic_->change([](Traffic::Figures& figures) { figures.congestion_control = "bbr"; });
        }
        looked_at_ = std::numeric_limits<std::int64_t>::max();  // never again
    }
}

}  // namespace staithe::store::remote
