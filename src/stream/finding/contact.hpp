// Contact files: how a program finds the writer of a stream, on one node or through a shared file system.
//
// `<run directory>/<stream>.contact` is JSON, written atomically while the run directory is locked, and believed only
// while the process that it names lives (pid and start time). One that a dead process left is removed by whoever meets
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

struct Contact {
    std::string stream;
    std::string socket;  // in the run directory
    transport::Peer writer;
    std::uint64_t start_time = 0;
};

/// Letters, digits, '.', '_' and '-': the name is part of a file name.
base::Result<> check_stream_name(const std::string& name);

/// `already_exists` while a live writer has the name.
base::Result<> publish_contact(const std::string& run_directory, const Contact& contact);
void withdraw_contact(const std::string& run_directory, const std::string& stream);

/// Nothing if there is none, or a dead process's.
base::Result<std::optional<Contact>> find_contact(const std::string& run_directory, const std::string& stream);

std::vector<std::string> streams_with_contact(const std::string& run_directory);

}  // namespace staithe::stream
