#include "transport/channel/frames.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "os/socket.hpp"

namespace staithe::transport {
namespace {

/// Handed to the kernel, or taken from it, at once.
constexpr std::size_t one_portion = 64 << 10;
constexpr int most_portions = 16;

}  // namespace

// To the other end ------------------------------------------------------------------------------------------------

void FrameOutbox::add(const Message& message, std::span<const std::byte> enclosed) {
    waiting_.push_back({{ChannelFrame::message, static_cast<std::uint32_t>(enclosed.size()), message},
                        {enclosed.begin(), enclosed.end()}});
    ++messages_;
    bytes_ += sizeof(ChannelFrame) + enclosed.size();
}

void FrameOutbox::add_word(std::size_t word, std::int64_t value) {
    Message content;
    content.step = word;
    content.offset = value;
    const auto last_message = std::find_if(waiting_.rbegin(), waiting_.rend(), [](const Waiting& waiting) {
        return waiting.frame.kind == ChannelFrame::message;
    });
    const auto same = std::find_if(waiting_.rbegin(), last_message,
                                   [&](const Waiting& waiting) { return waiting.frame.content.step == word; });
    if (same != last_message) {
        same->frame.content = content;
    } else {
        waiting_.push_back({{ChannelFrame::word, 0, content}, {}});
    }
}

/// Many small frames, so that one call of the kernel takes them all.
void FrameOutbox::copy_out() {
    under_way_.clear();
    sent_ = 0;
    while (!waiting_.empty() && under_way_.size() < one_portion) {
        const Waiting& next = waiting_.front();
        const auto head = std::as_bytes(std::span(&next.frame, 1));
        under_way_.insert(under_way_.end(), head.begin(), head.end());
        under_way_.insert(under_way_.end(), next.enclosed.begin(), next.enclosed.end());
        if (next.frame.kind == ChannelFrame::message) {
            --messages_;
            bytes_ -= sizeof(ChannelFrame) + next.enclosed.size();
        }
        waiting_.pop_front();
    }
}

FrameOutbox::Flushed FrameOutbox::flush(const os::FileDescriptor& socket) {
    for (;;) {
        if (sent_ == under_way_.size()) {
            copy_out();
        }
        if (under_way_.empty()) {
            return Flushed::all;
        }
        const auto sent = os::send_some(socket, std::span(under_way_).subspan(sent_), {});
        if (!sent) {
            return Flushed::to_nobody;
        }
        if (*sent == 0) {
            return Flushed::partly;
        }
        sent_ += *sent;
    }
}

// From it ---------------------------------------------------------------------------------------------------------

FrameInbox::Taken FrameInbox::take_in(const os::FileDescriptor& socket) {
    for (int portion = 0; portion < most_portions; ++portion) {
        if (!sort()) {
            return Taken::nonsense;
        }
        if (!has_room()) {
            return Taken::all;
        }
        portion_.resize(one_portion);
        const auto received = os::receive_some(socket, portion_);
        if (!received || !received->descriptors.empty()) {
            return Taken::nonsense;
        }
        raw_.insert(raw_.end(), portion_.begin(), portion_.begin() + static_cast<std::ptrdiff_t>(received->bytes));
        if (!received->open && std::exchange(was_cut_off_, true)) {
            return Taken::the_last;
        }
        // It may have gone without having heard all, of which the kernel tells before what it has sent.
        if (received->open && received->bytes == 0) {
            return Taken::all;
        }
    }
    return sort() ? Taken::a_lot : Taken::nonsense;
}

/// False if it makes no sense.
bool FrameInbox::sort() {
    std::size_t sorted = 0;
    bool makes_sense = true;
    while (has_room() && raw_.size() - sorted >= sizeof(ChannelFrame)) {
        ChannelFrame frame;
        std::memcpy(&frame, raw_.data() + sorted, sizeof(frame));
        const bool is_word = frame.kind == ChannelFrame::word;
        makes_sense = is_word ? frame.enclosed == 0 && frame.content.step < words_.size()
                              : frame.kind == ChannelFrame::message && frame.enclosed <= most_enclosed_;
        if (!makes_sense || raw_.size() - sorted - sizeof(frame) < frame.enclosed) {
            break;
        }
        sorted += sizeof(frame);
        if (is_word) {
            words_[frame.content.step] = frame.content.offset;
        } else {
            const auto enclosed = std::span(raw_).subspan(sorted, frame.enclosed);
            messages_.push_back({frame.content, {enclosed.begin(), enclosed.end()}});
            bytes_ += frame.enclosed;
            sorted += frame.enclosed;
        }
    }
    raw_.erase(raw_.begin(), raw_.begin() + static_cast<std::ptrdiff_t>(sorted));
    return makes_sense;
}

std::optional<EnclosingMessage> FrameInbox::next() {
    if (messages_.empty()) {
        return std::nullopt;
    }
    auto next = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= next.enclosed.size();
    return next;
}

}  // namespace staithe::transport
