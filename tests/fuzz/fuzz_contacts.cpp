// The files of a run directory, which others may have written, and values as JSON and as CBOR.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "os/process_identity.hpp"
#include "stream/finding/ended_note.hpp"
#include "stream/finding/roster.hpp"
#include "stream/waiting/wait_circles.hpp"
#include "transport/directory/directory.hpp"

using namespace staithe;

namespace {

void read_as_contact(const std::string& content) {
    static const std::string directory = fuzz::directory_of_its_own();
    std::ofstream(directory + "/s.stream.contact", std::ios::trunc) << content;
    const auto entry = transport::Directory(directory).find(transport::Kind::stream, "s");
    if (entry && *entry) {
        fuzz::require((*entry)->socket().find('/') == std::string::npos, "a socket lies in the run directory");
        for (const transport::Address& address : (*entry)->addresses) {
            const auto again = transport::Address::parse(to_string(address));
            fuzz::require(again && *again == address, "an address survives text");
        }
        fuzz::require((*entry)->peer.pid > 0, "a writer is a process");
    }
}

/// Waiting notes, ended notes, the roster of a launcher.
void read_as_note(const std::string& content) {
    static const std::string directory = fuzz::directory_of_its_own();
    static const os::ProcessIdentity process = [] {
        os::ProcessIdentity identity = os::this_process();
        identity.pid = 1;
        return identity;
    }();
    for (const int number : {0, 1}) {
        std::ofstream(fmt::format("{}/s.{}.{}.waiting", directory, number, to_string(process)), std::ios::trunc)
            << content;
    }
    for (const char* file : {"s.ended", "programs.json"}) {
        std::ofstream(directory + "/" + file, std::ios::trunc) << content;
    }
    stream::WaitingNotes notes(directory);
    for (const stream::NotedWait* wait : notes.all()) {
        fuzz::require(wait->who.pid == 1, "a note is of the process that it is named after");
        const auto circle = stream::find_circle(notes, *wait);
        fuzz::require(circle.empty() || circle.front()->id == wait->id, "a circle begins with who looks for it");
        static_cast<void>(stream::describe_circle({wait}));
    }
    if (const auto note = stream::find_ended_note(directory, "s")) {
        fuzz::require(note->writer.pid > 0, "a writer is a process");
    }
    stream::clear_ended_notes(directory, "t");
    static_cast<void>(stream::programs_to_come(directory, "s", stream::Side::writes));
}

/// Whether writing and reading it again must give the same: JSON has no NaN and no infinities.
bool survives_json(const Value& value) {
    if (const auto* number = std::get_if<double>(&value.storage())) {
        return std::isfinite(*number);
    }
    const List* list = value.as_list();
    const Attributes* map = value.as_map();
    return (list == nullptr || std::all_of(list->begin(), list->end(), survives_json)) &&
           (map == nullptr ||
            std::all_of(map->begin(), map->end(), [](const auto& entry) { return survives_json(entry.second); }));
}

void read_as_value(fuzz::Bytes bytes, const std::string& text) {
    if (const auto value = base::from_json(text)) {
        fuzz::require(base::check(*value).has_value(), "what is decoded passes the check");
        const auto again = base::from_cbor(base::to_cbor(*value));
        fuzz::require(again && *again == *value, "a value survives CBOR");
    }
    if (const auto value = base::from_cbor(bytes)) {
        fuzz::require(base::check(*value).has_value(), "what is decoded passes the check");
        if (survives_json(*value)) {
            const auto again = base::from_json(base::to_json(*value));
            fuzz::require(again && *again == *value, "a value survives JSON");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    // What is no map is refused before anything else is looked at, and files are slow.
    if (const auto value = base::from_json(text); value && value->as_map() != nullptr) {
        read_as_contact(text);
        read_as_note(text);
    }
    read_as_value(fuzz::bytes_of(data, size), text);
    return 0;
}
