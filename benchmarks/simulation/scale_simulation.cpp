// A step of thousands of ranks in one process: what a director and a reader rank have to do for it.
//
// The real queue, book, records, stores, layout and plans; no processes, and channels that count what would be sent.
// Each writer rank holds a cell of a three-dimensional field, each reader rank reads a block of it. All ranks' blocks
// lie in one pool, which stands for those of all ranks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "array/decomposition.hpp"
#include "base/result.hpp"
#include "memory/sources.hpp"
#include "store/block_store.hpp"
#include "store/mapped_source.hpp"
#include "store/store_set.hpp"
#include "stream/describing/layout.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/schema.hpp"
#include "stream/directing/record_writer.hpp"
#include "stream/directing/step_book.hpp"
#include "stream/directing/step_queue.hpp"

namespace {

using namespace staithe;

constexpr std::int64_t cell_side = 4;
constexpr std::int64_t cell_bytes = cell_side * cell_side * cell_side * static_cast<std::int64_t>(sizeof(double));
constexpr int readers_to_time = 16;
constexpr int queue_steps = 4;

template <class T>
T good(base::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return *std::move(result);
}
void good(const base::Result<>& result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
}

class Times {
  public:
    template <class Work>
    void time(Work&& work) {
        const auto began = std::chrono::steady_clock::now();
        work();
        milliseconds_.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
    }
    [[nodiscard]] double median() {
        std::sort(milliseconds_.begin(), milliseconds_.end());
        return milliseconds_[milliseconds_.size() / 2];
    }

  private:
    std::vector<double> milliseconds_;
};

std::vector<std::byte> copy_out(transport::MappedPool& pool, const stream::Place& place) {
    const auto bytes = good(pool.bytes(place.offset, place.bytes));
    return {bytes.begin(), bytes.end()};
}

/// One writer rank: what it keeps, and what it says.
struct WriterRank {
    WriterRank(std::vector<std::byte> described, const std::shared_ptr<memory::Pool>& pool)
        : schema(std::move(described)), store(pool, nullptr), records(pool) {}

    const std::vector<std::byte> schema;
    store::BlockStore store;
    stream::RecordWriter records;
    stream::Place said;  // its record of the step
};

class Simulation {
  public:
    Simulation(int writers, int readers)
        : readers_(readers),
          queue_({.writers = writers, .limits = {.steps = queue_steps, .bytes = INT64_MAX / 2}}),
          book_(good(memory::open_pool("book")), writers),
          records_(good(os::duplicate_read_only(pool_->file()))),
          segment_(good(os::duplicate_read_only(book_.file()))) {
        make_writers(writers);
        const stream::StepQueue::GroupWish wish{.program = "reader", .size = readers};
        for (int rank = 0; rank < readers; ++rank) {
            queue_.join(wish, rank, rank);
        }
        for (int rank = 0; rank < readers; ++rank) {
            queue_.ready(rank);
        }
        queue_.deliveries().clear();
        source_ = std::make_shared<store::StoreSet>(std::vector<std::shared_ptr<store::BlockSource>>(
            static_cast<std::size_t>(writers),
            std::make_shared<store::MappedSource>(
                std::make_shared<transport::MappedPool>(good(os::duplicate_read_only(pool_->file()))))));
    }

    /// The writers' part of a step: nobody's time.
    void write(std::int64_t step, std::uint64_t schema) {
        for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
            WriterRank& writer = *writers_[rank];
            std::vector<store::BlockMemory> blocks{good(writer.store.allocate(store::Tier::memory, cell_bytes))};
            std::fill_n(reinterpret_cast<double*>(blocks.front().memory.data), cell_bytes / sizeof(double), 1.0 * step);
            const store::BlockRef ref{
                .store = static_cast<std::uint32_t>(rank), .offset = blocks.front().memory.offset, .bytes = cell_bytes};
            writer.store.keep(step, store::Tier::memory, nullptr, blocks);
            writer.said = good(writer.records.write(step, {schema, {&ref, 1}, {}}, writer.schema));
        }
    }

    /// The director's, from the first record to the last announcement.
    void direct(std::int64_t step) {
        announced_ = 0;
        for (std::size_t r = 0; r < writers_.size(); ++r) {
            const int rank = static_cast<int>(r);
            const auto bytes = copy_out(records_, writers_[r]->said);
            const auto header = good(stream::read_record_header(bytes, static_cast<std::uint64_t>(step)));
            std::vector<std::byte> schema;
            if (!book_.knows_schema(rank, header.schema)) {
                schema = copy_out(records_, {header.schema_offset, header.schema_bytes});
            }
            good(book_.take(rank, step, stream::view_record(bytes, header), schema));
            if (book_.is_whole(step)) {
                good(book_.write(step));
            }
            queue_.record(rank, step, {.data_bytes = cell_bytes});
            carry_out();
        }
        if (announced_ != readers_) {
            throw std::runtime_error("a step was not announced to all");
        }
    }

    /// The director's, from the first release to the step's end.
    void release(std::int64_t step) {
        for (int rank = 0; rank < readers_; ++rank) {
            queue_.release(rank, step);
            carry_out();
        }
        if (queue_.oldest() != nullptr) {
            throw std::runtime_error("a step was not freed");
        }
    }
    void forget(std::int64_t step) {
        for (const auto& writer : writers_) {
            writer->store.unpin(step);
            writer->records.forget(step);
        }
    }

