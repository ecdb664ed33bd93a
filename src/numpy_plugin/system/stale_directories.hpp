// Cleanup of temporary directories left by killed processes.
#pragma once

namespace numpy_plugin::system {

// Removes this user's directories from TemporaryDirectory that are at least a day old; once per
// process.
void remove_stale_directories();

}  // namespace numpy_plugin::system
