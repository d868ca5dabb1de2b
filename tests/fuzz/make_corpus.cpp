// Writes the first inputs of the fuzz targets, from real messages: `build/asan/tests/fuzz/make_corpus
// tests/fuzz/corpus`. Run it again when the protocol changes.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/transform.hpp>

#include "base/value_codec.hpp"
#include "format/blosc.hpp"
#include "format/conventions.hpp"
#include "format/formats.hpp"
#include "format/zarr/shards.hpp"
#include "format/zarr/store.hpp"
#include "fuzz/bytes.hpp"
#include "os/files.hpp"
#include "server/changes.hpp"
#include "server/persisted_records.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "space/served/messages_reduce.hpp"
#include "store/log/log_folder.hpp"
#include "store/parts.hpp"
#include "store/remote/messages.hpp"
#include "store/space/statistics.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/schema.hpp"
#include "stream/describing/step_table.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/holding/fabric_messages.hpp"
#include "stream/staging/consignment.hpp"
#include "transform/codec.hpp"
#include "transport/channel/frames.hpp"
#include "transport/directory/inquiry.hpp"
#include "transport/keyed_challenge.hpp"

using namespace staithe;

namespace {

using Part = std::vector<std::byte>;

/// An array in Fortran order with a fill, and a number.
std::shared_ptr<const std::vector<stream::BlockDescription>> blocks_to_fetch() {
    std::vector<stream::BlockDescription> blocks(2);
    blocks[0].variable = "T";
    blocks[0].dtype = blocks[1].dtype = Dtype::f64;
    blocks[0].column_major = true;
    blocks[0].shape = {3, 3};
    blocks[0].box = Box::whole(blocks[0].shape);
    blocks[0].attributes = {{store::fill_attribute, 1e20}};
    blocks[0].error = codecs::Bound::relative(1e-3);
    blocks[1].variable = "t";
    return std::make_shared<const std::vector<stream::BlockDescription>>(stream::as_consigned(std::move(blocks)));
}

Part cat(std::initializer_list<Part> parts) {
    Part all;
    for (const Part& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}
/// As take_part reads it.
Part sized(const Part& part) { return cat({{std::byte(part.size() % 256), std::byte(part.size() / 256)}, part}); }
/// A message whose header the harness makes.
Part message(const Attributes& body, unsigned char kind = 1) {
    return cat({{std::byte(kind)}, sized(base::to_cbor(body))});
}

/// As the socket of a channel carries it.
Part hot(stream::Hot kind, std::int64_t step, std::uint32_t enclosed) {
    const transport::ChannelFrame frame{transport::ChannelFrame::message, enclosed, stream::hot_message(kind, step)};
    const auto bytes = std::as_bytes(std::span(&frame, 1));
    return cat({Part(bytes.begin(), bytes.end()), Part(enclosed)});
}
Part shown(std::size_t word, std::int64_t value) {
    transport::ChannelFrame frame{transport::ChannelFrame::word, 0, {}};
    frame.content.step = word;
    frame.content.offset = value;
    const auto bytes = std::as_bytes(std::span(&frame, 1));
    return {bytes.begin(), bytes.end()};
}

void write(const std::string& directory, const std::string& name, const Part& bytes) {
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/" + name, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Attributes join_reader(int rank, int size, const std::string& overflow) {
    return {{"id", 2},      {"service", "s"}, {"type", "join-reader"}, {"ticket", 1},          {"rank", rank},
            {"size", size}, {"program", "p"}, {"group", ""},           {"overflow", overflow}, {"start", -1}};
}

const Attributes greeting{{"id", 1}, {"protocol", 1}, {"program", "p"}, {"host", "h"}, {"pid", 1}};

Attributes to_stream(const char* type, Attributes more = {}) {
    more.insert({{"id", 3}, {"service", "s"}, {"type", type}});
    return more;
}

Part schema() {
    const std::vector<stream::BlockDescription> blocks{
        {"x", Dtype::f64, false, false, {9, 3}, {{3, 0}, {3, 3}}, "sigma", {{"a", 1}}, codecs::Bound::relative(1e-3)},
        {"n", Dtype::i32, true, true, {2}, {{0}, {2}}, "", {}},
    };
    return stream::encode_schema(blocks).value();
}

Part record() {
    const stream::RecordHeader header{stream::record_magic, stream::record_version, 7, 2, 1, 64, 100, 4, 0};
    const store::BlockRef refs[] = {{.store = 0, .offset = 4096, .bytes = 72},
                                    {.store = 1, .offset = 8192, .bytes = 8}};
    const auto bytes = [](const auto& object) {
        const auto raw = std::as_bytes(std::span(&object, 1));
        return Part(raw.begin(), raw.end());
    };
    return cat({bytes(header), bytes(refs), base::to_cbor(Attributes{{"t", 1}})});
}

Part table() {
    const store::BlockRef block{.store = 0, .offset = 4096, .bytes = 72};
    const Part attributes = sized(base::to_cbor(Attributes{{"t", 1}}));
    Part bytes(static_cast<std::size_t>(stream::step_table_bytes(1, attributes.size())));
    const stream::StepTableHeader header{stream::step_table_magic, stream::step_table_version, 7, 1, 1,
                                         attributes.size()};
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + sizeof(header), &block, sizeof(block));
    std::memcpy(bytes.data() + sizeof(header) + sizeof(block), attributes.data(), attributes.size());
    return bytes;
}

Part layout() {
    const Part one = schema();
    const std::span<const std::byte> schemas[] = {one, one};
    return stream::encode_layout(7, schemas);
}

Part blocks_wanted() {
    const auto wanted = [](std::int64_t run, std::initializer_list<store::remote::Loop> loops) {
        return store::remote::Wanted{
            {.store = 1, .offset = 64, .bytes = 2048},
            {8, run, PerDimension<store::remote::Loop>(std::span(loops.begin(), loops.size()))}};
    };
    const std::array pieces{wanted(2000, {}), wanted(8, {{4, 400}, {6, 16}}), wanted(24, {{9, 100}})};
    return cat({{std::byte{0}}, store::remote::encode_requests(pieces, 1).bytes});
}

/// As numbers that may be encoded.
Part blocks_wanted_coded() {
    const store::remote::Wanted wanted{{.store = 1, .offset = 64, .bytes = 2048}, {0, 4, {}}};
    std::array pieces{wanted, wanted};
    pieces[0].runs.loops.push_back({512, 4});
    pieces[1].runs.loops.push_back({16, 128});
    pieces[1].runs.loops.push_back({8, 8});
    const store::remote::Offer offer{.variable = "T",
                                     .dtype = Dtype::f32,
                                     .bound = codecs::Bound::relative(1e-3),
                                     .fill = 1e20,
                                     .codec = "dq",
                                     .decode = 1e-9};
    return cat({{std::byte{0}}, store::remote::encode_requests(pieces, 1, &offer).bytes});
}

/// As what becomes of numbers along one dimension.
Part blocks_wanted_reduced() {
    store::remote::Wanted wanted{{.store = 1, .offset = 64, .bytes = 2048}, {0, 4, {}}};
    wanted.runs.loops.push_back({16, 128});
    wanted.runs.loops.push_back({8, 8});
    const store::remote::Offer offer{.variable = "T",
                                     .dtype = Dtype::f32,
                                     .reduced = store::remote::Reduced{{.kind = store::reducing::Kind::mean}, 1}};
    return cat({{std::byte{0}}, store::remote::encode_requests(std::span(&wanted, 1), 1, &offer).bytes});
}

/// What is computed of two of its blocks.
std::vector<std::byte> blocks_wanted_computed() {
    store::remote::Wanted wanted{{.store = 1, .offset = 64, .bytes = 2048}, {0, 4, {}}};
    wanted.runs.loops.push_back({3, 16});
    wanted.runs.loops.push_back({5, 4});
    store::remote::Wanted other{{.store = 0, .offset = 1024, .bytes = 512}, {16, 8, {}}};
    other.runs.loops.push_back({3, 0});
    other.runs.loops.push_back({5, -8});
    other.runs.first = 256;
    wanted.others.push_back(other);
    const store::remote::Offer offer{
        .variable = "speed",
        .dtype = Dtype::f64,
        .computed = store::remote::Computed{"sqrt(((x0 * x0) + (x1 * 2.5)))", {Dtype::f32, Dtype::f64}},
        .as_is = true};
    return cat({{std::byte{0}}, store::remote::encode_requests(std::span(&wanted, 1), 1, &offer).bytes});
}

Part as_part(const store::remote::ReplyHeader& reply) {
    const auto bytes = std::as_bytes(std::span(&reply, 1));
    return {bytes.begin(), bytes.end()};
}

/// To the first of fuzz_remote_blocks.cpp's pieces, which may be.
Part block_given_coded() {
    const std::array<std::int16_t, 80> numbers{1, 2, 3};
    const Part payload = codecs::encode(ArrayView::row_major(numbers.data(), Dtype::i16, {8, 10}));
    const store::remote::ReplyHeader reply{
        .status = store::remote::Status::coded, .id = 1, .bytes = static_cast<std::int64_t>(payload.size())};
    return cat({{std::byte{1}}, as_part(reply), payload});
}

/// To fuzz_remote_blocks.cpp's pieces, of three requests; one is refused, the last one reduced.
Part blocks_given() {
    using store::remote::ReplyHeader;
    using store::remote::Status;
    Part all{std::byte{1}};
    for (const ReplyHeader& reply : {ReplyHeader{.status = Status::given, .id = 1, .bytes = 160},
                                     ReplyHeader{.status = Status::given, .id = 2, .piece = 0, .bytes = 12},
                                     ReplyHeader{.status = Status::refused, .id = 2, .piece = 1, .bytes = 5},
                                     ReplyHeader{.status = Status::coded, .id = 3, .bytes = 64}}) {
        all = cat({all, as_part(reply), Part(static_cast<std::size_t>(reply.bytes), std::byte{'a'})});
    }
    return all;
}

/// The first step is in this file, chunk or shard.
void write_store_zarr(const std::string& directory, const std::string& name,
                      const std::map<std::string, Attributes>& nodes, const Part& file) {
    using namespace format::zarr;
    const auto part = [](const std::string& text) {
        const auto bytes = std::as_bytes(std::span(text));
        return Part(bytes.begin(), bytes.end());
    };
    const std::array<std::int64_t, 2> numbers{3, 4};
    const auto raw = std::as_bytes(std::span(numbers));
    write(directory, name,
          cat({sized({raw.begin(), raw.end()}), sized(part(encode_attributes({{"time", 0.5}}))), sized(file),
               part(base::to_json(encode_root({{"model", "melt"}}, nodes)))}));
}

/// Of two steps that are alike, and of one that is not.
void write_recording_zarr(const std::string& directory, const std::string& name, const format::ArrayNode& array,
                          const Part& file) {
    using namespace format;
    using namespace format::zarr;
    write_store_zarr(directory, name,
                     {{numbers_name, encode(numbers_node(), 2)},
                      {attributes_name, encode_texts(2)},
                      {"T", encode(array, 2)},
                      {group_of(9), encode_group({{"time", 4.5}})},
                      {path_of(9, "T"), encode(array, std::nullopt)}},
                     file);
}

/// Of another program: numbers of steps that do not ascend, axes turned, bytes the other way round, and chunks left
/// out.
void write_others_zarr(const std::string& directory) {
    using namespace format;
    using namespace format::zarr;
    const ArrayNode array{.info = {.name = "T", .dtype = Dtype::f32, .shape = {4, 2}}, .grid = {1, {2, 2}}};
    Attributes along = encode(array, 2);
    along["codecs"] = List{Attributes{{"name", "transpose"}, {"configuration", Attributes{{"order", List{2, 0, 1}}}}},
                           Attributes{{"name", "bytes"}, {"configuration", Attributes{{"endian", "big"}}}}};
    along["fill_value"] = "NaN";
    Attributes still = encode(array, std::nullopt);
    still["dimension_names"] = List{"y", nullptr};
    write_store_zarr(directory, "others",
                     {{numbers_name, encode(numbers_node(), 2)}, {"T", along}, {"group/still", still}},
                     Part(16, std::byte{1}));
}

void write_recordings_zarr(const std::string& directory) {
    using namespace format;
    using namespace format::zarr;
    ArrayNode array{.info = {.name = "T",
                             .dtype = Dtype::f32,
                             .shape = {400, 2},
                             .unit = "K",
                             .attributes = {{"dims", List{"y", "x"}}}},
                    .grid = {1, {200, 2}},
                    .packing = Packing::blosc};
    Part chunk;
    const std::array<float, 400> elements{1.0F, 2.0F};
    const auto packed = pack_blosc(std::as_bytes(std::span(elements)), sizeof(float), blosc_way("blosc"), chunk);
    chunk.resize(packed ? packed->size() : 0);
    write_recording_zarr(directory, "steps", array, chunk);
    array.grid.shard = shard_of_step(array.grid, array.info.shape);
    ShardIndex index;
    index.append(std::ssize(chunk));
    index.append(std::ssize(chunk));
    write_recording_zarr(directory, "shards", array, cat({chunk, chunk, index.encode()}));
    write_others_zarr(directory);
}

/// The same, as a file.
void write_recording_hdf5(const std::string& directory, const std::string& name, format::Packing packing) {
    const std::string path = fuzz::directory_of_its_own() + "/x.h5";
    {
        const auto writer = format::create_recording(path, {{"model", "melt"}}, false).value();
        const std::array<float, 5000> elements{1.0F, 2.0F};
        for (const std::int64_t rows : {2500, 2500, 2}) {
            format::ArrayToStore array{{.info = {.name = "T",
                                                 .dtype = Dtype::f32,
                                                 .shape = {rows, 2},
                                                 .unit = "K",
                                                 .attributes = {{"dims", List{"y", "x"}}}},
                                        .parts = {}}};
            array.parts.push_back(
                {Box::whole(array.info.shape), ArrayView::row_major(elements.data(), Dtype::f32, array.info.shape)});
            array.packing = packing;
            array.coding.bound = codecs::Bound::absolute(0.1);
            array.error = codecs::Bound::absolute(0.1);
            const std::int64_t number = writer->newest().value_or(2) + 1;
            fuzz::require(
                writer->append({.number = number, .attributes = {{"time", 0.5}}, .arrays = {array}}).has_value() &&
                    writer->publish().has_value(),
                "a step can be recorded");
        }
    }
    const auto text = os::read_file(path).value();
    const auto bytes = std::as_bytes(std::span(text));
    write(directory, name, {bytes.begin(), bytes.end()});
}

void write_recordings_hdf5(const std::string& directory) {
    write_recording_hdf5(directory, "steps", format::Packing::blosc);
    write_recording_hdf5(directory, "payloads", format::Packing::payload);
}

/// Two blocks of a version, of which the second is killed; and the file that such records make.
void write_space_log(const std::string& directory) {
    store::space::Put put;
    put.block = {.variable = "T",
                 .dtype = Dtype::f32,
                 .shape = {4},
                 .box = {{0}, {2}},
                 .unit = "",
                 .attributes = {{"run", "a12"}}};
    put.version = 7;
    const Part description = server::encode_block("campaign", put);
    const Part bytes(static_cast<std::size_t>(put.block.data_bytes()), std::byte{64});
    const Part block = cat({{std::byte{2}}, sized(description), sized(bytes)});
    write(directory, "records", cat({{std::byte{1}}, block, block, {std::byte{1}}, sized({std::byte{2}})}));
    const Part rules = server::encode(server::PersistedRules{"campaign", "T", {.keep = 1}});
    const Part attributes = server::encode(server::PersistedAttributes{"campaign", "run", {{"by", "hand"}}});
    write(directory, "sayings",
          cat({{std::byte{1}},
               block,
               {std::byte{4}},
               sized(rules),
               sized({}),
               {std::byte{6}},
               sized(attributes),
               sized({})}));

    const std::string folder = fuzz::directory_of_its_own() + "/log";
    {
        auto log = store::log::LogFolder::open(folder).value();
        for (const std::uint64_t place : {1U, 2U}) {
            const store::log::Entry entry{.place = place, .key = 1, .description = description, .bytes = bytes};
            log.write(std::span(&entry, 1));
        }
        const store::log::Entry killed{.kind = store::log::RecordKind::killed, .places = {2}};
        log.write(std::span(&killed, 1));
        log.end();
    }
    const std::string file = os::read_file(folder + "/log.000001").value();
    const auto lies = std::as_bytes(std::span(file));
    write(directory, "file", cat({{std::byte{0}}, Part(lies.begin(), lies.end())}));
}

/// A version that is put in two blocks, found, listed and removed.
void write_spaces(const std::string& directory) {
    const auto said = [](const char* type, Attributes body) {
        body.merge(Attributes{{"type", type}, {"space", "campaign"}, {"id", 1}, {"ticket", 1}, {"pattern", "*"}});
        return sized(base::to_cbor(body));
    };
    namespace request = space::request;
    store::space::Put put;
    put.block = {.variable = "T",
                 .dtype = Dtype::f64,
                 .shape = {4, 4},
                 .box = {{0, 0}, {2, 4}},
                 .unit = "K",
                 .attributes = {{"run", "a12"}}};
    put.version = 7;
    put.ref.bytes = put.block.data_bytes();
    store::space::Put other = put;
    other.block.box.offset = {2, 0};
    other.ref.offset = 4096;
    const store::space::Wanted wanted{.variable = "T", .version = 7, .box = Box{{1, 1}, {2, 2}}};
    const store::space::Wanted boxes{.variable = "T", .boxes = {Box{{0, 0}, {1, 2}}, Box{{2, 1}, {2, 1}}}};
    const space::Found found{
        .version = 7, .whole = put.block, .blocks = {{put.block.box, put.ref}}, .source = nullptr, .pin = nullptr};
    Attributes retained = space::encode(store::space::RetentionRules{1, 1 << 20, std::chrono::seconds(60)});
    retained["variable"] = "T";
    const auto reduction =
        store::reducing::Reduction::make("max", put.block.dtype, Box::whole(put.block.box.count), {{0}}).value();
    const std::vector<store::BlockRef> refs{put.ref};
    const Box whole = Box::whole(put.block.box.count);
    const std::vector<store::Piece> pieces{{0, &put.block, {whole, Selection(whole)}}};
    write(directory, "told",
          cat({
              said(request::open, {}),
              said(request::find, space::encode(wanted)),
              said(request::reserve, space::encode(put)),
              said(request::own, {}),
              said(request::put, space::encode(put)),
              said(request::reserve, space::encode(other)),
              said(request::put, space::encode(other)),
              said(request::stores, {{"stores", List{0}}}),
              said(request::reduce, space::encode(reduction, refs, pieces)),
              said(request::list, {}),
              said(request::versions, {{"variable", "T"}}),
              said(request::retain, retained),
              said(request::cancel, {}),
              said(request::release, {}),
              said(request::remove, space::encode(wanted)),
              said(request::remove_container, {{"path", "run7"}}),
              said(request::describe, {}),
          }));
    const std::vector<space::Parcel> parcels{{put}, {other}};
    const Attributes many = space::encode(parcels);
    Attributes in_one_step = space::encode(other);
    in_one_step.merge(Attributes{{"type", request::put}, {"space", "campaign"}, {"id", 1}});
    write(directory, "many",
          cat({
              said(request::open, {}),
              said(request::reserve_many, {{"sizes", List{put.block.data_bytes(), other.block.data_bytes()}}}),
              said(request::put_many, many),
              said(request::find, {{"variable", "T"}, {"version", Value()}, {"after", 0}}),
              said(request::find, space::encode(boxes)),
              said(request::find_many, space::encode(std::vector{wanted, store::space::Wanted{"U"}})),
              sized(base::to_cbor(in_one_step)),
              said(request::reserve_many, {{"sizes", List{1, 2, 3}}}),
              said(request::give_back, {}),
          }));
    std::vector<std::byte> table;
    const Part answer = said("", space::encode(found, table));
    write(directory, "answered", cat({answer, Part(table.begin(), table.end())}));
    const auto of_servers = [&](const char* type, std::int64_t at) {
        Attributes body = space::encode(put);
        body.merge(Attributes{{"process", "lmp"},
                              {"rank of server", 0},
                              {"store", 3},
                              {"at", at},
                              {"home", 0},
                              {"version", 0},
                              {"copy store", 6},
                              {"copy at", 64}});
        body["versions"] = List{7};
        return said(type, body);
    };
    write(directory, "together",
          cat({
              said(request::open, {}),
              of_servers(request::put_elsewhere, 0),
              said(request::find, space::encode(wanted)),
              said(request::remove, space::encode(wanted)),
              of_servers(request::reserve, 0),
              of_servers(request::put, 0),
              of_servers(request::was_put, 0),
              of_servers(request::copied, 0),
              of_servers(request::free_elsewhere, 0),
          }));

    const auto of_thread = [&](int thread, Attributes body) {
        body.merge(Attributes{{"thread", thread}, {"token", thread}, {"holder", std::to_string(thread)}});
        body["ticket"] = thread;
        return body;
    };
    const store::space::LockTable::Wish wish{.variable = "T",
                                             .mode = store::space::LockMode::write,
                                             .box = Box{{0, 0}, {2, 4}},
                                             .lease = std::chrono::seconds(5)};
    put.locks = {1};
    write(directory, "locked",
          cat({
              said(request::open, {}),
              said(request::lock, of_thread(1, space::encode(wish))),
              said(request::lock, of_thread(2, space::encode(wish))),
              said(request::lock, of_thread(3, space::encode(wish))),
              said(request::waited_for, {{"holders", List{"1", "2"}}, {"holder", "1"}}),
              said(request::cancel_lock, of_thread(3, {})),
              said(request::renew, of_thread(1, {})),
              said(request::reserve, space::encode(put)),
              said(request::put, space::encode(put)),
              said(request::unlock, of_thread(1, {})),
              said(request::unlock, of_thread(2, {})),
          }));
}

/// What there is is told, and what then happens to it; and what else servers that go on for each other say.
void write_replicas(const std::string& directory) {
    namespace request = space::request;
    namespace change = server::change;
    std::int64_t number = 0;
    const auto said = [](const char* type, Attributes body) {
        body.merge(Attributes{{"type", type}, {"id", 1}, {"ticket", 1}});
        return sized(base::to_cbor(body));
    };
    const auto told = [&](Attributes of) {
        return said(request::follow, {{"number", ++number}, {"change", std::move(of)}});
    };
    const Part met = said(request::meet, {{"rank", 0}, {"incarnation", "0123456789abcdef"}, {"stores", 1}});
    store::space::Put small;
    small.block = {.variable = "T",
                   .dtype = Dtype::f64,
                   .shape = {4, 4},
                   .box = {{0, 0}, {2, 4}},
                   .unit = "K",
                   .attributes = {{"run", "a12"}}};
    small.version = 7;
    small.by = {.name = "lmp", .rank = 0, .ranks = 2};
    small.id = {"program", 1, 1};
    store::space::Put rest = small;
    rest.block.box.offset = {2, 0};
    store::space::Put large = small;
    large.block.shape = {64, 1024};
    large.block.box = Box::whole(large.block.shape);
    large.ref = {.store = 3, .offset = 4096, .bytes = large.block.data_bytes()};
    large.version = 8;
    store::space::Put both = large;
    both.twin = store::space::BlockPlace{4, 64};
    both.version = 9;
    const server::ToldTwin twin{store::space::place_of(large.ref), {4, 128}};
    const store::space::VersionState state{
        .completion = 1, .is_complete = true, .done = {0, 1}, .unit = "K", .attributes = {{"run", "a12"}}};
    write(directory, "told",
          cat({
              met,
              told({{"kind", change::begin}, {"homes", List{0}}}),
              told(server::change_of({"campaign", "T", {.keep = 2}})),
              told(server::change_of({"campaign", "run", Attributes{{"by", "hand"}}})),
              told(server::change_of("campaign", small, 0)),
              told(server::change_of("campaign", rest, 1)),
              told(server::change_of("campaign", "T", 7, state)),
              told({{"kind", change::all}, {"completions", Attributes{{"campaign", 1}}}}),
              told(server::change_of("campaign", large, 2)),
              told(server::change_of("campaign", "T", 8, twin)),
              told(server::change_of("campaign", both, 3)),
          }));
    write(directory, "removed",
          cat({
              met,
              told({{"kind", change::begin}, {"homes", List{0, 2}}}),
              told(server::change_of("campaign", small, 0)),
              told({{"kind", change::drop}, {"space", "campaign"}, {"variable", "T"}, {"version", 7}}),
              told(server::change_of("campaign", small, 0)),
              told(server::change_of("campaign", store::space::Wanted{.variable = "T"}, {"program", 2, 1})),
          }));
    const Attributes place{{"store", 3}, {"at", 4096}, {"bytes", 524288}, {"there", true}};
    write(directory, "said",
          cat({
              said(request::homes, {}),
              met,
              said(request::followed, {{"number", 1}}),
              said(request::claim, place),
              said(request::claimed, place),
              said(request::copy, place),
              said(request::was_copied, place),
              said(request::hold, {{"places", List{3, 4096, 4, 64}}}),
              said(request::release, {}),
          }));
}

Attributes to_directory(const char* type, const std::string& entry) {
    return {
        {"service", transport::inquiry_service}, {"type", type}, {"kind", "stream"}, {"name", "s"}, {"entry", entry}};
}

enum class Content { strange, smooth, sparse };

float value(std::size_t i, Content content) {
    const float wave = std::sin(0.1F * static_cast<float>(i));
    switch (content) {
        case Content::smooth: return wave;
        case Content::sparse: return i % 16 < 2 ? 1000 * wave : 0;
        case Content::strange: break;
    }
    return i % 7 == 3    ? std::numeric_limits<float>::quiet_NaN()
           : i % 50 == 4 ? std::numeric_limits<float>::infinity()
                         : wave;
}

/// Of a block of the fourth dtype and shape of fuzz_parts.cpp: a payload of its first two rows, and the others.
Part both_kinds_of_parts() {
    std::vector<double> values(6 * 5 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value(i, Content::smooth);
    }
    const auto bytes = std::as_bytes(std::span(values));
    const Part payload = codecs::encode(ArrayView::row_major(values.data(), Dtype::f64, {2, 5, 4}));
    const std::vector<store::StoredPart> parts{{320, std::ssize(payload), true}, {640, 640, false}};
    const store::PartPlaces places = store::places_of(parts);
    Part stored(static_cast<std::size_t>(places.bytes));
    store::write_head(stored.data(), parts);
    std::ranges::copy(payload, stored.begin() + places.places[0]);
    std::ranges::copy(bytes.subspan(320), stored.begin() + places.places[1]);
    return cat({Part{std::byte{3}, std::byte{0}, std::byte{3}}, stored});
}

/// A tile of the first dtype and the last shape of fuzz_tiles.cpp, by the codec of this number.
Part tile(std::size_t codec, double bound, codecs::Mode mode, Content content) {
    std::vector<float> values(64 * 64);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value(i, content);
    }
    transform::Scratch scratch;
    Part coded{std::byte(codec), std::byte{0}, std::byte{6}};
    const auto array = ArrayView::row_major(values.data(), Dtype::f32, {1, 1, 64, 64});
    static_cast<void>(
        transform::known_codecs()[codec].codec->encode(array, {bound, std::nullopt, mode}, scratch, coded));
    return coded;
}

}  // namespace

