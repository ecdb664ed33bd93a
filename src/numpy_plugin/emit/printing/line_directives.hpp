// #line directives of kernels from Python. Lines are relative to the function's first one and files
// are labels, so that compiled code stays in the cache when a function moves in its file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

// `#line 12 "label"` and a line feed; the label is a base::source_label.
std::string line_directive(int line, const std::string& label);

// The directive of a place in a kernel's sources; empty where it is unknown.
std::string line_directive(const std::vector<declare::SourceText>& sources,
                           const declare::SourceSpan& place);
// Ends the lines of a function.
std::string end_of_lines();

// A source as shown to users: without the directives above, which C++ bodies' are not.
std::string without_line_directives(std::string_view text);

// The texts that labels in the kernels' compiled code name.
std::vector<declare::LabelledSource> labelled_sources(const Program& program);

}  // namespace numpy_plugin::emit
