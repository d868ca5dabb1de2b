#include "stream/holding/holder.hpp"

#include <utility>

#include "stream/holding/block_offer.hpp"
#include "transport/channel/loss.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {

Holder::Holder(std::shared_ptr<transport::Endpoint> endpoint, const std::string& stream, int rank)
    : endpoint_(std::move(endpoint)),
      title_(fmt::format("writer rank {} of stream '{}'", rank, stream)),
      service_(service_of_blocks(stream, rank)) {}

base::Result<std::shared_ptr<Holder>> Holder::of_rank(std::shared_ptr<transport::Endpoint> endpoint,
                                                      const std::string& stream, int rank, const std::string& contact) {
    std::shared_ptr<Holder> holder(new Holder(std::move(endpoint), stream, rank));
    auto entry =
        transport::entry_from_json("the contact of " + holder->title_, transport::Kind::stream, stream, contact);
    if (!entry) {
        return base::fail(std::move(entry));
    }
    holder->entry_ = *std::move(entry);
    holder->entry_->told_by = "the director";
    return holder;
}

std::shared_ptr<Holder> Holder::of_director(std::shared_ptr<transport::Endpoint> endpoint, const std::string& stream,
                                            std::shared_ptr<transport::Link> link) {
    std::shared_ptr<Holder> holder(new Holder(std::move(endpoint), stream, 0));
    holder->link_ = std::move(link);
    return holder;
}

std::string Holder::name() const {
    return fmt::format("{}, {}", title_, transport::to_string(entry_ ? entry_->peer : link_->peer()));
}

base::Result<std::shared_ptr<transport::Link>> Holder::reach(const base::Deadline& deadline) {
    const std::lock_guard lock(mutex_);
    if (link_) {
        if (!link_->is_open()) {
            return base::fail(ErrorCode::peer_lost, "{}, {}", name(), transport::how_lost(*link_));
        }
        return link_;
    }
    auto link = transport::reach(*endpoint_, *entry_, deadline);
    if (!link) {
        // The director knew where it listens: where nobody does any more, it is gone.
        const auto code = link.error().code == ErrorCode::not_found ? ErrorCode::peer_lost : link.error().code;
        return base::fail(code, "{}, cannot be reached: {}", name(), link.error().message);
    }
    return link_ = *std::move(link);
}

base::Result<transport::Packet> Holder::ask(Attributes question, const base::Deadline& deadline) {
    auto link = reach(deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    question["service"] = service_;
    auto answer = (*link)->call(std::move(question), {}, deadline);
    if (!answer) {
        return base::fail(answer.error().code, "{}, {}", title_, answer.error().message);  // which names the process
    }
    return answer;
}

base::Result<transport::Packet> Holder::ask(const base::Deadline& deadline) {
    auto answer = ask({}, deadline);
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

base::Result<os::FileDescriptor> Holder::connect(const base::Deadline& deadline) {
    const auto answer = ask(deadline);
    const auto link = answer ? reach(deadline) : base::fail(answer);
    if (!link) {
        return base::fail(link);
    }
    auto socket = endpoint_->connect_further(**link, transport::text_of(answer->body, "purpose"), deadline);
    if (!socket) {
        return base::fail(socket.error().code, "{}, {}", title_, socket.error().message);
    }
    return socket;
}

std::optional<std::string> Holder::loss() const {
    const std::lock_guard lock(mutex_);
    return link_ && !link_->is_open() ? std::optional(transport::how_lost(*link_)) : std::nullopt;
}

}  // namespace staithe::stream