int main(int arguments, char** argument) {
    const std::string root = arguments > 1 ? argument[1] : "tests/fuzz/corpus";
    for (const char* target : {"frames", "messages"}) {
        const std::string to = root + "/" + target;
        write(to, "greeting", message(greeting));
        write(to, "reader",
              cat({message(greeting), message(join_reader(0, 1, "")), message(to_stream("describe")),
                   message(to_stream("stores", {{"member", 2}, {"first", 0}})),
                   message(to_stream("ready", {{"member", 2}})), message(to_stream("detach", {{"member", 2}})),
                   message({{"service", "s"}, {"type", "leave"}, {"member", 2}})}));
        write(to, "lossy-reader",
              cat({message(join_reader(1, 2, "keep-every-3")), message(to_stream("pause", {{"member", 2}})),
                   message(to_stream("resume", {{"member", 2}})), message(to_stream("follow", {{"member", 2}}))}));
        write(to, "writer", message(to_stream("join-writer", {{"rank", 1}, {"size", 2}, {"group", ""}}), 0x21));
        write(to, "reply",
              cat({message({{"reply", 1}, {"error", 3}, {"message", "late"}}),
                   message({{"refused", 6}, {"message", "full"}})}));
        write(to, "give-up", message({{"service", "s"}, {"type", "give-up"}, {"ticket", 1}}));
        write(to, "fail",
              cat({message(to_stream("fail", {{"member", 1}, {"reason", "out of fuel"}})),
                   message(to_stream("awaits", {{"member", 1}}))}));
    }
    stream::Joined joined;
    joined.writers = 2;
    joined.writer_of = {{"p", "h", 1}, {"p", "h", 2}};
    write(root + "/frames", "joined", message(stream::encode(joined)));
    joined.server = "harbour";
    joined.depots = {"", "the contact of another server"};
    joined.depot_service = "depot of s, 1 at a server";
    const Attributes depot{{"service", "/streams"}, {"depot", joined.depot_service}, {"place", 4096}};
    const auto to_depot = [&](const char* type, Attributes more = {}) {
        more.merge(Attributes(depot));
        more["type"] = type;
        return message(more);
    };
    write(root + "/frames", "joined-at-servers", message(stream::encode(joined)));
    write(root + "/frames", "depot",
          cat({to_depot("found", {{"stream", "s"}, {"store", 8}}),
               to_depot(
                   "take",
                   stream::encode(stream::Consignment{
                       1, "the contact of a rank", {{.offset = 4096, .bytes = 72}, {.bytes = 8}}, blocks_to_fetch()})),
               message(stream::encode(
                   stream::Stowed{4096, 128, {{.encoding = store::Encoding::parts, .offset = 4096, .bytes = 100}}})),
               to_depot("free"), to_depot("shrink"), to_depot("close")}));
    write(root + "/channels", "of-a-writer",
          cat({hot(stream::Hot::record, 7, 80), hot(stream::Hot::abandoned, 8, 0), hot(stream::Hot::finished, 0, 0)}));
    write(root + "/channels", "to-a-writer",
          cat({hot(stream::Hot::fetched, 7, 0), hot(stream::Hot::freed, 7, 0), hot(stream::Hot::at_rest, 8, 0),
               shown(stream::shown_by_director::dropped, 3)}));
    write(root + "/channels", "to-a-reader",
          cat({shown(stream::shown_by_director::passed, 7), hot(stream::Hot::end, 0, 0)}));
    write(root + "/frames", "fabric",
          cat({message(stream::fabric::encode(stream::fabric::Wish{"10.0.0.1", {{"net", "117.0"}}})),
               message(stream::fabric::encode(store::fabric::Terms{{"net", "117.0"}, "", "where", {}, 7})),
               message(stream::fabric::encode(stream::fabric::Bytes{0, 64, 8})),
               message(stream::fabric::encode(transport::fabric::Place{0, 4096, 1, 2}))}));
    const Part raw = transport::encode_frame(greeting, 0).value();
    write(root + "/frames", "in-pieces",
          cat({{std::byte{0}},
               sized(Part(raw.begin(), raw.begin() + 9)),
               {std::byte{0}},
               sized(Part(raw.begin() + 9, raw.end()))}));

    const std::string nonce = transport::to_hex({1, 2, 3});
    write(root + "/challenge", "both",
          cat({sized(base::to_cbor(Attributes{{"id", 1}, {"challenge", nonce}})),
               sized(base::to_cbor(Attributes{{"id", 2}, {"proof", nonce}}))}));
    write(root + "/challenge", "greeting", sized(base::to_cbor(greeting)));

    write(root + "/records", "record", sized(record()));
    write(root + "/records", "table", sized(table()));
    write(root + "/records", "layout", sized(layout()));
    write(root + "/records", "schemas", cat({sized(record()), sized(schema()), sized(schema())}));

    write(root + "/parts", "both", both_kinds_of_parts());
    write(root + "/remote_blocks", "wanted", blocks_wanted());
    write(root + "/remote_blocks", "wanted_coded", blocks_wanted_coded());
    write(root + "/remote_blocks", "given_coded", block_given_coded());
    write(root + "/remote_blocks", "wanted_reduced", blocks_wanted_reduced());
    write(root + "/remote_blocks", "wanted_computed", blocks_wanted_computed());
    write(root + "/remote_blocks", "given", blocks_given());

    const auto expression = [](std::string_view text, std::initializer_list<Dtype> dtypes) {
        const auto bytes = std::as_bytes(std::span(text));
        Part part = sized(Part(bytes.begin(), bytes.end()));
        for (const Dtype dtype : dtypes) {
            part.push_back(static_cast<std::byte>(dtype));
        }
        return part;
    };
    write(root + "/expressions", "all",
          expression("s = sqrt(u**2 + 'v x'**-3) // 1e2 % (i & ~1 << 2) + where(u >= 0.5, 2j, real(i))",
                     {Dtype::f32, Dtype::f64, Dtype::i16}));
    write(root + "/expressions", "mistaken", expression("1 < u < 2 and foo(u, True)[3", {Dtype::c64}));

    const auto condition = [](std::string_view text) {
        const auto bytes = std::as_bytes(std::span(text));
        return sized(Part(bytes.begin(), bytes.end()));
    };
    write(root + "/conditions", "all",
          condition(R"(0.1 < a <= 2e5 and run == 'a12' or not (b != -7 or `c` >= inf) and isnan(d) or "x\"" < run)"));
    write(root + "/conditions", "mistaken", condition("a >> 3 & b = true or not not ((c < nan) and n > .5.6"));
    base::ByteWriter statistics;
    store::space::write(statistics, {6, 1, -0.5, 1e9});
    write(root + "/conditions", "statistics", Part(statistics.bytes().begin(), statistics.bytes().end()));

    for (std::size_t i = 0; i < transform::known_codecs().size(); ++i) {
        const auto& [info, codec, is_loaded] = transform::known_codecs()[i];
        if (codec == nullptr || codec->is_trusting()) {
            continue;
        }
        if (info.lossless) {
            write(root + "/tiles", info.name, tile(i, 0.0, codecs::Mode::fast, Content::strange));
        }
        if (info.lossy) {
            write(root + "/tiles", info.name + "-bounded", tile(i, 0.01, codecs::Mode::fast, Content::strange));
            write(root + "/tiles", info.name + "-dense", tile(i, 0.01, codecs::Mode::dense, Content::strange));
            write(root + "/tiles", info.name + "-smooth", tile(i, 0.0001, codecs::Mode::dense, Content::smooth));
            write(root + "/tiles", info.name + "-sparse", tile(i, 0.001, codecs::Mode::dense, Content::sparse));
        }
    }

    const std::string contact =
        R"({"addresses": ["1.2.3-4.socket", "[::1]:7000"], "boot": "00000001", "format": 3, "host": "h", "kind": "stream", )"
        R"("machine": "m", "name": "s", "pid": 1, "pid_namespace": 1, "program": "p", "start_time": 1, "version": "1"})";
    const auto text = std::as_bytes(std::span(contact));
    write(root + "/contacts", "contact", Part(text.begin(), text.end()));
    const auto to_directory_of = [&](const char* type) { return sized(base::to_cbor(to_directory(type, contact))); };
    write_spaces(root + "/spaces");
    write_replicas(root + "/replicas");
    write_space_log(root + "/space_log");
    write_recordings_zarr(root + "/recordings_zarr");
    write_recordings_hdf5(root + "/recordings_hdf5");
    write(root + "/directory", "told",
          cat({{std::byte{0}},
               to_directory_of("find"),
               to_directory_of("list"),
               to_directory_of("offer"),
               to_directory_of("withdraw")}));
    write(root + "/directory", "found",
          cat({{std::byte{1}, std::byte{0}}, sized(base::to_cbor(Attributes{{"entry", contact}}))}));
    write(root + "/directory", "listed",
          cat({{std::byte{1}, std::byte{128}},
               sized(base::to_cbor(Attributes{{"names", List{"s", "s"}}, {"entries", List{contact, contact}}}))}));
    const std::string note =
        R"({"stream": "s", "pid": 1, "program": "p", "host": "h", "role": "r", "wants": "w", "reason": "why", "on": [1, 2], )"
        R"("held_up": ["s"], "to_write": {"s": 2}, "to_read": {"t": 1}, "absent": "writers", "unread": 3, "failure": "", "since": 1.5, )"
        R"("programs": [{"name": "p", "pid": 1, "start_time": 1, "writes": ["s"], "reads": []}]})";
    const auto note_bytes = std::as_bytes(std::span(note));
    write(root + "/contacts", "note", Part(note_bytes.begin(), note_bytes.end()));
    write(root + "/contacts", "cbor", base::to_cbor(Attributes{{"a", List{1, 0.5, nullptr, true, "text"}}}));
    return 0;
}
