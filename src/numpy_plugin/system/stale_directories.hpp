// Temporary directories of processes that were killed.
#pragma once

namespace numpy_plugin::base {

// Removes, once in this process, what TemporaryDirectory made for this user a day ago and longer.
void remove_stale_directories();

}  // namespace numpy_plugin::base
