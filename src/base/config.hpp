// What the environment says: the one place that reads STAITHE_* variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/limits.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"

namespace staithe::base {

/// The value of an environment variable; nothing if it is unset or empty.
std::optional<std::string> environment(const char* name);

/// STAITHE_TIMEOUT, in seconds, or "inf"; nothing when unset.
Result<std::optional<double>> timeout_of_environment();

/// Where this user's contact files and sockets lie: STAITHE_RUN_DIR, $XDG_RUNTIME_DIR/staithe, or
/// /tmp/staithe-<uid>.
std::string run_directory(unsigned uid);

/// STAITHE_PROGRAM, or `fallback`: the name under which this program is shown to others.
std::string program_name(const std::string& fallback);

/// What STAITHE_STREAMS (a JSON map of maps) says of one stream; empty when it says nothing.
Result<Attributes> stream_settings(const std::string& stream);

/// STAITHE_OPENS (a JSON map of maps): the streams that `staithe run` has launched this program to open, with the
/// number of its ranks; `purpose` is "writes" or "reads". What is no such map says nothing.
std::map<std::string, int> streams_to_open(const std::string& purpose);

/// What STAITHE_LIMITS (a JSON map) says; nothing is set in it when it says nothing.
Result<Limits> limits_of_environment();

/// STAITHE_KEY_FILE: the key that this process shares with other users' processes.
std::optional<std::string> key_file();

/// STAITHE_LISTEN: where this process listens for those of other hosts, such as "0.0.0.0:7700", or "off".
std::optional<std::string> place_to_listen();

/// STAITHE_ADDRESS: where processes listen that know of streams, such as "node7:7700,node8:7700".
std::optional<std::string> addresses_to_ask();

/// STAITHE_DEVICES: where devices of other hosts listen that encode for this process, such as "dpu3:7800".
std::optional<std::string> devices_to_ask();

/// STAITHE_FABRIC: a provider of libfabric, "off", or "auto", which it is when unset.
std::string chosen_fabric();

/// STAITHE_CUDA: "on" where a GPU may encode, or "off", which it is when unset.
std::string chosen_cuda();

/// STAITHE_CODEC_PLUGINS: files, separated by colons.
std::vector<std::string> codec_plugins();

/// STAITHE_MODELS: the file in which what was learnt of codecs is kept from run to run.
std::optional<std::string> models_file();

/// "256 MiB", "1.5 GB", "4096", "1e9" → bytes. Decimal and binary units; case does not matter.
Result<std::int64_t> parse_bytes(std::string_view text);

/// 1.5 GB, 12 KB: for messages.
std::string format_bytes(std::int64_t bytes);

}  // namespace staithe::base
