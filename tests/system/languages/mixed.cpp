// mixed_cpp write|read STREAM: three steps of a variable of each dtype, as test_languages.py describes them.
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

namespace {

using staithe::Dtype;
using staithe::Extents;

constexpr int elements = 12;
constexpr std::int64_t steps = 3;
const Extents shape{3, 4};

/// Bits of 0, ½, 1, ….
struct Half {
    std::uint16_t bits;
    bool operator==(const Half&) const = default;
};
constexpr std::array<std::uint16_t, elements> halves{0x0000, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100,
                                                     0x4200, 0x4300, 0x4400, 0x4480, 0x4500, 0x4580};

/// The value at place k, which the step has moved on.
template <class T>
T value_at(int k) {
    if constexpr (std::is_same_v<T, bool>) {
        return k % 3 == 0;
    } else if constexpr (std::is_same_v<T, Half>) {
        return {halves[static_cast<std::size_t>(k)]};
    } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
        return static_cast<T>((k - 5) * (std::int64_t{1} << (8 * sizeof(T) - 5)));
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(k) << (8 * sizeof(T) - 4));
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(k) / 4 - 1;
    } else {
        using Real = typename T::value_type;
        return {static_cast<Real>(k) / 4, static_cast<Real>(-k)};
    }
}

template <class T>
constexpr Dtype dtype_of_type() {
    if constexpr (std::is_same_v<T, Half>) {
        return Dtype::f16;
    } else {
        return staithe::dtype_of<T>();
    }
}

/// Calls f(name, array of a step) for each dtype.
template <class Function>
void for_each_dtype(std::int64_t number, Function f) {
    const auto call = [&]<class T>(T /*of this type*/) {
        std::array<T, elements> values;
        for (int place = 0; place < elements; ++place) {
            values[static_cast<std::size_t>(place)] = value_at<T>(static_cast<int>((place + number) % elements));
        }
        f(staithe::name_of(dtype_of_type<T>()), values);
    };
    const auto call_all = [&]<class... T>(T... types) { (call(types), ...); };
    call_all(bool{}, std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{}, std::uint8_t{}, std::uint16_t{},
             std::uint32_t{}, std::uint64_t{}, Half{}, float{}, double{}, 0.0L, std::complex<float>{},
             std::complex<double>{}, std::complex<long double>{});
}

void write(const std::string& stream) {
    staithe::Writer out(stream);
    for (std::int64_t number = 0; number < steps; ++number) {
        staithe::WriteStep step = out.begin_step();
        for_each_dtype(number, [&]<class T>(const char* name, const std::array<T, elements>& values) {
            step.put(name, staithe::ArrayView::row_major(values.data(), dtype_of_type<T>(), shape), {.unit = "m"});
        });
        staithe::Loan loan = step.loan("loan", Dtype::i64, shape);
        for (std::int64_t k = 0; k < elements; ++k) {
            loan.data<std::int64_t>()[k] = 100 * number + k;
        }
        step.publish(std::move(loan));
        step.set_attribute("time", 0.5 * static_cast<double>(number));
        step.set_attribute("label", "Å");
        step.set_attribute("numbers", staithe::List{number, 2});
        step.end();
    }
    out.close();
}

void expect(bool holds, const std::string& what) {
    if (!holds) {
        throw staithe::InvalidArgument("wrong " + what);
    }
}

void read(const std::string& stream) {
    staithe::Reader in(stream);
    std::int64_t read = 0;
    while (const auto step = in.next()) {
        const std::int64_t number = step->index();
        for_each_dtype(number, [&]<class T>(const char* name, const std::array<T, elements>& values) {
            const staithe::Variable variable = step->variable(name);
            std::array<T, elements> found;
            variable.read(staithe::Selection::all(shape),
                          staithe::MutableArrayView::row_major(found.data(), dtype_of_type<T>(), shape));
            expect(found == values && variable.shape() == shape && variable.unit() == "m", name);
        });
        const std::vector<std::int64_t> loan = step->variable("loan").read<std::int64_t>();
        for (std::int64_t k = 0; k < elements; ++k) {
            expect(loan[static_cast<std::size_t>(k)] == 100 * number + k, "loan");
        }
        expect(step->attributes() == staithe::Attributes{{"time", 0.5 * static_cast<double>(number)},
                                                         {"label", "Å"},
                                                         {"numbers", staithe::List{number, 2}}},
               "attributes");
        ++read;
    }
    expect(read == steps, "number of steps");
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) {
        return 2;
    }
    std::string(argv[1]) == "write" ? write(argv[2]) : read(argv[2]);
} catch (const staithe::Error& error) {
    std::fprintf(stderr, "mixed_cpp: %s\n", error.what());
    return 1;
}
