#include "stream/finding/contact.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "stream/finding/ended_note.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t contact_format = 1;
constexpr std::string_view suffix = ".contact";
constexpr std::size_t longest_name = 128;

std::string path_of(const std::string& run_directory, const std::string& stream) {
    return fmt::format("{}/{}{}", run_directory, stream, suffix);
}

const std::string* text_of(const Attributes& fields, const std::string& name) {
    const Value* value = find(fields, name);
    return value == nullptr ? nullptr : value->as_string();
}

std::optional<std::int64_t> number_of(const Attributes& fields, const std::string& name) {
    const Value* value = find(fields, name);
    return value == nullptr ? std::nullopt : value->as_int();
}

/// Others connect to it: they must not be led to another place by what a contact file says.
bool is_name_of_socket(const std::string& name) {
    return name.ends_with(".socket") && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

base::Result<Contact> parse(const std::string& path, const std::string& content) {
    const auto parsed = base::from_json(content);
    const Attributes* fields = parsed ? parsed->as_map() : nullptr;
    if (fields == nullptr) {
        return base::fail(ErrorCode::protocol, "{} is not a contact file: remove it", path);
    }
    if (number_of(*fields, "format") != contact_format) {
        return base::fail(ErrorCode::protocol,
                          "{} was written by another version of Staithe: use one version on both sides", path);
    }
    const std::string* stream = text_of(*fields, "stream");
    const std::string* socket = text_of(*fields, "socket");
    const std::string* program = text_of(*fields, "program");
    const std::string* host = text_of(*fields, "host");
    const auto pid = number_of(*fields, "pid");
    const auto start = number_of(*fields, "start_time");
    if (stream == nullptr || socket == nullptr || program == nullptr || host == nullptr || !pid || !start ||
        !is_name_of_socket(*socket) || !path.ends_with(path_of("", *stream)) || *pid <= 0 || *pid > INT32_MAX ||
        *start <= 0) {
        return base::fail(ErrorCode::protocol, "{} is not a whole contact file: remove it", path);
    }
    const std::string* version = text_of(*fields, "version");
    return Contact{*stream,
                   *socket,
                   {*program, *host, static_cast<int>(*pid), version == nullptr ? "" : *version},
                   static_cast<std::uint64_t>(*start)};
}

base::Result<std::optional<Contact>> read_contact(const std::string& path) {
    const auto content = os::read_file(path);
    if (!content) {
        return content.error().code == ErrorCode::not_found ? base::Result<std::optional<Contact>>(std::nullopt)
                                                            : base::fail(content);
    }
    return parse(path, *content);
}

/// Nothing if the process that wrote the contact is gone. The directory is locked, so what is removed is what was read.
base::Result<std::optional<Contact>> take_or_remove(const std::string& path) {
    auto contact = read_contact(path);
    if (!contact || !*contact) {
        return contact;
    }
    const auto start_time = os::start_time_of((*contact)->writer.pid);
    if (!start_time) {
        return base::fail(start_time);
    }
    if (*start_time == (*contact)->start_time) {
        return contact;
    }
    os::remove_file(path);
    return std::nullopt;
}

/// The contacts that this program has published and not withdrawn.
class Published {
  public:
    void add(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.insert(path);
    }
    void remove(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.erase(path);
    }
    bool has(const std::string& path) {
        const std::lock_guard lock(mutex_);
        return paths_.contains(path);
    }

  private:
    std::mutex mutex_;
    std::set<std::string> paths_;
};

Published& published_here() {
    static os::OnePerProcess<Published> contacts;
    return contacts.get();
}

/// Whether the live process of a contact is still the program that published it: after exec it has the same pid and
/// start time, but nobody listens for the old one any more.
bool still_writes(const std::string& run_directory, const Contact& contact) {
    if (contact.writer.pid == os::process_id()) {
        return published_here().has(path_of(run_directory, contact.stream));
    }
    const auto knock = os::connect_to(run_directory, contact.socket);
    return knock || knock.error().code != ErrorCode::not_found;
}

base::Result<os::FileDescriptor> lock(const std::string& run_directory,
                                      base::Seconds longest = base::Seconds{5.0}) {  // held for a few small files
    return os::lock_directory(run_directory, base::Deadline(longest));
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Whether a file is named after a process that is gone, which made it: a socket, `<pid>.<start time>.socket`; a
/// waiting note, `<stream>.<pid>.<number>.waiting`; the draft of any file, `<file>.<pid>.<number>.new`.
bool is_of_dead_process(std::string_view file) {
    const auto last_part = [&file]() -> std::string_view {
        const auto dot = file.rfind('.');
        const std::string_view part = dot == std::string_view::npos ? file : file.substr(dot + 1);
        file = dot == std::string_view::npos ? std::string_view() : file.substr(0, dot);
        return part;
    };
    const std::string_view kind = last_part();
    const auto number = number_in(last_part());
    const auto pid = number_in(last_part());
    const bool is_socket = kind == "socket";
    if (!(is_socket || kind == "new" || kind == "waiting") || !number || !pid || *pid == 0 || *pid > INT32_MAX ||
        file.empty() != is_socket) {
        return false;
    }
    const auto start_time = os::start_time_of(static_cast<int>(*pid));
    return start_time && (*start_time == 0 || (is_socket && *start_time != *number));
}

/// Removes what processes left that died before they had published, or after they had withdrawn, a contact; and notes
/// of long ago.
void sweep(const std::string& run_directory) {
    for (const std::string& file : os::list_directory(run_directory)) {
        if (is_of_dead_process(file) || is_outdated_note(run_directory, file)) {
            os::remove_file(run_directory + "/" + file);
        }
    }
}

}  // namespace

base::Result<> check_stream_name(const std::string& name) {
    const auto allowed = [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-';
    };
    if (name.empty() || name.size() > longest_name || name.front() == '.' ||
        !std::all_of(name.begin(), name.end(), allowed)) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' is no stream name: use 1 to {} letters, digits, '.', '_' and '-', not '.' first", name,
                          longest_name);
    }
    return {};
}

