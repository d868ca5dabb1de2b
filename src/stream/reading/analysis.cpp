// The public edge of analyses.
#include <staithe/analysis.hpp>
#include <staithe/reader.hpp>

namespace staithe {

void Analysis::start(const Group& /*group*/, const Attributes& /*attributes*/) {}
void Analysis::finish() {}

void analyse(Analysis& analysis, const std::string& stream, const ReaderOptions& options) {
    Reader reader(stream, options);
    analysis.start(reader.group(), reader.attributes());
    while (const auto step = reader.next()) {
        analysis.step(*step);
    }
    analysis.finish();
}

}  // namespace staithe
