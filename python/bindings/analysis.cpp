#include "analysis.hpp"

#include <utility>

#include "reading.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

struct Release {
    StepObject& step;
    ~Release() { step.release(); }
};

class InlineAnalysis final : public Analysis {
  public:
    InlineAnalysis(nb::object analysis, std::string stream)
        : analysis_(std::move(analysis)), stream_(std::move(stream)) {}
    InlineAnalysis(const InlineAnalysis&) = delete;
    InlineAnalysis& operator=(const InlineAnalysis&) = delete;
    ~InlineAnalysis() override {
        if (Py_IsInitialized() == 0) {
            analysis_.release();  // NOLINT(bugprone-unused-return-value): Python went first
            return;
        }
        const nb::gil_scoped_acquire acquired;
        analysis_.reset();
    }

    void start(const Group& group, const Attributes& attributes) override {
        const nb::gil_scoped_acquire acquired;
        origin_ = std::make_shared<const Origin>(Origin{stream_, group});
        analysis_.attr("start")(nb::module_::import_("staithe.group").attr("Group")(group.rank, group.size),
                                read_only(attributes));
    }

    void step(const ReadStep& step) override {
        const nb::gil_scoped_acquire acquired;
        const nb::object object = nb::cast(StepObject(origin_, step));
        const Release release{nb::cast<StepObject&>(object)};  // even if a traceback keeps the object
        analysis_.attr("step")(object);
    }

    void finish() override {
        const nb::gil_scoped_acquire acquired;
        analysis_.attr("finish")();
    }

  private:
    nb::object analysis_;
    std::string stream_;
    std::shared_ptr<const Origin> origin_;
};

}  // namespace

std::shared_ptr<Analysis> inline_analysis(nb::object analysis, const std::string& stream) {
    return std::make_shared<InlineAnalysis>(std::move(analysis), stream);
}

}  // namespace staithe::python
