// The text of a line of `print`, with marks where its numbers belong.
//
// It has the separator, the end and each argument, divided by kArgumentMark. An argument consists
// of pieces, each followed by kPieceMark where it belongs to an f-string: kLiteralMark and
// characters; or kNumberMark, the dtype, and after a kFormatMark each the conversion ("r") and the
// format (".3f"). The numbers follow in their order as 64 bits each, two of a complex number.
#pragma once

#include <cstddef>

namespace numpy_plugin::declare {

inline constexpr char kFormatMark = 29;
inline constexpr char kPieceMark = 30;
inline constexpr char kArgumentMark = 31;
inline constexpr char kLiteralMark = '=';
inline constexpr char kNumberMark = '#';

// As in templates/npp/core/printed_line.hpp.
inline constexpr std::size_t kMaxPrintedNumbers = 16;
inline constexpr std::size_t kMaxPrintedText = 248;  // with its final 0

}  // namespace numpy_plugin::declare
