#include "stream/hosting/depots.hpp"

#include "os/shared_memory.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {

void Depots::State::remove(const Key& key) {
    auto gone = std::make_shared<Kept>();
    {
        const std::lock_guard lock(mutex);
        const auto found = kept.find(key);
        if (found == kept.end()) {
            return;
        }
        *gone = std::move(found->second);
        kept.erase(found);
    }
    gone->depot->stop();
    static_cast<void>(past.add([gone = std::move(gone)]() mutable { gone = nullptr; }));
}

bool Depots::handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    const std::string type = text_field(packet.body, "type").value_or("");
    const Key key{link.get(), text_field(packet.body, "depot").value_or("")};
    if (type == hosting::found) {
        static_cast<void>(link->reply(packet.id(), found(link, packet.body)));
    } else if (type == hosting::take) {
        take(link, packet);
    } else if (type == hosting::free || type == hosting::shrink) {
        const auto depot = depot_of(key);
        const auto place = integer_field(packet.body, "place", 0, INT64_MAX);
        if (depot && type == hosting::shrink) {
            depot->shrink();
        } else if (depot && place) {
            depot->free(*place);
        }
    } else if (type == hosting::close) {
        state_->remove(key);
    } else {
        return false;
    }
    return true;
}

base::Result<Attributes> Depots::found(const std::shared_ptr<transport::Link>& link, const Attributes& request) {
    const auto service = text_field(request, "depot");
    const auto stream = text_field(request, "stream");
    const auto store = integer_field(request, "store", 0, UINT32_MAX);
    if (!service || !stream || !store || !service->starts_with(depot_prefix)) {
        return base::fail(ErrorCode::protocol, "a server's request for a depot is garbled");
    }
    if (is_draining_) {
        return base::fail(ErrorCode::not_found, "it is being drained, and takes nothing more");
    }
    if (auto checked = transport::check_name(transport::Kind::stream, *stream); !checked) {
        return base::fail(std::move(checked));
    }
    auto depot = OwnDepot::open(state_->endpoint, *stream);
    if (!depot) {
        return base::fail(std::move(depot));
    }
    auto offer = BlockOffer::make(state_->endpoint, *service,
                                  [depot = std::weak_ptr(*depot),
                                   number = static_cast<std::uint32_t>(*store)]() -> base::Result<BlockOffer::Files> {
                                      const auto kept = depot.lock();
                                      auto file = kept ? os::duplicate_read_only(kept->file())
                                                       : base::fail(ErrorCode::peer_lost, "the depot has gone");
                                      if (!file) {
                                          return base::fail(std::move(file));
                                      }
                                      BlockOffer::Files files;
                                      files[number] = *std::move(file);
                                      return files;
                                  });
    if (!offer) {
        return base::fail(std::move(offer));
    }
    const Key key{link.get(), *service};
    auto closing = link->on_close([weak = std::weak_ptr(state_), key] {
        if (const auto state = weak.lock()) {
            state->remove(key);
        }
    });
    if (!closing) {
        return base::fail(ErrorCode::peer_lost, "the server that asks for a depot is gone");
    }
    const std::lock_guard lock(state_->mutex);
    state_->kept.insert_or_assign(
        key, Kept{*stream, static_cast<std::uint32_t>(*store), *std::move(depot), *std::move(offer), closing});
    return Attributes{};
}

void Depots::take(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    const auto depot = depot_of({link.get(), text_field(packet.body, "depot").value_or("")});
    auto consignment = decode_consignment(packet.body);
    const std::int64_t id = packet.id();
    base::Result<> begun;
    if (is_draining_) {
        static_cast<void>(link->reply(id, Attributes{{hosting::drains, true}}));
        return;
    }
    if (!depot || !consignment) {
        begun = consignment ? base::fail(ErrorCode::protocol, "a server asks for what is to be fetched by no depot")
                            : base::fail(std::move(consignment));
    } else {
        begun = depot->take(*std::move(consignment), [link, id](const base::Result<Stowed>& stowed) {
            static_cast<void>(link->reply(id, stowed ? base::Result<Attributes>(encode(*stowed)) : base::fail(stowed)));
        });
    }
    if (!begun) {
        static_cast<void>(link->reply(id, base::fail(std::move(begun))));
    }
}

std::shared_ptr<OwnDepot> Depots::depot_of(const Key& key) const {
    const std::lock_guard lock(state_->mutex);
    const auto kept = state_->kept.find(key);
    return kept == state_->kept.end() ? nullptr : kept->second.depot;
}

std::map<std::string, std::int64_t> Depots::bytes() const {
    const std::lock_guard lock(state_->mutex);
    std::map<std::string, std::int64_t> bytes;
    for (const auto& [key, kept] : state_->kept) {
        bytes[kept.stream] += kept.depot->bytes();
    }
    return bytes;
}

std::set<std::string> Depots::in_use() const {
    const std::lock_guard lock(state_->mutex);
    std::set<std::string> streams;
    for (const auto& [key, kept] : state_->kept) {
        if (kept.depot->is_in_use()) {
            streams.insert(kept.stream);
        }
    }
    return streams;
}

}  // namespace staithe::stream
