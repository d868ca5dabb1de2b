#include "stream/reading/derived/definitions.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace staithe::stream {
namespace {

/// A ';' in quotes belongs to a name.
std::vector<std::string_view> single_definitions(std::string_view text) {
    std::vector<std::string_view> found;
    char quote = '\0';
    std::size_t first = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ';' && quote == '\0')) {
            const std::string_view one = text.substr(first, i - first);
            if (one.find_first_not_of(" \t\r\n") != std::string_view::npos) {
                found.push_back(one);
            }
            first = i + 1;
        } else if (quote != '\0') {
            quote = text[i] == quote ? '\0' : quote;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        }
    }
    return found;
}

}  // namespace

base::Result<Definitions> Definitions::parse(const std::vector<std::string>& texts) {
    Definitions definitions;
    for (const std::string& text : texts) {
        for (const std::string_view one : single_definitions(text)) {
            auto expression = definitions.expression(one);
            if (!expression) {
                return base::fail(std::move(expression));
            }
            if (!expression->is_named()) {
                return base::fail(ErrorCode::invalid_argument, "the definition '{}' has no name: write 'name = {}'",
                                  base::printable(expression->text()), base::printable(expression->text()));
            }
            std::erase_if(definitions.all_, [&](const Expression& each) { return each.name() == expression->name(); });
            definitions.all_.push_back(*std::move(expression));
        }
    }
    return definitions;
}

base::Result<Definitions::Expression> Definitions::expression(std::string_view text) const {
    auto parsed = Expression::parse(text);
    return parsed ? parsed->with(all_) : parsed;
}

const Definitions::Expression* Definitions::find(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &Expression::name);
    return found == all_.end() ? nullptr : &*found;
}

bool Definitions::has(std::string_view name, const Layout& layout) const {
    const auto was_put = [&](std::string_view variable) { return layout.find(variable) != nullptr; };
    const Expression* const defined = find(name);
    return defined != nullptr ? std::ranges::all_of(defined->variables(), was_put) : was_put(name);
}

std::vector<std::string> Definitions::names(const Layout& layout) const {
    std::vector<std::string> names;
    for (const VariableLayout& variable : layout.variables()) {
        names.push_back(variable.description->variable);
    }
    for (const Expression& each : all_) {
        if (layout.find(each.name()) == nullptr) {
            names.push_back(each.name());
        }
    }
    std::erase_if(names, [&](const std::string& name) { return !has(name, layout); });
    return names;
}

}  // namespace staithe::stream
