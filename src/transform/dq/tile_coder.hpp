// The coding of one tile, for any kind of lanes: predict, fold, pack; and back.
//
// Values are integers here, quantised or exact. The Lorenzo predictor (Ibarria et al., 2003) is a difference along each
// dimension in turn; all arithmetic is modulo 2^32 (2^64), so nothing can overflow. Residuals form one sequence, row
// after row, in groups of 16 that share a width.
#pragma once

#include <cstring>
#include <type_traits>

#include "transform/dq/blocks.hpp"
#include "transform/dq/coding.hpp"
#include "transform/dq/exception_lanes.hpp"
#include "transform/dq/rows_ahead.hpp"

namespace staithe::transform::dq {

/// Values that keep a bound.
template <class L, class T>
struct QuantisedValues {
    using Element = T;
    static constexpr bool has_exceptions = true;

    explicit QuantisedValues(const EncodeJob& job) : by(*static_cast<const Quantiser<T>*>(job.quantiser)) {}
    explicit QuantisedValues(const DecodeJob& job) { by.step = static_cast<T>(job.step); }
    typename L::Lanes load(const T* from, std::uint32_t& exceptions) const { return L::quantise(from, by, exceptions); }
    void store(T* to, const typename L::Lanes& lanes) const { L::restore(to, lanes, by.step); }

    Quantiser<T> by;
};

/// Values as they are: integers, and floating-point numbers by their bits, in the order of the numbers.
template <class L, class Integer, bool floating>
struct ExactValues {
    using Element = Integer;
    using Word = typename L::Word;
    static constexpr bool has_exceptions = false;
    static constexpr unsigned sign = 8 * sizeof(Integer) - 1;

    explicit ExactValues(const EncodeJob& /*job*/) {}
    explicit ExactValues(const DecodeJob& /*job*/) {}
    typename L::Lanes load(const Integer* from, std::uint32_t& exceptions) const {
        Word words[group];
        for (std::size_t i = 0; i < group; ++i) {
            words[i] = extended(in_order(from[i]));
        }
        exceptions = 0;
        return L::load(words);
    }
    void store(Integer* to, const typename L::Lanes& lanes) const {
        Word words[group];
        L::store(words, lanes);
        for (std::size_t i = 0; i < group; ++i) {
            to[i] = in_order(static_cast<Integer>(words[i]));
        }
    }

  private:
    static Word extended(Integer value) {
        if constexpr (std::is_signed_v<Integer>) {
            return static_cast<Word>(static_cast<std::make_signed_t<Word>>(value));  // its sign, too
        } else {
            return value;
        }
    }
    /// Its own inverse. Of negative numbers a larger bit pattern is a smaller number.
    static Integer in_order(Integer bits) {
        if constexpr (floating) {
            using Unsigned = std::make_unsigned_t<Integer>;
            const auto others = static_cast<Unsigned>(bits >> sign) >> 1U;
            return static_cast<Integer>(static_cast<Unsigned>(bits) ^ others);
        }
        return bits;
    }
};

/// Where the rows before the present one lie; those before the first ones are zero.
template <class L>
struct Neighbours {
    using Word = typename L::Word;

    Word* row = nullptr;
    Word* plane = nullptr;
    Word* volume = nullptr;

    Neighbours(const Workspace<Word>& space, const TileRows& tile, std::size_t w, std::size_t z, std::size_t y) {
        const std::size_t words = tile.words_of_row() * group;
        const int depth = tile.depth();
        if (depth > 0) {
            row = cleared(space.row, words, y == 0);
        }
        if (depth > 1) {
            plane = cleared(space.plane + words * y, words, z == 0);
        }
        if (depth > 2) {
            volume = cleared(space.volume + words * (y + tile.count[2] * z), words, w == 0);
        }
    }

  private:
    static Word* cleared(Word* at, std::size_t words, bool first) {
        if (first) {
            std::memset(at, 0, words * sizeof(Word));
        }
        return at;
    }
};

template <class L, class Values, int depth>
class TileEncoder {
  public:
    using Word = typename L::Word;
    using Lanes = typename L::Lanes;
    using Element = typename Values::Element;
    static constexpr bool keeps_residuals = sizeof(Word) == sizeof(std::uint32_t);

