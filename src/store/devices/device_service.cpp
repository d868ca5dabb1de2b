#include "store/devices/device_service.hpp"

#include <iterator>
#include <utility>

#include "base/budget.hpp"
#include "base/deadline.hpp"
#include "base/fields.hpp"
#include "transform/coding.hpp"

namespace staithe::store::devices {
namespace {

/// Of a process: one is encoded, and the next one has come.
constexpr int most_jobs_of_one = 16;

/// Of another host, until they are encoded.
struct Waiting {
    std::vector<std::byte> enclosed;
    base::Claim claim;
};

}  // namespace

void DeviceService::handle(const Link& link, transport::Packet packet) {
    const std::string type = base::text_field(packet.body, "type").value_or("");
    const std::int64_t id = packet.id();
    base::Result<> taken;
    if (type == request::encode) {
        taken = begin(link, std::move(packet));
        if (taken) {
            return;  // the answer comes later
        }
    } else if (type == request::window) {
        taken = take_window(link, packet);
    } else if (type == request::drop) {
        drop_window(link, packet);
    } else if (type != request::describe) {
        taken = base::fail(ErrorCode::protocol,
                           "a device does not understand '{}': use one version of Staithe on both sides", type);
    }
    if (id != 0) {
        auto answer = type == request::describe ? describe() : Attributes();
        static_cast<void>(
            link->reply(id, taken ? base::Result<Attributes>(std::move(answer)) : base::fail(std::move(taken))));
    }
}

Attributes DeviceService::describe() const {
    const std::lock_guard lock(mutex_);
    return {{"codecs", encode_codecs(codecs::list())},
            {"cores", cores_},
            {"clients", clients_.size()},
            {"parts", done_.parts},
            {"bytes", done_.bytes},
            {"coded", done_.coded},
            {"seconds", done_.seconds.count()}};
}

/// nullptr if the link has ended.
DeviceService::Client* DeviceService::client_of(const Link& link) {
    if (const auto known = clients_.find(link.get()); known != clients_.end()) {
        return &known->second;
    }
    auto on_close = link->on_close([weak = weak_from_this(), key = link.get()] {
        if (const auto self = weak.lock()) {
            const std::lock_guard lock(self->mutex_);
            self->clients_.erase(key);
        }
    });
    if (!on_close) {
        return nullptr;
    }
    Client& client = clients_[link.get()];
    client.on_close = std::move(on_close);
    return &client;
}

base::Result<> DeviceService::take_window(const Link& link, const transport::Packet& packet) {
    const auto number = base::integer_field(packet.body, "window", 0, INT64_MAX);
    const auto bytes = base::integer_field(packet.body, "bytes", 1, most_window_bytes);
    if (!number || !bytes || packet.descriptors.size() != 1) {
        return base::fail(ErrorCode::protocol, "a window comes with its number, its size and one descriptor");
    }
    auto window = Window::open(packet.descriptors.front(), *bytes);
    if (!window) {
        return base::fail(std::move(window));
    }
    const std::lock_guard lock(mutex_);
    Client* const client = client_of(link);
    if (client == nullptr) {
        return base::fail(ErrorCode::peer_lost, "nobody is there who has passed a window");
    }
    if (client->windows.size() >= most_windows_of_one && !client->windows.contains(*number)) {
        return base::fail(ErrorCode::limit_reached, "it has {} windows of this process already",
                          client->windows.size());
    }
    client->windows[*number] = std::make_shared<const Window>(*std::move(window));
    return {};
}

/// What is being encoded there stays mapped until then.
void DeviceService::drop_window(const Link& link, const transport::Packet& packet) {
    const std::lock_guard lock(mutex_);
    const auto number = base::integer_field(packet.body, "window", 0, INT64_MAX);
    if (const auto client = clients_.find(link.get()); number && client != clients_.end()) {
        client->second.windows.erase(*number);
    }
}

base::Result<> DeviceService::begin(const Link& link, transport::Packet packet) {
    auto job = decode_job(packet.body);
    if (!job) {
        return base::fail(std::move(job));
    }
    const std::lock_guard lock(mutex_);
    Client* const client = client_of(link);
    if (client == nullptr || packet.id() == 0) {
        return base::fail(ErrorCode::peer_lost, "nobody waits for what is to be encoded");
    }
    if (client->jobs >= most_jobs_of_one) {
        return base::fail(ErrorCode::limit_reached, "it has {} parts of this process to encode already", client->jobs);
    }
    if (const auto expected = link->is_between_hosts() ? job->bytes() : 0; std::ssize(packet.enclosed) != expected) {
        return base::fail(ErrorCode::protocol, "{} bytes of elements came, and not {}", packet.enclosed.size(),
                          expected);
    }
    const auto known = client->windows.find(job->window);
    const auto window = known == client->windows.end() ? nullptr : known->second;
    const base::Deadline deadline(job->longest);
    auto claim = packet.enclosed.empty()  // nothing is kept, whatever there is room for
                     ? base::Result<base::Claim>()
                     : base::claim(base::Resource::memory, std::ssize(packet.enclosed), "keep what is to be encoded");
    if (!claim) {
        return base::fail(std::move(claim));
    }
    auto added =
        encoding_.add([this, link, id = packet.id(), deadline, wanted = *std::move(job), window,
                       elements = std::make_shared<Waiting>(Waiting{std::move(packet.enclosed), *std::move(claim)})] {
            const bool is_awaited = link->is_open() && !deadline.passed();
            auto answer = is_awaited ? work(wanted, window, elements->enclosed, link->is_between_hosts()) : Answer();
            // First given back: who has the answer may send the next part at once.
            *elements = {};
            finish(link.get());
            if (is_awaited) {
                static_cast<void>(link->reply(id, std::move(answer.says), std::span<const std::byte>(answer.payload)));
            }
        });
    client->jobs += added ? 1 : 0;
    return added;
}

void DeviceService::finish(transport::Link* link) {
    const std::lock_guard lock(mutex_);
    if (const auto client = clients_.find(link); client != clients_.end()) {
        --client->second.jobs;
    }
}

/// In the thread that encodes.
DeviceService::Answer DeviceService::work(const Job& job, const std::shared_ptr<const Window>& window,
                                          std::span<const std::byte> enclosed, bool is_enclosed) {
    const auto began = base::Clock::now();
    const auto bytes = static_cast<std::size_t>(job.bytes());
    codecs::EncodeOptions options = job.options;
    options.threads = cores_;
    if (is_enclosed) {
        auto payload = transform::encode(ArrayView::row_major(enclosed.data(), job.dtype, job.shape), options);
        if (!payload) {
            return {base::fail(std::move(payload))};
        }
        count(job, payload->size(), base::Clock::now() - began);
        return {Attributes(), *std::move(payload)};
    }
    const auto memory = window ? window->memory() : std::span<std::byte>();
    if (memory.size() < bytes) {
        return {base::fail(ErrorCode::protocol, "its window has no room for {} bytes of elements", bytes)};
    }
    const auto length = transform::encode_into(memory.subspan(bytes),
                                               ArrayView::row_major(memory.data(), job.dtype, job.shape), options);
    if (!length) {
        return {base::fail(length)};
    }
    count(job, *length, base::Clock::now() - began);
    return {Attributes{{"bytes", *length}}};
}

void DeviceService::count(const Job& job, std::size_t coded, base::Seconds took) {
    const std::lock_guard lock(mutex_);
    ++done_.parts;
    done_.bytes += job.bytes();
    done_.coded += static_cast<std::int64_t>(coded);
    done_.seconds += took;
}

}  // namespace staithe::store::devices
