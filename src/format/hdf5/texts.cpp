#include "format/hdf5/texts.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace staithe::format::hdf5 {
namespace {

using base::fail;

constexpr std::string_view collection_signature = "GCOL";
constexpr std::uint8_t collection_version = 1;
constexpr std::size_t collection_head_bytes = 16;  // of a collection, and of a text in it
/// HDF5 reads no smaller ones.
constexpr std::size_t least_collection_bytes = 4096;

/// Their numbers have 16 bits; to read a text takes all of its collection.
constexpr std::size_t most_in_collection = 16'384;

Address add_collection(std::span<const std::string* const> texts, Tail& tail) {
    std::size_t used = collection_head_bytes;
    for (const std::string* text : texts) {
        used += collection_head_bytes + aligned(text->size());
    }
    const std::size_t bytes = std::max(least_collection_bytes, used + collection_head_bytes);
    base::ByteWriter out;
    out.raw(collection_signature);
    out.number(collection_version);
    out.zeros(3);
    out.number(std::uint64_t{bytes});
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string& text = *texts[i];
        out.number(static_cast<std::uint16_t>(i + 1));
        out.number(std::uint16_t{1});  // refers to it
        out.zeros(4);
        out.number(std::uint64_t{text.size()});
        out.raw(text);
        out.zeros(aligned(text.size()) - text.size());
    }
    out.zeros(8);  // the number 0 has what is free
    out.number(std::uint64_t{bytes - used});
    out.zeros(bytes - used - collection_head_bytes);
    return tail.add(out.bytes());
}

}  // namespace

void TextCollections::add(std::string_view text) {
    if (!text.empty() && !texts_.contains(text)) {
        texts_.emplace(text, texts_.size());
    }
}

void TextCollections::place(Tail& tail) {
    std::vector<const std::string*> in_order(texts_.size());
    for (const auto& [text, place] : texts_) {
        in_order[place] = &text;
    }
    for (std::size_t first = 0; first < in_order.size(); first += most_in_collection) {
        const auto rest = std::span<const std::string* const>(in_order).subspan(first);
        collections_.push_back(add_collection(rest.first(std::min(rest.size(), most_in_collection)), tail));
    }
}

void TextCollections::refer_to(std::string_view bytes, std::size_t elements, base::ByteWriter& out) const {
    const auto found = texts_.find(bytes);
    if (found == texts_.end()) {  // an empty one
        out.zeros(bytes_of_reference);
        return;
    }
    out.number(static_cast<std::uint32_t>(elements));
    out.number(collections_[found->second / most_in_collection]);
    out.number(static_cast<std::uint32_t>(found->second % most_in_collection + 1));
}

base::Result<> TextReader::open(Address collection) {
    if (collection == address_) {
        return {};
    }
    address_ = nowhere;
    texts_.clear();
    const auto head = image_->read(collection, collection_head_bytes);
    if (!head) {
        return fail(head);
    }
    base::ByteReader head_in(*head);
    const bool is_collection = take_signature(head_in, collection_signature);
    head_in.raw(4);
    auto all = is_collection ? image_->read(collection, head_in.number<std::uint64_t>())
                             : fail(ErrorCode::protocol, "at {} there is no collection of texts", collection);
    if (!all) {
        return fail(std::move(all));
    }
    bytes_ = *std::move(all);
    base::ByteReader objects(bytes_);
    for (objects.raw(collection_head_bytes); objects.left() >= collection_head_bytes;) {
        const auto number = objects.number<std::uint16_t>();
        objects.raw(6);
        const auto bytes = objects.number<std::uint64_t>();
        if (number == 0 || bytes > objects.left()) {
            break;
        }
        texts_.emplace(number, objects.raw(bytes));
        objects.raw(std::min<std::size_t>(aligned(bytes) - bytes, objects.left()));
    }
    address_ = collection;
    return {};
}

base::Result<std::string> TextReader::read_list(base::ByteReader& in, std::uint64_t element_bytes) {
    const std::uint64_t length = element_bytes * in.number<std::uint32_t>();
    const auto collection = in.number<Address>();
    const auto number = in.number<std::uint32_t>();
    if (length == 0) {
        return std::string();
    }
    if (auto opened = open(collection); !opened) {
        return fail(std::move(opened));
    }
    const auto found = texts_.find(number);
    if (found == texts_.end() || found->second.size() < length || length > left_) {
        return fail(ErrorCode::protocol, "the collection of texts at {} has no text {}", collection, number);
    }
    left_ -= length;
    return std::string(reinterpret_cast<const char*>(found->second.data()), length);
}

}  // namespace staithe::format::hdf5
