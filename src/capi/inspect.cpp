// Looking at streams and servers from outside.
#include <staithe/inspect.hpp>
#include <staithe/server.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

extern "C" {

staithe_status staithe_stream_names(staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{staithe::stream_names()};
    });
}

staithe_status staithe_describe(const char* stream, double timeout, char** json) {
    return guard([&] {
        char*& result = emptied(json, "json");
        const std::string& name = &given(stream, "stream");
        const auto seconds = given_number(timeout);
        result = new_text(to_json(seconds ? staithe::describe(name, *seconds) : staithe::describe(name), 2));
    });
}

staithe_status staithe_server_names(staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        result = new staithe_names{staithe::server_names()};
    });
}

staithe_status staithe_describe_server(const char* server, double timeout, char** json) {
    return guard([&] {
        char*& result = emptied(json, "json");
        const std::string& name = &given(server, "server");
        const auto seconds = given_number(timeout);
        result =
            new_text(to_json(seconds ? staithe::describe_server(name, *seconds) : staithe::describe_server(name), 2));
    });
}
}
