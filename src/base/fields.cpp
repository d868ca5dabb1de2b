#include "base/fields.hpp"

namespace staithe::base {

Result<std::int64_t> integer_field(const Attributes& body, const std::string& name, std::int64_t least,
                                   std::int64_t most) {
    const Value* value = find(body, name);
    const auto number = value == nullptr ? std::nullopt : value->as_int();
    if (!number || *number < least || *number > most) {
        return fail(ErrorCode::protocol, "a message lacks '{}', or it is out of range", name);
    }
    return *number;
}

Result<std::string> text_field(const Attributes& body, const std::string& name) {
    const Value* value = find(body, name);
    if (value == nullptr || value->as_string() == nullptr) {
        return fail(ErrorCode::protocol, "a message lacks '{}'", name);
    }
    return *value->as_string();
}

const List* list_field(const Attributes& body, const std::string& name) {
    const Value* const value = find(body, name);
    return value == nullptr ? nullptr : value->as_list();
}

const Attributes* map_field(const Attributes& body, const std::string& name) {
    const Value* const value = find(body, name);
    return value == nullptr ? nullptr : value->as_map();
}

bool flag_field(const Attributes& body, const std::string& name) {
    const Value* const value = find(body, name);
    return value != nullptr && value->as_bool().value_or(false);
}

}  // namespace staithe::base
