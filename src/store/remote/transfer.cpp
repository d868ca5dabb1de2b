#include "store/remote/transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "array/conversion.hpp"
#include "array/strided_copy.hpp"
#include "base/rounding.hpp"

namespace staithe::store::remote {
namespace {

/// Shorter runs of the destination are received together: a part costs the kernel as much as copying some thousand
/// bytes.
constexpr std::int64_t shortest_received_in_place = 4 << 10;

/// Of the cache, in bytes.
constexpr std::int64_t several_lines = 512;

/// A unit has several tiles of a codec, or one where there are few.
constexpr std::int64_t least_unit_bytes = 1 << 20, most_unit_bytes = 4 << 20;

/// In so many, or a few more, of nearly the same length, each of which lies behind the one before it: along a further
/// dimension only where single indices are still to be cut.
void append_in_parts(std::vector<Transfer>& transfers, Transfer transfer, std::int64_t parts, std::size_t along = 0) {
    const Extents& shape = transfer.destination.shape;
    if (parts <= 1 || along == shape.size()) {
        transfers.push_back(std::move(transfer));
        return;
    }
    const std::int64_t count = std::min(parts, shape[along]);
    const std::int64_t of_each = count == shape[along] ? base::quotient_up(parts, count) : 1;
    for (std::int64_t left = count; left > 1; --left) {
        auto [part, rest] = transfer.cut(along, base::quotient_up(shape[along], left));
        append_in_parts(transfers, std::move(part), of_each, along + 1);
        transfer = std::move(rest);
    }
    append_in_parts(transfers, std::move(transfer), of_each, along + 1);
}

}  // namespace

Transfer Transfer::of(const Piece& piece, const BlockRef& ref, const MutableArrayView& destination) {
    const ArrayView block = piece.description->view(nullptr);
    const Selection& source = piece.overlap.source;
    MutableArrayView to = slice(destination, Selection(piece.overlap.destination));
    Transfer transfer{&piece, ref, block.dtype, 0, {}, {nullptr, to.dtype, {}, {}}};
    Extents strides;
    for (std::size_t i = 0; i < source.size(); ++i) {
        transfer.first += source[i].start * block.strides[i];
        strides.push_back(source[i].step * block.strides[i]);
        if (strides[i] < 0) {  // from the other end
            const std::int64_t to_last = source[i].count - 1;
            transfer.first += to_last * strides[i];
            strides[i] = -strides[i];
            to.data = static_cast<std::byte*>(to.data) + to_last * to.strides[i];
            to.strides[i] = -to.strides[i];
        }
    }
    PerDimension<std::size_t> order;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        order.push_back(i);
        for (std::size_t k = i; k > 0 && strides[order[k - 1]] < strides[order[k]]; --k) {
            std::swap(order[k - 1], order[k]);
        }
    }
    transfer.destination.data = to.data;
    for (const std::size_t dimension : order) {
        if (to.shape[dimension] != 1) {
            transfer.strides.push_back(strides[dimension]);
            transfer.destination.shape.push_back(to.shape[dimension]);
            transfer.destination.strides.push_back(to.strides[dimension]);
        }
    }
    return transfer;
}

std::int64_t Transfer::bytes() const { return volume(destination.shape).value() * size_of(stored); }

std::size_t Transfer::fastest() const {
    const Extents& to = destination.strides;
    return static_cast<std::size_t>(
        std::min_element(to.begin(), to.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); }) - to.begin());
}

Wanted Transfer::wanted() const {
    const auto array = [this](const BlockRef& ref, std::int64_t first, std::int64_t run, const Extents& strides) {
        Wanted wanted{ref, {first, run, {}}};
        for (std::size_t i = 0; i < strides.size(); ++i) {
            wanted.runs.loops.push_back({destination.shape[i], strides[i]});
        }
        return wanted;
    };
    if (offer && offer->computed) {
        const std::vector<Dtype>& dtypes = offer->computed->operands;
        Wanted wanted = array(ref, first, size_of(dtypes.front()), strides);
        for (std::size_t i = 0; i < others.size(); ++i) {
            wanted.others.push_back(array(others[i].ref, others[i].first, size_of(dtypes[i + 1]), others[i].strides));
        }
        return wanted;
    }
    if (offer) {
        return array(ref, first, size_of(stored), strides);
    }
    Wanted wanted{ref, runs_of(size_of(stored), destination.shape, strides)};
    wanted.runs.first = first;
    return wanted;
}

