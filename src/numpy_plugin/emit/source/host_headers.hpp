// The embedded headers that a compilation for the host reads. Writing all of them would take half
// as long as compiling a small kernel.
#pragma once

#include <set>
#include <string_view>

namespace numpy_plugin::emit {

// The names of the templates and named headers that a text includes, and of those that they
// include. All of them where the text includes another file, which may include any.
std::set<std::string_view> host_headers(std::string_view text);
std::set<std::string_view> all_host_headers();

}  // namespace numpy_plugin::emit
