#include "space_calls.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <variant>

#include "numpy.hpp"
#include "selection.hpp"
#include "space_batches.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// What became of a call.
class SpaceResult {
  public:
    SpaceResult(std::int64_t number, std::future<SpaceArray> array) : number_(number), result_(std::move(array)) {}
    SpaceResult(std::int64_t number, std::future<std::int64_t> version)
        : number_(number), result_(std::move(version)) {}

    [[nodiscard]] std::int64_t number() const { return number_; }
    /// Once.
    nb::object take() {
        if (auto* const version = std::get_if<std::future<std::int64_t>>(&result_)) {
            return nb::cast(version->get());
        }
        SpaceArray array = std::get<std::future<SpaceArray>>(result_).get();
        return wrap(array.view.array, std::move(array.view.owner));
    }

  private:
    std::int64_t number_;
    std::variant<std::future<SpaceArray>, std::future<std::int64_t>> result_;
};

/// Where threads of the library, which know nothing of Python, leave what became of calls.
class SpaceResults {
  public:
    template <class T>
    SpaceDone<T> done(std::int64_t number) {
        return [state = state_, number](std::future<T> result) {
            const std::lock_guard lock(state->mutex);
            state->results.push_back(std::make_unique<SpaceResult>(number, std::move(result)));
            state->changed.notify_all();
        };
    }
    std::unique_ptr<SpaceResult> next() {
        std::unique_lock lock(state_->mutex);
        state_->changed.wait(lock, [this] { return !state_->results.empty(); });
        auto result = std::move(state_->results.front());
        state_->results.pop_front();
        stops_.erase(result->number());
        return result;
    }
    std::stop_token stop_of(std::int64_t number) {
        const std::lock_guard lock(state_->mutex);
        return stops_[number].get_token();
    }
    void cancel(std::int64_t number) {
        std::optional<std::stop_source> stop;
        {
            const std::lock_guard lock(state_->mutex);
            if (const auto found = stops_.find(number); found != stops_.end()) {
                stop = found->second;
            }
        }
        if (stop) {
            stop->request_stop();
        }
    }
    void forget(std::int64_t number) {
        const std::lock_guard lock(state_->mutex);
        stops_.erase(number);
    }

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::unique_ptr<SpaceResult>> results;
    };
    const std::shared_ptr<State> state_ = std::make_shared<State>();
    std::map<std::int64_t, std::stop_source> stops_;  // of gets under way
};

/// A block that is put without waiting, and what it is put of.
nb::object put_async(Space& space, SpaceResults& results, std::int64_t number, const std::string& variable,
                     nb::handle array, nb::handle offset, nb::handle shape, std::optional<std::int64_t> version,
                     std::string unit, nb::handle attributes, bool complete, std::optional<bool> overlap,
                     bool persist) {
    InputArray input = input_array(array, {&variable});
    const SpacePut options =
        what_is_said(offset, shape, version, std::move(unit), attributes, complete, overlap, persist);
    without_gil([&] { space.put_async(variable, input.view, options, results.done<std::int64_t>(number)); });
    return std::move(input.owner);
}

void get_async(const Space& space, SpaceResults& results, std::int64_t number, const std::string& variable,
               std::optional<std::int64_t> version, nb::handle box, std::optional<double> timeout) {
    const SpaceGet options = what_to_get(version, box, timeout);
    without_gil([&] {
        try {
            space.get_async(variable, options, results.done<SpaceArray>(number), results.stop_of(number));
        } catch (...) {
            results.forget(number);
            throw;
        }
    });
}

}  // namespace

void bind_space_calls(nb::module_& module, nb::class_<Space>& space) {
    nb::class_<SpaceResult>(module, "SpaceResult", "What became of a call that nobody waited for.")
        .def_prop_ro("number", &SpaceResult::number, "Its number.")
        .def("take", &SpaceResult::take, nb::sig("def take(self) -> typing.Any"), "What it gives, or raises; once.");
    nb::class_<SpaceResults>(module, "SpaceResults", "Of all such calls, as staithe.space_futures hands them out.")
        .def(nb::init<>())
        .def(
            "next", [](SpaceResults& self) { return without_gil([&] { return self.next(); }); }, "Waits for one.")
        .def(
            "cancel", [](SpaceResults& self, std::int64_t number) { without_gil([&] { self.cancel(number); }); },
            "number"_a, "Ends the wait of one.");
    space
        .def("put_async", &put_async, "results"_a, "number"_a, "name"_a, "array"_a, nb::kw_only(), "offset"_a.none(),
             "shape"_a.none(), "version"_a.none(), "unit"_a, "attributes"_a.none(), "complete"_a, "overlap"_a.none(),
             "persist"_a = false, "Puts a block; what it returns has to be kept until that is done.")
        .def("get_async", &get_async, "results"_a, "number"_a, "name"_a, nb::kw_only(), "version"_a.none(),
             "box"_a.none(), "timeout"_a.none(), "Gets an array.");
}

}  // namespace staithe::python
