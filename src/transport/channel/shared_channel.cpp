#include "transport/channel/shared_channel.hpp"

#include <array>
#include <atomic>
#include <utility>

#include "base/budget.hpp"
#include "os/shared_memory.hpp"
#include "transport/bell.hpp"

namespace staithe::transport {
namespace {

using Words = std::array<std::atomic<std::int64_t>, Channel::words>;

/// How a control segment begins. What the two sides write lies in different cache lines. Zero bytes are a new one.
struct ControlHead {
    alignas(64) Bell bell;
    alignas(64) Words from_director;
    alignas(64) Words from_member;
};
static_assert(sizeof(ControlHead) == 192 && offsetof(ControlHead, from_director) == 64 &&
              offsetof(ControlHead, from_member) == 128);

std::int64_t segment_bytes(const ChannelSlots& slots) {
    return static_cast<std::int64_t>(sizeof(ControlHead) + ring_bytes(slots.down) + ring_bytes(slots.up));
}

class Segment {
  public:
    Segment(os::Mapping memory, const ChannelSlots& slots) : memory_(std::move(memory)), slots_(slots) {}
    [[nodiscard]] ControlHead& head() const { return *reinterpret_cast<ControlHead*>(memory_.data()); }
    [[nodiscard]] std::byte* down() const { return memory_.data() + sizeof(ControlHead); }
    [[nodiscard]] std::byte* up() const { return down() + ring_bytes(slots_.down); }
    [[nodiscard]] const ChannelSlots& slots() const { return slots_; }

  private:
    os::Mapping memory_;
    ChannelSlots slots_;
};

class SharedChannel : public Channel {
  public:
    bool leave(const Message& message, std::span<const std::byte> /*seen_anyway*/) override {
        return out_.push(message);
    }
    bool receive(Message& message) override { return in_.pop(message); }
    void show(std::size_t word, std::int64_t value) override { own_.at(word).store(value, std::memory_order_release); }
    std::int64_t shown(std::size_t word) override { return others_.at(word).load(std::memory_order_acquire); }
    void when_cut_off(std::function<void()> /*never*/) override {}

  protected:
    SharedChannel(Segment&& segment, RingProducer out, RingConsumer in, Words& own, const Words& others)
        : segment_(std::move(segment)), out_(out), in_(in), own_(own), others_(others) {}
    [[nodiscard]] Bell& bell() const { return segment_.head().bell; }

  private:
    const Segment segment_;
    RingProducer out_;
    RingConsumer in_;
    Words& own_;
    const Words& others_;
};

class MemberEnd final : public SharedChannel {
  public:
    MemberEnd(Segment segment, DoorbellButton button)
        : SharedChannel(std::move(segment), {segment.up(), segment.slots().up}, {segment.down(), segment.slots().down},
                        segment.head().from_member, segment.head().from_director),
          button_(std::move(button)) {}
    void ring() override { button_.ring(); }
    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        return transport::wait(bell(), deadline, patience, ready);
    }
    void wake() override { transport::ring(bell()); }

  private:
    const DoorbellButton button_;
};

class DirectorEnd final : public SharedChannel {
  public:
    DirectorEnd(Segment segment, base::Claim memory, std::shared_ptr<Waitable> switchboard)
        : SharedChannel(std::move(segment), {segment.down(), segment.slots().down}, {segment.up(), segment.slots().up},
                        segment.head().from_director, segment.head().from_member),
          memory_(std::move(memory)),
          switchboard_(std::move(switchboard)) {}
    void ring() override { transport::ring(bell()); }
    bool wait(const base::Deadline& deadline, Patience& patience, base::FunctionRef<bool()> ready) override {
        return switchboard_->wait(deadline, patience, ready);
    }
    void wake() override { switchboard_->wake(); }

  private:
    const base::Claim memory_;
    const std::shared_ptr<Waitable> switchboard_;
};

base::Result<Segment> map_segment(const os::FileDescriptor& file, const ChannelSlots& slots) {
    auto memory = os::Mapping::map(file, 0, segment_bytes(slots), os::Access::read_write, os::Populate::yes);
    if (!memory) {
        return base::fail(std::move(memory));
    }
    return Segment(*std::move(memory), slots);
}

}  // namespace

base::Result<SharedDirectorEnd> make_shared_channel(const ChannelSlots& slots, std::shared_ptr<Waitable> switchboard) {
    auto file = os::create_memory_file("staithe:channel");
    if (!file) {
        return base::fail(std::move(file));
    }
    auto sized = os::allocate_range(*file, 0, segment_bytes(slots));
    if (sized) {
        sized = os::fix_size(*file);
    }
    if (!sized) {
        return base::fail(std::move(sized));
    }
    auto segment = map_segment(*file, slots);
    if (!segment) {
        return base::fail(std::move(segment));
    }
    // Who may join was decided by the budget of connections.
    base::Claim memory(base::Resource::memory, segment_bytes(slots));
    return SharedDirectorEnd{
        std::make_shared<DirectorEnd>(*std::move(segment), std::move(memory), std::move(switchboard)),
        *std::move(file)};
}

base::Result<std::shared_ptr<Channel>> open_shared_channel(const ChannelSlots& slots, os::FileDescriptor segment,
                                                           Doorbell::Button button) {
    if (auto checked = os::check_shared_memory(segment, segment_bytes(slots)); !checked) {
        return base::fail(std::move(checked));
    }
    auto mapped = map_segment(segment, slots);
    if (!mapped) {
        return base::fail(std::move(mapped));
    }
    auto doorbell = DoorbellButton::open(std::move(button));
    if (!doorbell) {
        return base::fail(std::move(doorbell));
    }
    return std::make_shared<MemberEnd>(*std::move(mapped), *std::move(doorbell));
}

}  // namespace staithe::transport
