#include "stream/holding/holder.hpp"

#include <utility>

#include "store/pool_source.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/holding/block_offer.hpp"
#include "transport/channel/loss.hpp"
#include "transport/connection_room.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {

namespace {

std::string title_of_rank(const std::string& stream, int rank) {
    return fmt::format("writer rank {} of stream '{}'", rank, stream);
}

}  // namespace

base::Result<std::shared_ptr<Holder>> Holder::of_rank(std::shared_ptr<transport::Endpoint> endpoint,
                                                      const std::string& stream, int rank, const std::string& contact) {
    std::shared_ptr<Holder> holder(
        new Holder(std::move(endpoint), title_of_rank(stream, rank), service_of_blocks(stream, rank)));
    const auto found = holder->find_by(stream, contact);
    return found ? base::Result<std::shared_ptr<Holder>>(std::move(holder)) : base::fail(found);
}

base::Result<std::shared_ptr<Holder>> Holder::of_depot(std::shared_ptr<transport::Endpoint> endpoint,
                                                       const std::string& stream, int depot, const std::string& contact,
                                                       std::string service) {
    std::shared_ptr<Holder> holder(
        new Holder(std::move(endpoint), fmt::format("depot {} of stream '{}'", depot, stream), std::move(service)));
    const auto found = holder->find_by(stream, contact);
    return found ? base::Result<std::shared_ptr<Holder>>(std::move(holder)) : base::fail(found);
}

base::Result<> Holder::find_by(const std::string& stream, const std::string& contact) {
    auto entry = transport::entry_from_json("the contact of " + title_, transport::Kind::stream, stream, contact);
    if (!entry) {
        return base::fail(std::move(entry));
    }
    entry_ = *std::move(entry);
    entry_->told_by = "the director";
    return {};
}

std::shared_ptr<Holder> Holder::of_director(std::shared_ptr<transport::Endpoint> endpoint, const std::string& stream,
                                            std::shared_ptr<transport::Link> link) {
    std::shared_ptr<Holder> holder(
        new Holder(std::move(endpoint), title_of_rank(stream, 0), service_of_blocks(stream, 0)));
    holder->link_ = std::move(link);
    return holder;
}

std::string Holder::name() const {
    return fmt::format("{}, {}", title_, transport::to_string(entry_ ? entry_->peer : link_->peer()));
}

base::Result<std::shared_ptr<transport::Link>> Holder::reach(const base::Deadline& deadline) {
    const std::lock_guard lock(mutex_);
    if (auto known = link()) {
        if (!known->is_open()) {
            return base::fail(ErrorCode::peer_lost, "{}, {}", name(), transport::how_lost(*known));
        }
        return known;
    }
    auto reached = transport::reach(*endpoint_, *entry_, deadline);
    if (!reached) {
        // The director knew where it listens: where nobody does any more, it is gone.
        const auto code = reached.error().code == ErrorCode::not_found ? ErrorCode::peer_lost : reached.error().code;
        return base::fail(code, "{}, cannot be reached: {}", name(), reached.error().message);
    }
    return link_ = *std::move(reached);
}

base::Result<transport::Packet> Holder::ask(Attributes question, const base::Deadline& deadline) {
    auto link = reach(deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    auto answer = ask(**link, std::move(question), deadline);
    if (answer) {
        const std::lock_guard lock(mutex_);
        is_agreed_on_ = true;
        link_ = *std::move(link);
    }
    return answer;
}

base::Result<transport::Packet> Holder::ask(transport::Link& link, Attributes question,
                                            const base::Deadline& deadline) {
    question["service"] = service_;
    auto answer = link.call(std::move(question), {}, deadline);
    if (!answer) {
        return base::fail(answer.error().code, "{}, {}", title_, answer.error().message);  // which names the process
    }
    return answer;
}

base::Result<transport::Packet> Holder::ask(const base::Deadline& deadline) {
    const auto link = reach(deadline);
    return link ? ask_for_blocks(**link, deadline) : base::fail(link);
}

base::Result<transport::Packet> Holder::ask_for_blocks(transport::Link& link, const base::Deadline& deadline) {
    auto answer = ask(link, {}, deadline);
    if (!answer && answer.error().code == ErrorCode::not_found) {
        return base::fail(ErrorCode::peer_lost, "{}, has closed the stream: what nobody had fetched of it is lost",
                          name());
    }
    return answer;
}

base::Result<std::string> Holder::host(const base::Deadline& deadline) {
    const auto link = reach(deadline);
    const auto place = link ? (*link)->peer_address() : base::fail(link);
    return place ? base::Result<std::string>(place->host) : base::fail(place);
}

base::Result<store::remote::Connected> Holder::connect(const base::Deadline& deadline) {
    const auto link = reach(deadline);
    const auto answer = link ? ask_for_blocks(**link, deadline) : base::fail(link);
    if (!answer) {
        return base::fail(answer);
    }
    const Value* const scarce = find(answer->body, "scarce");
    const bool is_scarce =
        transport::are_connections_scarce() || (scarce != nullptr && scarce->as_bool().value_or(false));
    if (is_scarce && entry_) {
        const std::lock_guard lock(mutex_);
        if (!is_agreed_on_) {
            link_ = nullptr;
            lent_ = *link;
        }
    }
    auto socket = endpoint_->connect_further(**link, transport::text_of(answer->body, "purpose"), deadline);
    if (!socket) {
        return base::fail(socket.error().code, "{}, {}", title_, socket.error().message);
    }
    store::remote::Connected connected(*std::move(socket));
    connected.needed = *link;
    connected.is_scarce = is_scarce;
    return connected;
}

std::optional<std::string> Holder::loss() const {
    const std::lock_guard lock(mutex_);
    const auto known = link();
    return known && !known->is_open() ? std::optional(transport::how_lost(*known)) : std::nullopt;
}

store::remote::Owner owner_of(std::shared_ptr<Holder> holder, std::vector<std::uint32_t> stores) {
    return {.name = holder->name(),
            .stores = std::move(stores),
            .connect = [holder](const base::Deadline& deadline) { return holder->connect(deadline); },
            .loss = [holder] { return holder->loss(); }};
}

base::Result<std::shared_ptr<store::BlockSource>> open_pool_of(Holder& holder, std::uint32_t store,
                                                               const base::Deadline& deadline) {
    auto answer = holder.ask(deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    const List* const stores = list_field(answer->body, "stores");
    for (std::size_t i = 0; stores != nullptr && i < stores->size() && i < answer->descriptors.size(); ++i) {
        if ((*stores)[i].as_int() == store) {
            return store::open_pool_source(std::move(answer->descriptors[i]));
        }
    }
    return nullptr;
}

}  // namespace staithe::stream
