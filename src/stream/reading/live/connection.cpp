#include "stream/reading/live/connection.hpp"

#include <utility>

#include "stream/describing/step_table.hpp"

namespace staithe::stream::live {

void Connection::release(std::int64_t step) {
    const monitor::Span span(tracer, "release", step);
    if (Prefetcher* const ahead = prefetcher) {
        ahead->forget(step);
    }
    const std::lock_guard lock(send_mutex);
    const transport::Message message = hot_message(Hot::release, step);
    transport::Channel& channel = membership->channel();
    // When the director is gone there is nobody to tell.
    static_cast<void>(membership->link()->is_between_hosts() ? channel.send_soon(message) : channel.send(message));
    released.add(1);
}

void Connection::want(std::int64_t step) {
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->channel().send(hot_message(Hot::want, step)));
}

void Connection::hand_back(std::int64_t step) {
    if (Prefetcher* const ahead = prefetcher) {
        ahead->forget(step);
    }
    const std::lock_guard lock(send_mutex);
    static_cast<void>(membership->channel().send(hot_message(Hot::returned, step)));
}

void Connection::fetch_ahead() {
    if (!own_prefetcher) {
        own_prefetcher = std::make_unique<Prefetcher>(*source, memory);
        prefetcher = own_prefetcher.get();
    }
}

PinnedStep::PinnedStep(std::shared_ptr<Connection> pinned_by)
    : connection(std::move(pinned_by)), awaited(*connection, number) {
    get_from(*connection->source);  // it lives as long as the connection, so it is not counted
    memory = connection->memory;
    tracer = connection->tracer;
}

base::Result<Attributes> PinnedStep::attributes() const { return merge_attributes(encoded_attributes); }

base::Result<std::optional<View>> PinnedStep::kept(const store::Piece& piece) const {
    if (source.get() == &enclosed) {
        const auto shown = source->view(blocks[piece.block], *piece.description);
        return shown ? base::Result<std::optional<View>>(View{slice(**shown, piece.overlap.source), enclosed.memory()})
                     : base::fail(shown);
    }
    if (source.get() == &awaited) {
        if (auto fetched = connection->prefetcher.load()->take(number, piece)) {
            return View{fetched->array, std::move(fetched->memory)};
        }
    }
    return std::nullopt;
}

void PinnedStep::retire() {
    void* none = nullptr;
    // A forked child ends nothing of its parent's, nor does it leave in its parent's name.
    if (home.here() && !connection->spare.compare_exchange_strong(none, this, std::memory_order_acq_rel)) {
        delete this;
    }
}

namespace {

struct Release {
    void operator()(PinnedStep* step) const {
        if (step->home.here()) {
            step->connection->release(step->number);
        }
    }
};

/// Has a shared_ptr count its users within the step, and tells when it has stopped.
template <class T>
struct WithinStep {
    using value_type = T;
    explicit WithinStep(PinnedStep* counted) : step(counted) {}
    template <class U>
    explicit(false) WithinStep(const WithinStep<U>& other) : step(other.step) {}

    T* allocate(std::size_t /*one*/) {
        static_assert(sizeof(T) <= sizeof(PinnedStep::count_of_users) && alignof(T) <= alignof(std::max_align_t));
        return reinterpret_cast<T*>(step->count_of_users.data());
    }
    void deallocate(T* /*count*/, std::size_t /*one*/) { step->retire(); }
    template <class U>
    bool operator==(const WithinStep<U>& other) const {
        return step == other.step;
    }

    PinnedStep* step;
};

}  // namespace

std::shared_ptr<PinnedStep> pin(const std::shared_ptr<Connection>& connection, std::int64_t number) {
    auto* step = static_cast<PinnedStep*>(connection->spare.exchange(nullptr, std::memory_order_acq_rel));
    if (step == nullptr) {
        step = new PinnedStep(connection);
    }
    step->number = number;
    step->blocks.clear();
    step->encoded_attributes.clear();
    connection->taken.add(1);
    return {step, Release(), WithinStep<PinnedStep>(step)};
}

void keep_no_spare(Connection& connection) {
    delete static_cast<PinnedStep*>(connection.spare.exchange(&connection, std::memory_order_acq_rel));
}

}  // namespace staithe::stream::live