    explicit TileEncoder(EncodeJob& job)
        : job_(job),
          values_(job),
          space_(Workspace<Word>::in(static_cast<Word*>(job.workspace), job.tile)),
          all_exception_words_(job.exception_words),
          residuals_(space_.residuals) {
        if constexpr (keeps_residuals) {
            residuals_ = job.residuals != nullptr ? job.residuals : residuals_;
        }
    }

    void run() {
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(Element));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            encode_row(reinterpret_cast<const Element*>(job_.values + at), Neighbours<L>(space_, job_.tile, w, z, y));
        });
        if (job_.residuals != nullptr) {
            std::memset(residuals_, 0, (job_.tile.blocks() * block - job_.tile.values()) * sizeof(Word));
            return;
        }
        pack();
        if (pending_ > 0) {
            std::memset(residuals_ + pending_, 0, (block - pending_) * sizeof(Word));
            pending_ = block;
            pack();
        }
        if (blocks_ % 2 == 1) {
            ++job_.out.counts;
        }
    }

  private:
    /// Of a piece.
    struct Exceptions {
        std::uint16_t* next = nullptr;  // word
        std::uint32_t any = 0;
    };

    void encode_row(const Element* values, const Neighbours<L>& near) {
        const std::size_t length = job_.tile.count[3];
        Lanes before = L::zero();
        for (std::size_t begin = 0; begin < length; begin += piece) {
            const std::size_t end = length - begin < piece ? length : begin + piece;
            Word* out = residuals_ + pending_;
            Exceptions found{job_.exception_words};
            std::size_t i = begin;
            for (; i + group <= end; i += group, out += group) {
                encode_group(values + i, 0xFFFF, near, i, before, out, found);
            }
            if (i < end) {
                Element rest[group] = {};
                std::memcpy(rest, values + i, (end - i) * sizeof(Element));
                encode_group(rest, (1U << (end - i)) - 1, near, i, before, out, found);
            }
            if constexpr (Values::has_exceptions) {
                if (found.any != 0) {
                    count_exceptions<L>(job_, all_exception_words_, values + begin, end - begin);
                }
                job_.exception_words = found.next;
            }
            if (job_.residuals != nullptr) {
                residuals_ += end - begin;
                continue;
            }
            pending_ += end - begin;
            if (pending_ >= batch) {
                pack();
            }
        }
    }

    [[gnu::always_inline]] void encode_group(const Element* values, std::uint32_t valid, const Neighbours<L>& near,
                                             std::size_t i, Lanes& before, Word* out, Exceptions& found) {
        std::uint32_t exceptions = 0;
        Lanes lanes = values_.load(values, exceptions);
        Lanes last = L::zero();
        if constexpr (depth > 0) {
            last = L::load(near.row + i);
        }
        if constexpr (Values::has_exceptions) {
            exceptions &= valid;
            if (L::replaces_at_once || exceptions != 0) {
                // Any number will do, and this one is cheap to code.
                lanes = L::replace(lanes, exceptions, depth > 0 ? last : before);
            }
            found.any |= exceptions;
            *found.next++ = static_cast<std::uint16_t>(exceptions);
        }
        if constexpr (depth > 0) {
            L::store(near.row + i, lanes);
            lanes = L::subtract(lanes, last);
        }
        if constexpr (depth > 1) {
            last = L::load(near.plane + i);
            L::store(near.plane + i, lanes);
            lanes = L::subtract(lanes, last);
        }
        if constexpr (depth > 2) {
            last = L::load(near.volume + i);
            L::store(near.volume + i, lanes);
            lanes = L::subtract(lanes, last);
        }
        L::store(out, L::fold_signs(L::differences(before, lanes)));
        before = lanes;
    }

    void pack() {
        std::size_t done = 0;
        for (; done + block <= pending_; done += block) {
            pack_block<L>(residuals_ + done, blocks_++, job_.out);
        }
        pending_ -= done;
        std::memmove(residuals_, residuals_ + done, pending_ * sizeof(Word));
    }

    EncodeJob& job_;
    const Values values_;
    const Workspace<Word> space_;
    const std::uint16_t* const all_exception_words_;
    Word* residuals_;
    std::size_t pending_ = 0;  // residuals that are not packed yet
    std::size_t blocks_ = 0;
};

template <class L, class Values, int depth>
class TileDecoder {
  public:
    using Word = typename L::Word;
    using Lanes = typename L::Lanes;
    using Element = typename Values::Element;
    static constexpr bool keeps_residuals = sizeof(Word) == sizeof(std::uint32_t);