base::Result<> publish_contact(const std::string& run_directory, const Contact& contact) {
    const std::string content = base::to_json(Attributes{{"format", contact_format},
                                                         {"stream", contact.stream},
                                                         {"socket", contact.socket},
                                                         {"program", contact.writer.program},
                                                         {"host", contact.writer.host},
                                                         {"pid", contact.writer.pid},
                                                         {"version", contact.writer.version},
                                                         {"start_time", contact.start_time}},
                                              2);
    const std::string path = path_of(run_directory, contact.stream);
    const auto locked = lock(run_directory);
    if (!locked) {
        return base::fail(locked);
    }
    sweep(run_directory);
    const auto owner = take_or_remove(path);
    if (!owner) {
        return base::fail(owner);
    }
    if (*owner && still_writes(run_directory, **owner)) {
        return base::fail(ErrorCode::already_exists,
                          "stream '{}' is being written by {}: wait for it to end, stop it, or choose another name",
                          contact.stream, transport::to_string((*owner)->writer));
    }
    auto written = os::write_atomically(path, content + "\n");
    if (written) {
        remove_ended_note(run_directory, contact.stream);
        published_here().add(path);
    }
    return written;
}

void withdraw_contact(const std::string& run_directory, const std::string& stream) {
    const std::string path = path_of(run_directory, stream);
    os::remove_file(path);
    published_here().remove(path);
}

base::Result<std::optional<Contact>> find_contact(const std::string& run_directory, const std::string& stream) {
    const std::string path = path_of(run_directory, stream);
    auto contact = read_contact(path);
    if (!contact || !*contact) {
        return contact;
    }
    const auto start_time = os::start_time_of((*contact)->writer.pid);
    if (start_time && *start_time == (*contact)->start_time) {
        return contact;  // the usual case needs no lock
    }
    const auto locked = lock(run_directory);
    if (!locked) {
        return base::fail(locked);
    }
    sweep(run_directory);  // its socket, too
    return take_or_remove(path);
}

std::vector<std::string> streams_with_contact(const std::string& run_directory) {
    // If somebody else holds the lock, what was left can lie there a little longer.
    if (const auto locked = lock(run_directory, base::Seconds{0.0})) {
        sweep(run_directory);
    }
    std::vector<std::string> names;
    for (const std::string& file : os::list_directory(run_directory)) {
        if (file.ends_with(suffix)) {
            names.push_back(file.substr(0, file.size() - suffix.size()));
        }
    }
    return names;
}

}  // namespace staithe::stream
