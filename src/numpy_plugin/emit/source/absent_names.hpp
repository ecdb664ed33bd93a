// Sections of templates/ that a program does without, which would take longer to read than a short
// kernel takes to compile.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::emit {

// Definitions, before the first #include, that leave out the sections whose names do not occur in
// the text of a program; none for a text that may include or form names of its own.
std::string print_absent_names(std::string_view text);

}  // namespace numpy_plugin::emit
