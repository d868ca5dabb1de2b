// What kernels, and the headers that they share with the CPU's code, use of the standard library: NVRTC brings none.
// Stands for each of its headers.
#ifndef STAITHE_STANDARD_LIBRARY
#define STAITHE_STANDARD_LIBRARY

namespace std {

using size_t = decltype(sizeof(0));
using int32_t = int;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
enum class byte : unsigned char {};

template <bool first, class A, class B>
struct conditional {
    using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
    using type = B;
};
template <bool first, class A, class B>
using conditional_t = typename conditional<first, A, B>::type;

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<int32_t> {
    static constexpr int32_t min() { return -2147483647 - 1; }
};
template <>
struct numeric_limits<float> {
    static constexpr float min() { return 0x1p-126F; }
    static constexpr float epsilon() { return 0x1p-23F; }
    static constexpr float infinity() { return __builtin_bit_cast(float, 0x7F800000U); }
};
template <>
struct numeric_limits<double> {
    static constexpr double min() { return 0x1p-1022; }
    static constexpr double epsilon() { return 0x1p-52; }
    static constexpr double infinity() { return __builtin_bit_cast(double, 0x7FF0000000000000UL); }
};

template <class To, class From>
constexpr To bit_cast(const From& from) {
    return __builtin_bit_cast(To, from);
}

inline float abs(float x) { return ::fabsf(x); }
inline double abs(double x) { return ::fabs(x); }
inline float nearbyint(float x) { return ::nearbyintf(x); }
inline double nearbyint(double x) { return ::nearbyint(x); }
template <class T>
bool isnormal(T x) {
    return abs(x) >= numeric_limits<T>::min() && abs(x) < numeric_limits<T>::infinity();
}
// What only the CPU calls.
template <class T>
T nextafter(T x, T y);

}  // namespace std

#endif
