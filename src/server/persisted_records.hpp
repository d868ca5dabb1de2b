// What the records of a server's log describe, as bytes: docs/formats/space_log.md.
//
// Of blocks there may be millions to be read before a server answers anybody: packed numbers and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/space/catalog.hpp"
#include "store/space/retention.hpp"

namespace staithe::server {

/// The record's bytes are the block's; where they lie is another matter.
struct PersistedBlock {
    std::string space;
    store::space::Put put;
};

/// The last one counts.
struct PersistedRules {
    std::string space;
    std::string variable;
    store::space::RetentionRules rules;
};

/// All that a container, or a variable, has; the last one counts.
struct PersistedAttributes {
    std::string space;
    std::string path;
    Attributes attributes;
};

std::vector<std::byte> encode_block(const std::string& space, const store::space::Put& put);
std::vector<std::byte> encode(const PersistedRules& rules);
std::vector<std::byte> encode(const PersistedAttributes& attributes);

/// Records with the same key belong together: blocks of a version, and what is said of the same.
std::uint64_t key_of_version(const std::string& space, const std::string& variable, std::int64_t version);
std::uint64_t key_of(const PersistedRules& rules);
std::uint64_t key_of(const PersistedAttributes& attributes);

using PersistedRecord = std::variant<PersistedBlock, PersistedRules, PersistedAttributes>;
/// `protocol` if it is none of them.
base::Result<PersistedRecord> decode_record(std::span<const std::byte> description);

}  // namespace staithe::server
