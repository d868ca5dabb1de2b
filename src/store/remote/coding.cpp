#include "store/remote/coding.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "store/remote/saved_models.hpp"
#include "transform/bound.hpp"
#include "transform/coding.hpp"
#include "transform/device.hpp"
#include "transform/helpers.hpp"

namespace staithe::store::remote {
namespace {

/// Of a block, whose range is looked for in places of so many bytes, a sixteenth of what the part has in all.
constexpr std::int64_t bytes_of_a_place = 4096;
constexpr std::int64_t places_of = 16;
constexpr std::int64_t least_places = 16;

/// And of a part, in places of so many bytes.
constexpr std::int64_t bytes_of_a_place_of_part = 1024;

/// Some values from all over them, so many side by side, or all of few.
ArrayView sample_of(std::span<const std::byte> values, Dtype dtype, std::int64_t places, std::int64_t place_bytes) {
    const std::int64_t item = size_of(dtype);
    const auto count = std::ssize(values) / item;
    const std::int64_t side_by_side = place_bytes / item;
    if (count <= places * side_by_side) {
        return ArrayView::row_major(values.data(), dtype, {count});
    }
    return {values.data(), dtype, {places, side_by_side}, {(count - side_by_side) / (places - 1) * item, item}};
}

/// As the offered one is, if these were all the values.
base::Result<double> absolute_bound(const Offer& offer, const ArrayView& values) {
    const auto resolved = transform::resolve_bound(values, {.bound = offer.bound, .fill = offer.fill});
    return resolved ? base::Result<double>(resolved->bound) : base::fail(resolved);
}

transform::SeenRegions::Place place_of(const PartToCode& part) { return {part.first, part.ref.bytes}; }

/// A device has so many times what is expected, and at least so long: it may be about to start, or swapped out.
constexpr double patience = 20.0;
constexpr base::Seconds least_patience{1.0};

/// Of the process.
std::uint64_t next_connection() {
    static std::atomic<std::uint64_t> connections{0};
    return ++connections;
}

/// What is known of offers like that one; begun if there is nothing.
base::Result<Traffic::Coded*> known_of(const Offer& offer, Traffic::Figures& figures) {
    if (const auto found = figures.coded.find(offer)) {
        Traffic::Coded& known = found->known;
        known.decode = offer.decode > 0.0 ? offer.decode : known.decode;  // a new connection has none yet
        return &known;
    }
    auto chooser = transform::Chooser::for_values(offer.dtype, offer.bound, offer.codec, offer.variants);
    if (!chooser) {
        return base::fail(std::move(chooser));
    }
    SavedModels& models = SavedModels::of_process();
    models.recall(offer, *chooser);
    const auto added = figures.coded.add(offer, {.chooser = *std::move(chooser), .decode = offer.decode});
    if (added.oldest) {
        models.keep(added.oldest->offer, added.oldest->known.chooser);
    }
    return &added.entry.known;
}

}  // namespace

ArrayView elements_of(const PartToCode& part, Dtype dtype) {
    ArrayView elements{part.memory + part.runs.first, dtype, {}, {}};
    for (const Loop& loop : part.runs.loops) {
        elements.shape.push_back(loop.count);
        elements.strides.push_back(loop.stride);
    }
    return elements;
}

/// Of a part of a block in memory, as the offered bound is for a sample of the block.
base::Result<double> Coding::bound_of_block(const Offer& offer, const PartToCode& part) {
    const Looked now{part.request, part.ref};
    if (looked_at_ != now) {
        looked_at_.reset();
        const std::int64_t places = std::max(part.runs.bytes() / (places_of * bytes_of_a_place), least_places);
        const auto bound = absolute_bound(offer, sample_of(part.block, offer.dtype, places, bytes_of_a_place));
        if (!bound) {
            return bound;
        }
        bound_of_looked_ = *bound;
        looked_at_ = now;
    }
    return bound_of_looked_;
}

/// A share of the range of a sample, which is no wider than that of all: so it is kept of all. Parts of a block whose
/// own values lie close together may be off by as much as others. Those with the extremes may be off by more, and
/// mostly show it in a few of their values: to read all of each part for that takes up to half as long as encoding it.
base::Result<codecs::Bound> Coding::bound_of(const Offer& offer, const PartToCode& part, const ArrayView& elements) {
    if (offer.bound.kind != codecs::Bound::Kind::relative) {
        return offer.bound;
    }
    const auto sampled = part.block.empty() ? base::Result<double>(0.0) : bound_of_block(offer, part);
    if (!sampled) {
        return base::fail(sampled);
    }
    if (*sampled > 0.0 && is_row_major(elements)) {
        const std::span values(static_cast<const std::byte*>(elements.data),
                               static_cast<std::size_t>(part.runs.bytes()));
        const auto shown =
            absolute_bound(offer, sample_of(values, offer.dtype, least_places, bytes_of_a_place_of_part));
        if (!shown || *shown <= *sampled) {
            return shown ? base::Result<codecs::Bound>(codecs::Bound::absolute(*sampled)) : base::fail(shown);
        }
    }
    const auto own = absolute_bound(offer, elements);
    return own ? base::Result<codecs::Bound>(codecs::Bound::absolute(std::max(*own, *sampled))) : base::fail(own);
}

/// What is known of it without reading all of it.
base::Result<transform::Region> Coding::look_at(const Offer& offer, const PartToCode& part) {
    const ArrayView elements = elements_of(part, offer.dtype);
    codecs::Bound bound = offer.bound;
    if (bound.kind == codecs::Bound::Kind::relative) {
        if (part.block.empty()) {
            return transform::Region{part.runs.bytes()};
        }
        const auto sampled = bound_of_block(offer, part);
        if (!sampled) {
            return base::fail(sampled);
        }
        bound = *sampled > 0.0 ? codecs::Bound::absolute(*sampled) : codecs::Bound::exact();
    }
    return transform::look_at(elements, bound, offer.fill, scratch_);
}

Coding::Coding(std::shared_ptr<Traffic> traffic, std::shared_ptr<EncodedParts> encoded,
               std::shared_ptr<devices::Devices> devices)
    : traffic_(std::move(traffic)),
      encoded_(std::move(encoded)),
      devices_(std::move(devices)),
      connection_(next_connection()) {
    encoded_->join(traffic_);
}

Coding::~Coding() {
    encoded_->leave(traffic_);
    traffic_->change([this](Traffic::Figures& figures) {
        if (figures.link) {
            figures.link->forget(connection_);
        }
    });
}

void Coding::watch(std::int64_t bytes, base::Seconds busy, const Traffic::Passed& passed) {
    traffic_->change([&](Traffic::Figures& figures) {
        if (!figures.link) {
            figures.link.emplace();
        }
        figures.link->look(connection_, bytes, busy, base::Clock::now());
        figures.passed.bytes += passed.bytes;
        figures.passed.time += passed.time;
    });
}

/// To the link.
void Coding::hand(std::int64_t bytes) {
    traffic_->change([&](Traffic::Figures& figures) {
        if (figures.link) {
            figures.link->hand(bytes, base::Clock::now());
        }
    });
}

/// With the chooser of the offer, and what it has to know of the link and the peer.
base::Result<> Coding::with_chooser(const Offer& offer,
                                    base::FunctionRef<void(Traffic::Coded& coded, const transform::Pace& pace)> use) {
    base::Result<> done;
    traffic_->change([&](Traffic::Figures& figures) {
        const auto alike = known_of(offer, figures);
        if (!alike) {
            done = base::fail(alike);
            return;
        }
        const LinkRate unknown;
        const LinkRate& link = figures.link ? *figures.link : unknown;
        use(**alike, transform::Pace{link.bytes_a_second(), (*alike)->decode, figures.passed.seconds_a_byte(),
                                     figures.pieces, link.backlog(base::Clock::now()).count()});
    });
    return done;
}

/// What was seen of it of late, or is seen now.
base::Result<transform::Region> Coding::region_of(const Offer& offer, const PartToCode& part) {
    const auto place = place_of(part);
    std::optional<transform::Region> seen;
    auto known = with_chooser(offer, [&](Traffic::Coded& coded, const transform::Pace& pace) {
        seen = coded.chooser.depends_on_region(pace) ? coded.seen.recall(place, part.runs.bytes())
                                                     : transform::Region{part.runs.bytes()};
    });
    if (!known || seen) {
        return known ? base::Result<transform::Region>(*seen) : base::fail(std::move(known));
    }
    const monitor::Span span(traffic_->tracer, "look", -1, part.runs.bytes());
    auto looked = look_at(offer, part);
    known = looked ? with_chooser(offer, [&](Traffic::Coded& coded,
                                             const transform::Pace&) { *looked = coded.seen.keep(place, *looked); })
                   : base::fail(looked);
    return known ? std::move(looked) : base::fail(std::move(known));
}

base::Result<> Coding::resolve(Work& work) {
    if (work.bound) {
        return {};
    }
    const auto bound = bound_of(work.offer, work.part, work.elements);
    if (!bound) {
        return base::fail(bound);
    }
    work.bound = *bound;
    work.key = work.is_shared ? EncodedParts::key_of(work.elements, work.offer, *bound) : std::nullopt;
    return {};
}

/// What another peer got, where that suits this one.
base::Result<std::optional<Coding::Payload>> Coding::had_by_another(Work& work) {
    if (auto resolved = resolve(work); !resolved) {
        return base::fail(std::move(resolved));
    }
    const auto had = work.key ? encoded_->take(*work.kind, *work.key) : nullptr;
    if (!had) {
        return std::nullopt;
    }
    bool is_reused = false;
    auto known = with_chooser(work.offer, [&](Traffic::Coded& coded, const transform::Pace& pace) {
        is_reused = coded.chooser.reuse(had->way, work.part.runs.bytes(), std::ssize(had->payload), pace);
    });
    if (!known) {
        return base::fail(std::move(known));
    }
    if (!is_reused) {
        return std::nullopt;
    }
    went(work, had->way, had->payload);
    hand(std::ssize(had->payload));
    return had->payload;
}

base::Result<Coding::Choice> Coding::choose(const Work& work, const transform::Region& region) {
    Choice choice;
    std::vector<devices::Device> there = devices_->there();
    std::erase_if(there, [&](const devices::Device& device) { return std::ranges::count(work.busy, device) > 0; });
    auto known = with_chooser(work.offer, [&](Traffic::Coded& coded, const transform::Pace& pace) {
        coded.chooser.set_devices(there);
        choice.number = coded.chooser.choose(region, pace);
        choice.way = coded.chooser.way(choice.number);
        choice.expected = coded.chooser.expected(choice.number, region);
    });
    const auto chosen =
        std::ranges::find_if(there, [&](const devices::Device& device) { return device->name() == choice.way.device; });
    choice.device = chosen == there.end() ? transform::cpu() : *chosen;
    return known ? base::Result<Choice>(std::move(choice)) : base::fail(std::move(known));
}

/// Nothing of what goes as it is.
base::Result<std::optional<Coding::Payload>> Coding::encode(Work& work, const Choice& choice) {
    if (choice.way.codec.empty()) {
        return std::nullopt;
    }
    if (auto resolved = resolve(work); !resolved) {
        return base::fail(std::move(resolved));
    }
    const codecs::EncodeOptions options{.codec = choice.way.codec,
                                        .mode = choice.way.mode,
                                        .bound = *work.bound,
                                        .fill = work.offer.fill,
                                        .threads = transform::background_threads};
    auto encoded = choice.device->encode(work.elements, options, std::max(least_patience, patience * choice.expected));
    if (encoded && !choice.way.device.empty()) {
        if (const auto checked = transform::check_payload(*encoded, work.elements, options); !checked) {
            encoded = base::fail(ErrorCode::protocol, "device '{}' has given something else back than it should: {}",
                                 choice.way.device, checked.error().message);
        }
    }
    return encoded ? base::Result<std::optional<Payload>>(*std::move(encoded)) : base::fail(std::move(encoded));
}

/// For those who report.
void Coding::went(const Work& work, const transform::Way& way, const Payload& payload) {
    if (const auto info = transform::inspect(payload)) {
        static_cast<void>(with_chooser(
            work.offer, [&](Traffic::Coded& coded, const transform::Pace&) { coded.chooser.went(way, *info); }));
    }
}

/// A peer may ask for what is written over meanwhile: then the payload may be of neither what was there nor what is.
void Coding::share(const Work& work, const transform::Way& way, const Payload& payload) {
    if (work.key && EncodedParts::key_of(work.elements, work.offer, *work.bound) == work.key) {
        encoded_->keep(work.kind, *work.key, {payload, way});
    }
}

base::Result<std::optional<Coding::Payload>> Coding::code(const Offer& offer, const PartToCode& part) {
    Work work{offer, part, elements_of(part, offer.dtype), encoded_->kind_of(offer, traffic_)};
    work.is_shared = encoded_->are_shared(*work.kind);
    if (work.is_shared && encoded_->has_any(*work.kind)) {
        if (auto had = had_by_another(work); !had || *had) {
            return had;
        }
    }
    const auto region = region_of(offer, part);
    return region ? code_anew(work, *region) : base::fail(region);
}

/// What has failed is not chosen from now on, or for this part: so whoever goes on without it comes to an end.
base::Result<> Coding::leave(Work& work, const Choice& choice, const transform::Region& region, base::Seconds lost,
                             const base::Failure& why) {
    if (choice.way.device.empty()) {
        base::log(base::LogLevel::warn, "'{}' is sent without the codec {} from now on, which has failed: {}",
                  base::printable(work.offer.variable), choice.way.codec, why.message);
    } else {
        devices_->avoid(choice.device, why);
        if (transform::is_busy(why)) {
            work.busy.push_back(choice.device);
        }
    }
    return with_chooser(work.offer, [&](Traffic::Coded& alike, const transform::Pace&) {
        if (alike.chooser.has_chosen(choice.number, choice.way)) {
            alike.chooser.fail(choice.number, region, lost);
        }
    });
}

base::Result<std::optional<Coding::Payload>> Coding::code_anew(Work& work, const transform::Region& region) {
    const Offer& offer = work.offer;
    const PartToCode& part = work.part;
    const auto choice = choose(work, region);
    if (!choice) {
        return base::fail(choice);
    }
    monitor::Span span(traffic_->tracer, "encode", -1, part.runs.bytes());
    const auto began = base::Clock::now();
    const double worked = transform::work_seconds();
    auto payload = encode(work, *choice);
    const base::Seconds in_all = base::Clock::now() - began;
    // What has this thread's core meanwhile says nothing of the way.
    const base::Seconds at_work(choice->way.device.empty() ? transform::work_seconds() - worked : 0.0);
    const base::Seconds took = at_work.count() > 0.0 ? at_work : in_all;
    if (!payload && (offer.codec.empty() || !choice->way.device.empty())) {
        auto left = leave(work, *choice, region, in_all, payload.error());
        return left ? code_anew(work, region) : base::fail(std::move(left));
    }
    if (!payload) {
        return payload;
    }
    const auto coded = *payload ? std::ssize(**payload) : region.bytes;
    span.set_coding(offer.variable, part.first, transform::to_string(choice->way), coded, took, choice->expected);
    auto known = with_chooser(offer, [&](Traffic::Coded& alike, const transform::Pace&) {
        if (alike.chooser.has_chosen(choice->number, choice->way)) {
            const auto lately = alike.chooser.learn(choice->number, region, coded, took, in_all / took);
            if (*payload) {
                alike.seen.came(place_of(part), coded, lately);
            }
        }
    });
    hand(std::min(coded, region.bytes));
    if (!known || coded >= region.bytes) {
        return known ? base::Result<std::optional<Payload>>(std::nullopt) : base::fail(std::move(known));
    }
    went(work, choice->way, **payload);
    share(work, choice->way, **payload);
    return payload;
}

}  // namespace staithe::store::remote
