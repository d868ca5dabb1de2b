#include "format/hdf5/image.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "format/hdf5/checksum.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

constexpr std::string_view superblock_signature = "\x89HDF\r\n\x1a\n";
constexpr std::uint8_t superblock_version = 2;
constexpr std::uint8_t size_of_numbers = 8;
/// Where others have a block of their own first: the superblock is here, or twice as far, and so on up to there.
constexpr std::int64_t first_after_others = 512;
constexpr std::int64_t last_after_others = 1 << 20;
/// Of metadata that are read at once.
constexpr std::uint64_t most_read = std::uint64_t{256} << 20;

bool begins_with_signature(std::span<const std::byte> bytes) {
    const auto expected = std::as_bytes(std::span(superblock_signature));
    return bytes.size() >= expected.size() && std::ranges::equal(bytes.first(expected.size()), expected);
}

}  // namespace

base::Result<> write_superblock(const os::FileDescriptor& file, const Superblock& superblock) {
    base::ByteWriter out;
    out.raw(superblock_signature);
    out.number(superblock_version);
    out.number(size_of_numbers);  // of an address
    out.number(size_of_numbers);  // of a length
    out.number(std::uint8_t{0});  // nobody has it open in a way that others have to know of
    out.number(Address{0});       // addresses count from here
    out.number(nowhere);          // of an extension
    out.number(superblock.end);
    out.number(superblock.root);
    out.number(checksum(out.bytes()));
    return os::write_at(file, 0, out.bytes());
}

base::Result<bool> has_superblock(const os::FileDescriptor& file) {
    constexpr std::int64_t most_begun = last_after_others;  // a writer that is killed early leaves no more
    std::array<std::byte, Superblock::bytes> bytes{};
    const auto is_zero = [](std::byte each) { return each == std::byte{}; };
    for (std::int64_t at = 0; at <= most_begun; at = at == 0 ? first_after_others : 2 * at) {
        const auto had = os::read_at(file, at, bytes);
        if (!had) {
            return fail(had);
        }
        const auto part = std::span(bytes).first(*had);
        if (at == 0 ? !std::ranges::all_of(part, is_zero)
                    : begins_with_signature(part) || (at == most_begun && !part.empty())) {
            return true;
        }
    }
    return false;
}

namespace {

/// Versions 0 and 1, of HDF5 before 1.8, and of later ones unless they are told otherwise.
base::Result<Superblock> read_old_superblock(std::span<const std::byte> bytes, int version) {
    constexpr std::uint16_t half_of_children = 32;
    base::ByteReader in(bytes);
    in.raw(superblock_signature.size() + 5);
    const auto address_size = in.number<std::uint8_t>(), length_size = in.number<std::uint8_t>();
    in.raw(9);
    const auto of_chunks = version == 0 ? half_of_children : in.number<std::uint16_t>();
    in.raw(version == 0 ? 0 : 2);
    const auto base = in.number<Address>();
    in.raw(sizeof(Address));
    Superblock superblock;
    superblock.end = in.number<Address>();
    in.raw(2 * sizeof(Address));
    superblock.root = in.number<Address>();
    return in.ok() && address_size == size_of_numbers && length_size == size_of_numbers && base == 0 &&
                   of_chunks == half_of_children
               ? base::Result<Superblock>(superblock)
               : fail(ErrorCode::protocol,
                      "its superblock is of a kind that this version does not read: write it anew for "
                      "HDF5 1.8, as h5py.File(…, libver=('earliest', 'v108')) does");
}

base::Result<Superblock> read_new_superblock(std::span<const std::byte> all) {
    const auto bytes = all.first(std::min(all.size(), Superblock::bytes));
    base::ByteReader in(bytes);
    in.raw(superblock_signature.size() + 1);
    const auto address_size = in.number<std::uint8_t>(), length_size = in.number<std::uint8_t>();
    const auto flags = in.number<std::uint8_t>();
    const auto base = in.number<Address>();
    static_cast<void>(in.number<Address>());
    Superblock superblock;
    superblock.end = in.number<Address>();
    superblock.root = in.number<Address>();
    if (bytes.size() < Superblock::bytes || address_size != size_of_numbers || length_size != size_of_numbers ||
        base != 0) {
        return fail(ErrorCode::protocol, "its superblock is of a kind that this version does not read");
    }
    if (in.number<std::uint32_t>() != checksum(bytes.first(bytes.size() - sizeof(std::uint32_t)))) {
        return fail(ErrorCode::protocol, "its superblock is damaged");
    }
    if (flags != 0) {
        return fail(ErrorCode::protocol,
                    "a program has it open to write, or was killed while it had: then 'h5clear --status' lets others "
                    "have it");
    }
    return superblock;
}

/// Programs such as MATLAB have something of their own before it.
std::optional<std::int64_t> bytes_before_superblock(const os::FileDescriptor& file) {
    for (std::int64_t before = first_after_others; before <= last_after_others; before *= 2) {
        std::array<std::byte, superblock_signature.size()> there{};
        if (os::read_at(file, before, there) && begins_with_signature(there)) {
            return before;
        }
    }
    return std::nullopt;
}

}  // namespace