std::pair<Transfer, Transfer> Transfer::cut(std::size_t dimension, std::int64_t count) const {
    std::pair<Transfer, Transfer> both{*this, *this};
    both.first.destination.shape[dimension] = count;
    auto& [data, dtype, shape, to] = both.second.destination;
    shape[dimension] -= count;
    data = static_cast<std::byte*>(data) + count * to[dimension];
    both.second.first += count * strides[dimension];
    for (Operand& other : both.second.others) {
        other.first += count * other.strides[dimension];
    }
    return both;
}

void append_in_strips(std::vector<Transfer>& transfers, Transfer transfer) {
    const Extents& shape = transfer.destination.shape;
    const std::size_t fastest = transfer.fastest();
    if (!shape.empty() && fastest + 1 < shape.size()) {
        const std::size_t last = shape.size() - 1;
        const std::int64_t together = several_lines / size_of(transfer.stored);
        const std::int64_t between =
            std::accumulate(shape.begin() + fastest + 1, shape.begin() + last, std::int64_t{1}, std::multiplies<>());
        const auto elements = static_cast<std::int64_t>(Arrival::buffer_bytes) / size_of(transfer.stored);
        const std::int64_t length = std::max(elements / together / between, together);
        while (shape[last] > length) {
            auto [strip, rest] = transfer.cut(last, length);
            transfers.push_back(strip);
            transfer = rest;
        }
    }
    transfers.push_back(transfer);
}

void append_in_units(std::vector<Transfer>& transfers, Transfer transfer, std::int64_t at_least) {
    const std::int64_t bytes = transfer.bytes();
    const std::int64_t operations = bytes / size_of(transfer.stored) * transfer.operations;
    const std::int64_t units =
        std::max({base::quotient_up(bytes, most_unit_bytes), base::quotient_up(operations, most_operations),
                  std::min(bytes / least_unit_bytes, at_least)});
    append_in_parts(transfers, std::move(transfer), units);
}

Arrival::Arrival(const Transfer& transfer)
    : transfer_(&transfer),
      left_(transfer.bytes()),
      runs_(runs_of(size_of(transfer.destination.dtype), transfer.destination.shape, transfer.destination.strides)),
      in_place_(transfer.destination.dtype == transfer.stored &&
                (runs_.run >= shortest_received_in_place || runs_.loops.empty())) {
    if (!in_place_) {
        const std::int64_t elements = static_cast<std::int64_t>(buffer_bytes) / size_of(transfer.stored);
        batches_ = Batches(transfer.destination.shape, elements);
    }
}

Laid Arrival::next(std::byte* buffer, std::span<std::span<std::byte>> parts) const {
    if (in_place_) {
        auto* memory = static_cast<std::byte*>(transfer_->destination.data);
        return lay_out(runs_, memory, runs_.bytes() - left_, left_, parts);
    }
    const std::int64_t missing = bytes_of_batch() - in_buffer_;
    parts.front() = {buffer + in_buffer_, static_cast<std::size_t>(missing)};
    return {1, missing};
}

void Arrival::take(std::byte* buffer, std::int64_t bytes) {
    left_ -= bytes;
    if (in_place_) {
        return;
    }
    in_buffer_ += bytes;
    if (in_buffer_ == bytes_of_batch()) {
        scatter(buffer);
        in_buffer_ = 0;
        batches_.next();
    }
}

std::int64_t Arrival::bytes_of_batch() const {
    return volume(batches_.now()->count).value() * size_of(transfer_->stored);
}

void Arrival::scatter(const std::byte* buffer) const {
    const auto& [offset, count] = *batches_.now();
    MutableArrayView to = transfer_->destination;
    to.shape = count;
    for (std::size_t i = 0; i < offset.size(); ++i) {
        to.data = static_cast<std::byte*>(to.data) + offset[i] * to.strides[i];
    }
    put_elements(to, ArrayView::row_major(buffer, transfer_->stored, count), transfer_->bytes());
}

void put_elements(const MutableArrayView& to, const ArrayView& from, std::int64_t bytes) {
    if (to.dtype == from.dtype) {
        array::copy(to, from, bytes);
    } else {
        array::convert(to, from);
    }
}

}  // namespace staithe::store::remote