    [[nodiscard]] std::shared_ptr<const stream::Layout> take_layout(std::int64_t step) {
        const std::uint64_t number = book_.entry(step).layout;
        return good(stream::Layout::decode(copy_out(segment_, book_.layout(number)), number));
    }
    [[nodiscard]] Selection part_of(int reader) const {
        return Selection(array::block_share(shape_, reader, readers_));
    }
    /// What a reader rank does with a step like the one before.
    void read(std::int64_t step, const stream::Layout& layout, const Selection& part, std::vector<double>& values) {
        const auto table = good(
            stream::decode_step_table(copy_out(segment_, book_.entry(step).table), static_cast<std::uint64_t>(step)));
        source_->expect(table.blocks);
        const stream::VariableLayout& field = *layout.find("density");
        const auto plan = field.plans->of(field, part);
        const Extents shape = shape_of(part);
        values.resize(static_cast<std::size_t>(volume(shape).value()));
        good(source_->fetch(table.blocks, plan->pieces, MutableArrayView::row_major(values.data(), Dtype::f64, shape)));
        if (std::count(values.begin(), values.end(), 1.0 * step) != static_cast<std::int64_t>(values.size())) {
            throw std::runtime_error("a step has the wrong value");
        }
    }

    /// That readers are told of a block: in the layout and in the table of a step. Its record is as long as the latter.
    [[nodiscard]] double bytes_of_a_block(std::int64_t step) const {
        const stream::StepEntry& entry = book_.entry(step);
        return static_cast<double>(book_.layout(entry.layout).bytes + entry.table.bytes) /
               static_cast<double>(writers_.size());
    }

  private:
    void make_writers(int count) {
        const Extents grid = array::process_grid(Extents::filled(3, count), count);
        for (const std::int64_t cells : grid) {
            shape_.push_back(cell_side * cells);
        }
        for (int rank = 0; rank < count; ++rank) {
            const store::BlockDescription block{.variable = "density",
                                                .dtype = Dtype::f64,
                                                .shape = shape_,
                                                .box = array::block_share(shape_, rank, count),
                                                .unit = "kg/m3",
                                                .attributes = {{"long_name", "mass density"}}};
            writers_.push_back(std::make_unique<WriterRank>(good(stream::encode_schema({&block, 1})), pool_));
        }
    }

    void carry_out() {
        using Kind = stream::StepQueue::Delivery::Kind;
        for (const stream::StepQueue::Delivery& delivery : queue_.deliveries()) {
            announced_ += delivery.kind == Kind::announce ? 1 : 0;
            if (delivery.kind == Kind::freed) {
                book_.forget(delivery.step);
            }
        }
        queue_.deliveries().clear();
    }

    const int readers_;
    int announced_ = 0;
    Extents shape_;
    const std::shared_ptr<memory::Pool> pool_ = good(memory::open_pool("ranks"));
    std::vector<std::unique_ptr<WriterRank>> writers_;
    stream::StepQueue queue_;
    stream::StepBook book_;
    transport::MappedPool records_;
    transport::MappedPool segment_;
    std::shared_ptr<store::BlockSource> source_;
};

struct Figures {
    Times new_layout, same_layout, released, layout_taken, planned, read;
};

void run(int writers, int readers, int steps) {
    Simulation simulation(writers, readers);
    Figures figures;
    std::vector<double> values;
    std::shared_ptr<const stream::Layout> layout;
    double bytes_of_a_block = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
        const bool is_new = step % 2 == 0;  // of two steps with the same layout
        simulation.write(step, static_cast<std::uint64_t>(step / 2 + 1));
        (is_new ? figures.new_layout : figures.same_layout).time([&] { simulation.direct(step); });
        for (int i = 0; i < readers_to_time; ++i) {
            const Selection part = simulation.part_of(i * (readers / readers_to_time));
            if (is_new) {
                figures.layout_taken.time([&] { layout = simulation.take_layout(step); });
                const stream::VariableLayout& field = *layout->find("density");
                figures.planned.time([&] { static_cast<void>(field.plans->of(field, part)); });
            }
            simulation.read(step, *layout, part, values);  // else the first to read after a new layout would plan
            figures.read.time([&] { simulation.read(step, *layout, part, values); });
        }
        bytes_of_a_block = simulation.bytes_of_a_block(step);
        figures.released.time([&] { simulation.release(step); });
        simulation.forget(step);
    }
    std::printf(
        "{\"director_new_layout_ms\": %.3f, \"director_same_layout_ms\": %.3f, \"director_releases_ms\": %.3f, "
        "\"reader_layout_ms\": %.3f, \"reader_plan_ms\": %.4f, \"reader_same_layout_ms\": %.4f, "
        "\"block_bytes\": %.1f}\n",
        figures.new_layout.median(), figures.same_layout.median(), figures.released.median(),
        figures.layout_taken.median(), figures.planned.median(), figures.read.median(), bytes_of_a_block);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s WRITERS READERS STEPS\n", argv[0]);
        return 2;
    }
    try {
        run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
