// Whether what a path leads to can be put in its place by this process's user and by root alone.
#pragma once

#include <string>

namespace numpy_plugin::base {

// Why somebody else could put another directory or file in the place of `path`: a directory above
// it, or a link in it, belongs to another user or can be written to by others. Empty where nobody
// can. Parts that are not there yet say nothing.
std::string reason_against_ancestors(const std::string& path);

}  // namespace numpy_plugin::base
