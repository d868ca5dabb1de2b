// Readers, and the steps that they give.
#include <staithe/reader.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structures.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_reader_open(const char* stream, const staithe_reader_options* options, staithe_reader** reader) {
    return guard([&] {
        staithe_reader*& result = emptied(reader, "reader");
        result = new staithe_reader{staithe::Reader(&given(stream, "stream"), reader_options_of(options))};
    });
}

staithe_status staithe_reader_close(staithe_reader* reader) {
    return guard([&] { given(reader, "reader").reader.close(); });
}

void staithe_reader_free(staithe_reader** reader) { free_handle(reader); }

staithe_status staithe_reader_name(const staithe_reader* reader, const char** name) {
    return guard([&] {
        const char*& result = emptied(name, "name");
        result = given(reader, "reader").reader.name().c_str();
    });
}

staithe_status staithe_reader_group(const staithe_reader* reader, staithe_group* group) {
    return guard([&] { given(group, "group") = to_c(given(reader, "reader").reader.group()); });
}

staithe_status staithe_reader_writers(const staithe_reader* reader, int32_t* writers) {
    return guard([&] { given(writers, "writers") = given(reader, "reader").reader.writers(); });
}

staithe_status staithe_reader_attributes(const staithe_reader* reader, staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{given(reader, "reader").reader.attributes()};
    });
}

staithe_status staithe_reader_get_statistics(const staithe_reader* reader, staithe_reader_statistics* statistics,
                                             size_t struct_size) {
    return guard([&] {
        const staithe::ReaderStatistics now = given(reader, "reader").reader.statistics();
        fill(&given(statistics, "statistics"), struct_size,
             staithe_reader_statistics{now.steps, now.pinned, now.wait_seconds, now.dropped});
    });
}

staithe_status staithe_reader_next(staithe_reader* reader, double timeout, staithe_read_step** step) {
    return guard([&] {
        staithe_read_step*& result = emptied(step, "step");
        if (auto next = given(reader, "reader").reader.next(given_number(timeout))) {
            result = new staithe_read_step{*std::move(next)};
        }
    });
}

staithe_status staithe_reader_pause(staithe_reader* reader) {
    return guard([&] { given(reader, "reader").reader.pause(); });
}

staithe_status staithe_reader_resume(staithe_reader* reader) {
    return guard([&] { given(reader, "reader").reader.resume(); });
}

staithe_status staithe_reader_follow_latest(staithe_reader* reader) {
    return guard([&] { given(reader, "reader").reader.follow_latest(); });
}

void staithe_read_step_release(staithe_read_step** step) { free_handle(step); }

staithe_status staithe_read_step_index(const staithe_read_step* step, int64_t* index) {
    return guard([&] { given(index, "index") = given(step, "step").step.index(); });
}

staithe_status staithe_read_step_attributes(const staithe_read_step* step, staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes{given(step, "step").step.attributes()};
    });
}

staithe_status staithe_read_step_variables(const staithe_read_step* step, staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{given(step, "step").step.variables()};
    });
}

staithe_status staithe_read_step_variable(const staithe_read_step* step, const char* name,
                                          staithe_variable** variable) {
    return guard([&] {
        staithe_variable*& result = emptied(variable, "variable");
        result = new staithe_variable{given(step, "step").step.variable(&given(name, "name"))};
    });
}

staithe_status staithe_read_step_derive(const staithe_read_step* step, const char* expression,
                                        staithe_variable** variable) {
    return guard([&] {
        staithe_variable*& result = emptied(variable, "variable");
        result = new staithe_variable{given(step, "step").step.derive(&given(expression, "expression"))};
    });
}
}
