#include "transport/frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/value_codec.hpp"
#include "os/socket.hpp"

namespace staithe::transport {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian; add a byte swap here");

constexpr std::uint32_t magic = 0x31485453;  // "STH1"

// Those of a frame that is complete, and of the one whose first byte came with the same call.
constexpr std::size_t most_waiting_descriptors = 2 * os::max_descriptors_per_message;

struct Header {
    std::uint32_t magic = 0;
    std::uint32_t body_bytes = 0;
    std::uint32_t descriptors = 0;
    std::uint32_t enclosed = 0;
};
static_assert(sizeof(Header) == frame_header_bytes);

}  // namespace

std::int64_t Packet::id() const {
    const Value* id = find(body, "id");
    return id != nullptr ? id->as_int().value_or(0) : 0;
}

std::string text_of(const Attributes& body, const std::string& name) {
    const Value* value = find(body, name);
    return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

std::optional<base::Failure> failure_in(const Attributes& body, const std::string& name) {
    const Value* code = find(body, name);
    if (code == nullptr) {
        return std::nullopt;
    }
    const auto number = code->as_int().value_or(-1);
    const bool known = number >= 0 && number < static_cast<std::int64_t>(error_code_count);
    const std::string text = text_of(body, "message");
    return base::Failure{known ? static_cast<ErrorCode>(number) : ErrorCode::protocol,
                         text.empty() ? "no reason given" : text};
}

base::Result<std::vector<std::byte>> encode_frame(const Attributes& body, std::size_t descriptors,
                                                  std::span<const std::byte> enclosed) {
    std::vector<std::byte> frame(sizeof(Header));
    base::to_cbor(body, frame);
    const std::size_t body_bytes = frame.size() - sizeof(Header);
    if (body_bytes > max_body || enclosed.size() > max_enclosed) {
        return base::fail(ErrorCode::limit_reached,
                          "a message of {} bytes is longer than {}: are attributes used as data?",
                          body_bytes + enclosed.size(), body_bytes > max_body ? max_body : max_enclosed);
    }
    const Header header{magic, static_cast<std::uint32_t>(body_bytes), static_cast<std::uint32_t>(descriptors),
                        static_cast<std::uint32_t>(enclosed.size())};
    std::memcpy(frame.data(), &header, sizeof(header));
    frame.insert(frame.end(), enclosed.begin(), enclosed.end());
    return frame;
}

void FrameDecoder::feed(std::span<const std::byte> bytes, std::vector<os::FileDescriptor> descriptors) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    for (auto& descriptor : descriptors) {
        descriptors_.push_back(std::move(descriptor));
    }
}

/// Of the first one, whose header is there.
std::size_t FrameDecoder::bytes_of_frame() const {
    Header header;
    std::memcpy(&header, bytes_.data(), sizeof(header));
    return sizeof(header) + header.body_bytes + header.enclosed + (seal_ ? Seal::size : 0);
}

std::size_t FrameDecoder::lacks() const {
    const std::size_t needed = bytes_.size() < sizeof(Header) ? sizeof(Header) : bytes_of_frame();
    return needed - std::min(needed, bytes_.size());
}

base::Result<std::optional<Packet>> FrameDecoder::next() {
    // Descriptors travel with the first byte of their frame: more than one frame's, or any between two, are nobody's.
    if (descriptors_.size() > (bytes_.empty() ? 0 : most_waiting_descriptors)) {
        return base::fail(ErrorCode::protocol, "a peer sent {} file descriptors that belong to no message",
                          descriptors_.size());
    }
    Header header;
    if (bytes_.size() < sizeof(header)) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes_.data(), sizeof(header));
    if (header.magic != magic || header.body_bytes > bounds_.body_bytes || header.enclosed > bounds_.enclosed ||
        header.descriptors > bounds_.descriptors) {
        return base::fail(ErrorCode::protocol, "a peer sent what is no message of this version of Staithe");
    }
    const std::size_t frame_bytes = bytes_of_frame();
    if (bytes_.size() < frame_bytes) {
        return std::nullopt;
    }
    if (seal_) {
        const auto frame = std::span<const std::byte>(bytes_).first(frame_bytes);
        if (!seal_->fits(frame.first(frame_bytes - Seal::size), frame.last(Seal::size))) {
            return base::fail(ErrorCode::protocol,
                              "a message was changed, left out or added on its way: who is between the two hosts?");
        }
        seal_->advance();
    }
    if (descriptors_.size() < header.descriptors) {
        return base::fail(ErrorCode::protocol, "a message announced {} file descriptors, {} came", header.descriptors,
                          descriptors_.size());
    }
    auto body = base::from_cbor(std::span(bytes_).subspan(sizeof(header), header.body_bytes));
    if (!body) {
        return base::fail(std::move(body));
    }
    Attributes* const map = body->as_map();
    if (map == nullptr) {
        return base::fail(ErrorCode::protocol, "a peer sent a message that is no map");
    }
    Packet packet;
    packet.body = std::move(*map);
    for (std::uint32_t i = 0; i < header.descriptors; ++i) {
        packet.descriptors.push_back(std::move(descriptors_.front()));
        descriptors_.pop_front();
    }
    const auto enclosed = bytes_.begin() + static_cast<std::ptrdiff_t>(sizeof(header) + header.body_bytes);
    packet.enclosed.assign(enclosed, enclosed + header.enclosed);
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(frame_bytes));
    return packet;
}

}  // namespace staithe::transport
