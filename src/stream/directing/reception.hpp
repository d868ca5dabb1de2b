// What processes ask of a stream over their links, and what they are answered: joining, leaving, pausing, looking.
//
// Runs in the endpoint's thread, one request at a time, and takes the director's mutex for each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "stream/directing/members.hpp"
#include "stream/directing/report.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

class Director;

class Reception {
  public:
    explicit Reception(Director& director) : director_(director) {}

    void handle(const std::shared_ptr<transport::Link>& link, transport::Packet packet);
    /// The same as processes get that look at the stream. Not under the mutex: schemas are decoded.
    [[nodiscard]] Attributes describe();

  private:
    struct Request {
        const std::shared_ptr<transport::Link>& link;
        transport::Packet& packet;
        std::int64_t id = 0;
        Member* member = nullptr;  // who sends it; null if it does not say
    };
    /// Nothing: it is answered later, or not at all.
    using Answer = base::Result<std::optional<transport::Packet>>;
    using Handler = Answer (Reception::*)(const Request&);
    [[nodiscard]] static Handler handler_of(std::string_view type);
    static void reply(const Request& request, base::Result<transport::Packet> answer);

    // The director's mutex is held, but by describing.
    Answer join_writer(const Request& request);
    Answer join_reader(const Request& request);
    Answer name_stores(const Request& request);
    /// A file that this process passes on, or whom to ask; null: nobody, since there is nothing.
    struct StoreHolder {
        Value contact;
        const os::FileDescriptor* file = nullptr;
    };
    [[nodiscard]] StoreHolder holder_of_rank(int rank, bool on_disk, bool is_far) const;
    [[nodiscard]] StoreHolder holder_of_depot(int depot) const;
    Answer set_ready(const Request& request);
    Answer detach(const Request& request);
    Answer pause(const Request& request);
    Answer resume(const Request& request);
    Answer follow(const Request& request);
    Answer fetches(const Request& request);
    Answer sends(const Request& request);
    Answer awaits(const Request& request);
    Answer lease(const Request& request);
    Answer end_lease(const Request& request);
    Answer leave(const Request& request);
    Answer fail(const Request& request);
    Answer give_up(const Request& request);
    Answer tell_queue(const Request& request, void (StepQueue::*event)(int member));
    void answer_deferred();
    [[nodiscard]] base::Result<Member*> reader_of(const Request& request) const;
    [[nodiscard]] base::Result<LeasedMemory*> lease_of(const Request& request) const;

    Director& director_;
    DescribedVariables variables_;
};

}  // namespace staithe::stream
