// Writers: one rank's end of a stream that is written.
#include <staithe/writer.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structures.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_writer_open(const char* stream, const staithe_writer_options* options, staithe_writer** writer) {
    return guard([&] {
        staithe_writer*& result = emptied(writer, "writer");
        result = new staithe_writer{staithe::Writer(&given(stream, "stream"), writer_options_of(options))};
    });
}

staithe_status staithe_writer_close(staithe_writer* writer) {
    return guard([&] { given(writer, "writer").writer.close(); });
}

staithe_status staithe_writer_fail(staithe_writer* writer, const char* reason) {
    return guard([&] { given(writer, "writer").writer.fail(&given(reason, "reason")); });
}

void staithe_writer_free(staithe_writer** writer) { free_handle(writer); }

staithe_status staithe_writer_name(const staithe_writer* writer, const char** name) {
    return guard([&] {
        const char*& result = emptied(name, "name");
        result = given(writer, "writer").writer.name().c_str();
    });
}

staithe_status staithe_writer_group(const staithe_writer* writer, staithe_group* group) {
    return guard([&] { given(group, "group") = to_c(given(writer, "writer").writer.group()); });
}

staithe_status staithe_writer_placement(const staithe_writer* writer, const char** placement) {
    return guard([&] {
        const char*& result = emptied(placement, "placement");
        result = given(writer, "writer").writer.placement().c_str();
    });
}

staithe_status staithe_writer_get_statistics(const staithe_writer* writer, staithe_writer_statistics* statistics,
                                             size_t struct_size) {
    return guard([&] {
        const staithe::WriterStatistics now = given(writer, "writer").writer.statistics();
        fill(&given(statistics, "statistics"), struct_size,
             staithe_writer_statistics{now.steps, now.bytes, now.stall_seconds, now.pool_bytes, now.dropped,
                                       now.spilled_steps, now.spilled_bytes, now.unread, now.compressed_steps,
                                       now.compressed_bytes});
    });
}

staithe_status staithe_writer_next_step(const staithe_writer* writer, int64_t* number) {
    return guard([&] { given(number, "number") = given(writer, "writer").writer.next_step(); });
}

staithe_status staithe_writer_begin_step(staithe_writer* writer, double timeout, staithe_write_step** step) {
    return guard([&] {
        staithe_write_step*& result = emptied(step, "step");
        result = new staithe_write_step{given(writer, "writer").writer.begin_step(given_number(timeout))};
    });
}
}