    explicit TileDecoder(DecodeJob& job)
        : job_(job),
          values_(job),
          space_(Workspace<Word>::in(static_cast<Word*>(job.workspace), job.tile)),
          residuals_(space_.residuals) {
        if constexpr (keeps_residuals) {
            residuals_ = job.residuals != nullptr ? job.residuals : residuals_;
        }
    }

    void run() {
        if constexpr (Values::has_exceptions) {
            if (job_.common.words != nullptr) {
                return decode_rows<true>();
            }
        }
        decode_rows<false>();
    }

  private:
    template <bool with_common>
    void decode_rows() {
        RowsAhead<L> ahead(job_.tile, job_.values, sizeof(Element));
        for_each_row(job_.tile, [this, &ahead](std::size_t w, std::size_t z, std::size_t y, std::ptrdiff_t at) {
            ahead.fetch_next();
            if (!job_.broken) {
                decode_row<with_common>(reinterpret_cast<Element*>(job_.values + at),
                                        Neighbours<L>(space_, job_.tile, w, z, y));
            }
        });
    }

    template <bool with_common>
    void decode_row(Element* values, const Neighbours<L>& near) {
        const std::size_t length = job_.tile.count[3];
        Lanes before = L::zero();
        for (std::size_t begin = 0; begin < length; begin += piece) {
            const std::size_t end = length - begin < piece ? length : begin + piece;
            if (job_.residuals == nullptr) {
                unpack(end - begin);
            }
            if (job_.broken) {
                return;
            }
            const Word* in = residuals_;
            std::size_t i = begin;
            for (; i + group <= end; i += group, in += group) {
                store<with_common>(values + i, decode_group(in, near, i, before));
            }
            if (i < end) {
                Element rest[group];
                store<with_common>(rest, decode_group(in, near, i, before));
                std::memcpy(values + i, rest, (end - i) * sizeof(Element));
            }
            residuals_ += end - begin;
            pending_ -= end - begin;
        }
    }

    [[gnu::always_inline]] Lanes decode_group(const Word* in, const Neighbours<L>& near, std::size_t i, Lanes& before) {
        Lanes lanes = L::sums(before, L::load(in));
        before = lanes;
        if constexpr (depth > 2) {
            lanes = L::add(lanes, L::load(near.volume + i));
            L::store(near.volume + i, lanes);
        }
        if constexpr (depth > 1) {
            lanes = L::add(lanes, L::load(near.plane + i));
            L::store(near.plane + i, lanes);
        }
        if constexpr (depth > 0) {
            lanes = L::add(lanes, L::load(near.row + i));
            L::store(near.row + i, lanes);
        }
        return lanes;
    }

    template <bool with_common>
    [[gnu::always_inline]] void store(Element* to, const Lanes& lanes) {
        values_.store(to, lanes);
        if constexpr (with_common) {
            L::put(reinterpret_cast<std::byte*>(to), *job_.common.words++,
                   static_cast<typename Quantiser<Element>::Bits>(job_.common.value));
        }
    }

    /// Has at least so many residuals ready.
    void unpack(std::size_t wanted) {
        if (pending_ >= wanted) {
            return;
        }
        std::memmove(space_.residuals, residuals_, pending_ * sizeof(Word));
        residuals_ = space_.residuals;
        const std::size_t enough = wanted > batch ? wanted : batch;
        while (pending_ < enough && blocks_ < job_.tile.blocks() && !job_.broken) {
            job_.broken = !unpack_block<L>(space_.residuals + pending_, blocks_++, job_.in);
            pending_ += block;
        }
    }

    DecodeJob& job_;
    const Values values_;
    const Workspace<Word> space_;
    const Word* residuals_;
    std::size_t pending_ = 0;  // residuals that were unpacked and not used yet
    std::size_t blocks_ = 0;
};

/// Chooses the code for the dimensions of the tile.
template <template <class, class, int> class Coder, class L, class Values, class Job>
void run_coder(Job& job) {
    switch (job.tile.depth()) {
        case 0: Coder<L, Values, 0>(job).run(); break;
        case 1: Coder<L, Values, 1>(job).run(); break;
        case 2: Coder<L, Values, 2>(job).run(); break;
        default: Coder<L, Values, 3>(job).run(); break;
    }
}

}  // namespace staithe::transform::dq
