#include "store/devices/remote_device.hpp"

#include <algorithm>
#include <utility>

#include "array/strided_copy.hpp"
#include "base/config.hpp"
#include "base/fields.hpp"
#include "transform/codec.hpp"
#include "transform/coding.hpp"

namespace staithe::store::devices {
namespace {

/// A window as is needed most of the time is not made again for a part that is somewhat larger.
constexpr std::int64_t least_window_bytes = 4 << 20;

/// Before a part is encoded there is no header where its payload will be: an old one would pass for it.
constexpr std::size_t bytes_to_clear = 64;

/// Of this process: devices that share a link have different ones.
std::int64_t next_window() {
    static std::atomic<std::int64_t> windows{0};
    return ++windows;
}

auto failure_of(const std::string& name, const base::Failure& failure) {
    return base::fail(failure.code, "device '{}': {}", name, failure.message);
}

}  // namespace

base::Result<std::shared_ptr<RemoteDevice>> RemoteDevice::open(std::shared_ptr<transport::Endpoint> endpoint,
                                                               std::shared_ptr<transport::Link> link, std::string name,
                                                               const base::Deadline& deadline) {
    const auto answer = link->call({{"service", service}, {"type", request::describe}}, {}, deadline);
    if (!answer) {
        return failure_of(name, answer.error());
    }
    return std::shared_ptr<RemoteDevice>(
        new RemoteDevice(std::move(endpoint), std::move(link), std::move(name), decode_codecs(answer->body)));
}

RemoteDevice::~RemoteDevice() {
    if (home_.here()) {
        drop_window();
    }
}

void RemoteDevice::drop_window() {
    if (window_) {
        static_cast<void>(
            link_->notify({{"service", service}, {"type", request::drop}, {"window", number_of_window_}}));
        window_.reset();
    }
}

bool RemoteDevice::suits(const transform::Task& task) const {
    const auto codec = std::ranges::find(codecs_, task.codec, &codecs::CodecInfo::name);
    return codec != codecs_.end() && transform::suits(*codec, task.dtype, task.is_lossy);
}

base::Result<RemoteDevice::Payload> RemoteDevice::encode(const ArrayView& elements,
                                                         const codecs::EncodeOptions& options, base::Seconds longest) {
    const base::Deadline deadline(longest);
    const std::unique_lock turn(mutex_, deadline.at());
    if (!turn.owns_lock()) {
        return base::fail(ErrorCode::limit_reached, "device '{}' was busy for {:.3g} s with other parts", name_,
                          deadline.seconds());
    }
    if (!is_there()) {
        return base::fail(ErrorCode::peer_lost, "device '{}' is not there any more", name_);
    }
    Job job{elements.dtype, elements.shape, options, longest};
    auto payload = job.bytes() > most_elements_bytes
                       ? base::fail(ErrorCode::invalid_argument, "{} are more than are encoded at a time",
                                    base::format_bytes(job.bytes()))
                       : (link_->is_between_hosts() ? over_link(elements, job, deadline)
                                                    : through_window(elements, job, deadline));
    if (!payload) {
        is_lost_ = is_lost_ || !transform::is_busy(payload.error());
        drop_window();
        return failure_of(name_, payload.error());
    }
    return payload;
}

base::Result<transport::Packet> RemoteDevice::ask(Attributes request, const char* type, const transport::Beside& beside,
                                                  const base::Deadline& deadline) {
    request["service"] = service;
    request["type"] = type;
    return link_->call(std::move(request), beside, deadline);
}

/// There is memory of at least so many bytes that both see.
base::Result<> RemoteDevice::share(std::int64_t bytes, const base::Deadline& deadline) {
    if (window_ && static_cast<std::int64_t>(window_->memory().size()) >= bytes) {
        return {};
    }
    drop_window();
    auto window = Window::make(std::max(bytes, least_window_bytes));
    if (!window) {
        return base::fail(std::move(window));
    }
    const auto size = static_cast<std::int64_t>(window->memory().size());
    number_of_window_ = next_window();
    window_ = *std::move(window);
    const auto answer = ask({{"window", number_of_window_}, {"bytes", size}}, request::window,
                            std::vector<int>{window_->file().get()}, deadline);
    return answer ? base::Result<>() : base::fail(answer);
}

base::Result<RemoteDevice::Payload> RemoteDevice::through_window(const ArrayView& elements, Job& job,
                                                                 const base::Deadline& deadline) {
    const auto room = transform::payload_bound(job.shape, job.dtype);
    auto shared = room ? share(job.bytes() + static_cast<std::int64_t>(*room), deadline) : base::fail(room);
    if (!shared) {
        return base::fail(std::move(shared));
    }
    job.window = number_of_window_;
    array::copy(MutableArrayView::row_major(window_->memory().data(), job.dtype, job.shape), elements);
    const auto behind = window_->memory().subspan(static_cast<std::size_t>(job.bytes()));
    std::ranges::fill(behind.first(std::min(behind.size(), bytes_to_clear)), std::byte{});
    const auto answer = ask(encode_job(job), request::encode, {}, deadline);
    const auto bytes =
        answer ? base::integer_field(answer->body, "bytes", 0, static_cast<std::int64_t>(*room)) : base::fail(answer);
    if (!bytes) {
        return base::fail(bytes);
    }
    const auto payload = behind.first(static_cast<std::size_t>(*bytes));
    return Payload(payload.begin(), payload.end());
}

base::Result<RemoteDevice::Payload> RemoteDevice::over_link(const ArrayView& elements, const Job& job,
                                                            const base::Deadline& deadline) {
    Payload copy;
    std::span<const std::byte> bytes(static_cast<const std::byte*>(elements.data),
                                     static_cast<std::size_t>(job.bytes()));
    if (!is_row_major(elements)) {
        copy.resize(bytes.size());
        array::copy(MutableArrayView::row_major(copy.data(), job.dtype, job.shape), elements);
        bytes = copy;
    }
    auto answer = ask(encode_job(job), request::encode, bytes, deadline);
    return answer ? base::Result<Payload>(std::move(answer->enclosed)) : base::fail(std::move(answer));
}

}  // namespace staithe::store::devices
