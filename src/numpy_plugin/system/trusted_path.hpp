// Whether only this user and root can replace what a path refers to.
#pragma once

#include <string>

namespace numpy_plugin::system {

// Why another user could replace the directory or file at `path`: a directory above it, or a link
// in it, belongs to another user or is writable by others. Empty where nobody can. Missing parts
// are ignored.
std::string reason_against_ancestors(const std::string& path);

}  // namespace numpy_plugin::system
