// The macros and types of <cstdint>, <climits> and <cstddef> that bodies do not have anyway, for
// NVRTC.
#pragma once

#include "npp/body/names.hpp"

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define UINT_MAX 0xffffffffu
#define ULONG_MAX 0xfffffffffffffffful
#define LLONG_MAX 0x7fffffffffffffffll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 0xffffffffffffffffull

#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX UINT_MAX
#define INT64_MIN (-INT64_MAX - 1)
#define INT64_MAX 0x7fffffffffffffffl
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX

namespace npp::cmath {
using intptr_t = npp::int64;
using uintptr_t = npp::uint64;
using intmax_t = npp::int64;
using uintmax_t = npp::uint64;
using nullptr_t = decltype(nullptr);
}  // namespace npp::cmath
