// Steps being written, and loans.
#include <staithe/writer.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_write_step_index(const staithe_write_step* step, int64_t* index) {
    return guard([&] { given(index, "index") = given(step, "step").step.index(); });
}

staithe_status staithe_write_step_put(staithe_write_step* step, const char* variable, const void* data,
                                      staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                      const staithe_put_options* options) {
    return guard([&] {
        const auto put = put_of(options, dimensions);
        given(step, "step")
            .step.put(&given(variable, "variable"),
                      array_of(data, dtype_of(dtype), extents_of(count, dimensions, "count"), put.layout), put.options);
    });
}

staithe_status staithe_write_step_loan(staithe_write_step* step, const char* variable, staithe_dtype dtype,
                                       int32_t dimensions, const int64_t* count, const staithe_put_options* options,
                                       staithe_loan** loan) {
    return guard([&] {
        staithe_loan*& result = emptied(loan, "loan");
        auto put = put_of(options, dimensions);
        put.options.column_major = put.layout.column_major;
        result = new staithe_loan{given(step, "step")
                                      .step.loan(&given(variable, "variable"), dtype_of(dtype),
                                                 extents_of(count, dimensions, "count"), put.options)};
    });
}

staithe_status staithe_loan_data(const staithe_loan* loan, void** data) {
    return guard([&] {
        void*& result = emptied(data, "data");
        result = std::visit([](const auto& lent) { return lent.array().data; }, given(loan, "loan").loan);
    });
}

staithe_status staithe_loan_array(const staithe_loan* loan, staithe_array* array) {
    return guard([&] {
        given(array, "array") =
            std::visit([](const auto& lent) { return to_c(lent.array()); }, given(loan, "loan").loan);
    });
}

staithe_status staithe_write_step_publish(staithe_write_step* step, staithe_loan** loan) {
    return guard([&] {
        const auto ending = taken(loan, "loan");
        auto* const lent = std::get_if<staithe::Loan>(&ending->loan);
        if (lent == nullptr) {
            throw staithe::InvalidArgument("a space has lent this loan, not the step: staithe_space_publish puts it");
        }
        given(step, "step").step.publish(std::move(*lent));
    });
}

void staithe_loan_free(staithe_loan** loan) { free_handle(loan); }

staithe_status staithe_write_step_set_attributes(staithe_write_step* step, const staithe_attributes* attributes) {
    return guard([&] {
        staithe::WriteStep& open = given(step, "step").step;
        for (const auto& [name, value] : given(attributes, "attributes").map) {
            open.set_attribute(name, value);
        }
    });
}

staithe_status staithe_write_step_end(staithe_write_step** step) {
    return guard([&] { taken(step, "step")->step.end(); });
}

staithe_status staithe_write_step_abandon(staithe_write_step** step) {
    return guard([&] {
        if (given(step, "step") != nullptr) {
            taken(step, "step")->step.abandon();
        }
    });
}
}
