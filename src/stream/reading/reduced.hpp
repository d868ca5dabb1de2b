// What a reduction has come to, as programs get it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <staithe/reader.hpp>

#include "base/result.hpp"
#include "store/reducing/reduction.hpp"

namespace staithe::stream {

/// Of a variable's selection, as public headers name it.
struct Reduced {
    store::reducing::Reduction reduction;
};

/// In memory of its own. `invalid_argument` if there is nothing of which it is made.
inline base::Result<View> result_of(store::reducing::Reduction reduction) {
    auto taken = reduction.take();
    if (!taken) {
        return base::fail(std::move(taken));
    }
    const auto values = std::make_shared<const std::vector<std::byte>>(*std::move(taken));
    return View{ArrayView::row_major(values->data(), reduction.dtype(), reduction.shape()), values};
}

}  // namespace staithe::stream
