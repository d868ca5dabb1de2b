// A file of what outlived a server: as it lies, or records with checksums that are right, so that mutations reach what
// lies behind these. A server starts with it, twice: what it has found once it finds again.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <staithe/limits.hpp>

#include "fuzz/bytes.hpp"
#include "server/reception.hpp"
#include "store/log/log_folder.hpp"

using namespace staithe;
using store::log::Entry;
using store::log::LogFolder;
using store::log::RecordKind;

namespace {

void write_as_it_lies(const std::string& folder, fuzz::Bytes input) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/log.000001", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
}

/// A byte for the kind and the key of each; a description and bytes, or as bytes places. They are written together, as
/// each write waits for the disk, which may take milliseconds.
void write_records(const std::string& folder, fuzz::Bytes input) {
    std::vector<Entry> entries;
    std::uint64_t place = 0;
    while (!input.empty()) {
        Entry& entry = entries.emplace_back();
        const auto first = fuzz::take_byte(input);
        const auto part = fuzz::take_part(input);
        entry.key = first / 2;
        if (first % 2 == 0) {
            entry.place = ++place;
            entry.description.assign(part.begin(), part.end());
            entry.bytes = fuzz::take_part(input);
        } else {
            entry.kind = RecordKind::killed;
            for (const std::byte each : part) {
                entry.places.push_back(std::to_integer<std::uint64_t>(each));
            }
        }
    }
    LogFolder::open(folder).value().write(entries);
}

Attributes spaces_of_a_server(const std::string& folder) {
    const auto reception = std::make_shared<server::Reception>(space::Member{"staithe"});
    const bool starts = bool(reception->keep_in(folder, std::nullopt));
    Attributes description = reception->describe();
    reception->end();
    return starts ? *description.at("spaces").as_map() : Attributes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    set_limits({.memory = std::int64_t{1} << 20});
    static const std::string folder = fuzz::directory_of_its_own() + "/log";
    std::filesystem::remove_all(folder);
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    if (fuzz::take_byte(input) % 2 == 0) {
        write_as_it_lies(folder, input);
    } else {
        write_records(folder, input);
    }
    const Attributes spaces = spaces_of_a_server(folder);
    fuzz::require(spaces_of_a_server(folder) == spaces, "what was found once is found again");
    return 0;
}
