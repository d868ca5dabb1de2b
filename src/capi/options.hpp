// Structures of options as the C++ interface has them. All throw InvalidArgument for what cannot be.
#pragma once

#include <cstdint>

#include <staithe/staithe.h>
#include <staithe/options.hpp>
#include <staithe/recorder.hpp>
#include <staithe/space.hpp>

#include "capi/convert.hpp"

namespace staithe::capi {

[[nodiscard]] WriterOptions writer_options_of(const staithe_writer_options* options);
[[nodiscard]] ReaderOptions reader_options_of(const staithe_reader_options* options);
[[nodiscard]] RecorderOptions recorder_options_of(const staithe_recorder_options* options);

[[nodiscard]] SpaceOptions space_options_of(const staithe_space_options* options);
[[nodiscard]] SpaceGet space_get_of(std::int64_t version, const staithe_selection* box, double timeout);
[[nodiscard]] SpaceLend space_lend_of(const staithe_space_loan_options* options);

/// What a put says, and what it says of the memory.
template <class Options>
struct Put {
    Options options;
    Layout layout;
};
[[nodiscard]] Put<PutOptions> put_of(const staithe_put_options* options, int64_t dimensions);
[[nodiscard]] Put<SpacePut> put_of(const staithe_space_put_options* options, int64_t dimensions);

}  // namespace staithe::capi