base::Result<Superblock> read_superblock(const os::FileDescriptor& file) {
    constexpr std::size_t most_bytes = 128;
    std::array<std::byte, most_bytes> bytes{};
    const auto had = os::read_at(file, 0, bytes);
    if (!had) {
        return fail(had);
    }
    const auto there = std::span<const std::byte>(bytes).first(*had);
    if (!begins_with_signature(there)) {
        const auto before = bytes_before_superblock(file);
        return before ? fail(ErrorCode::protocol,
                             "its first {} bytes are a user block, which this version does not read: 'h5unjam --delete "
                             "-i FILE -o OTHER' takes it off",
                             *before)
                      : fail(ErrorCode::protocol, "it is no HDF5 file");
    }
    base::ByteReader in(there.subspan(superblock_signature.size()));
    // Version 3 differs by flags alone, of which none may be set.
    const auto of_version = in.number<std::uint8_t>();
    auto superblock = of_version < superblock_version        ? read_old_superblock(there, of_version)
                      : of_version <= superblock_version + 1 ? read_new_superblock(there)
                                                             : fail(ErrorCode::protocol,
                                                                    "it is an HDF5 file, but its superblock is of "
                                                                    "another version");
    if (!superblock) {
        return superblock;
    }
    std::byte last{};
    const auto is_there = superblock->end >= Superblock::bytes && superblock->end <= static_cast<Address>(INT64_MAX)
                              ? os::read_at(file, static_cast<std::int64_t>(superblock->end) - 1, std::span(&last, 1))
                              : base::Result<std::size_t>(0);
    if (!is_there || *is_there == 0) {
        return is_there ? fail(ErrorCode::protocol, "it ends before its superblock says so") : fail(is_there);
    }
    return superblock;
}

base::Result<> Image::read(Address address, std::span<std::byte> destination) const {
    const auto had = has(address, destination.size())
                         ? os::read_at(*file_, static_cast<std::int64_t>(address), destination)
                         : base::Result<std::size_t>(0);
    if (!had) {
        return fail(had);
    }
    return *had == destination.size() ? base::Result<>()
                                      : fail(ErrorCode::protocol, "the file has no {} bytes at {}: it ends too soon",
                                             destination.size(), address);
}

base::Result<std::vector<std::byte>> Image::read(Address address, std::uint64_t bytes) const {
    if (bytes > most_read || !has(address, bytes)) {
        return fail(ErrorCode::protocol, "the file has no {} bytes of metadata at {}", bytes, address);
    }
    std::vector<std::byte> result(bytes);
    if (auto done = read(address, result); !done) {
        return fail(std::move(done));
    }
    return result;
}

bool take_signature(base::ByteReader& in, std::string_view signature) {
    return std::ranges::equal(in.raw(signature.size()), std::as_bytes(std::span(signature)));
}

std::uint64_t take_integer(base::ByteReader& in, std::size_t bytes) {
    std::uint64_t number = 0;
    const auto raw = in.raw(bytes);
    for (std::size_t i = 0; i < std::min(raw.size(), sizeof(number)); ++i) {
        number |= std::to_integer<std::uint64_t>(raw[i]) << 8 * i;
    }
    return number;
}

std::size_t bytes_for(std::uint64_t most) { return (static_cast<std::size_t>(std::bit_width(most | 1U)) - 1) / 8 + 1; }

Address Tail::add(std::span<const std::byte> block) {
    const Address address = next();
    bytes_.insert(bytes_.end(), block.begin(), block.end());
    bytes_.resize(aligned(bytes_.size()));
    return address;
}

}  // namespace staithe::format::hdf5
