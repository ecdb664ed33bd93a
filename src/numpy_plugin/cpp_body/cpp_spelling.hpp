// Spellings that bodies and preambles may have beyond C++'s own, written out for the compilers.
// Columns and lines stay where they are.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::declare {

// `z.real()` and `z.imag()`, as C++ and CuPy write them, become `z.real` and `z.imag`, unless the
// text defines functions of these names.
std::string with_plain_parts(std::string_view text);

// A body whose last statement lacks its ';' gets it.
std::string with_last_semicolon(std::string_view body);

}  // namespace numpy_plugin::declare
