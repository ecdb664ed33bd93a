// Thread pool of the parallel target: created at first use, abandoned after fork (the child creates
// its own), never holds the GIL.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace numpy_plugin::system {

// Processors that this process may use: its affinity, and the limits of its control groups.

// At least 1. Containers limit the time of processors rather than their number: a limit of one and
// a half processors counts as two.
std::size_t available_processors();

// The lowest limit of this process's control group and those above it, of version 2 or 1; 0 without
// a limit. `root` is the directory that contains proc and sys.
std::size_t processors_of_control_group(const std::string& root);

// Threads of a parallel call, including the calling one: $NUMPY_PLUGIN_NUM_THREADS, else
// available_processors().
std::size_t n_threads();

// Changes it for this process; 0 restores the default.
void set_n_threads(std::size_t count);

// Whether workers have just ended a call and begin the next one without being woken.
bool has_awake_workers();

// Runs task(0) ... task(n_tasks - 1) on the pool's threads and the calling one, and returns when
// all are done. A call from inside a task, or while another thread uses the pool, runs in the
// calling thread alone. Rethrows the first exception of a task after the others have ended.
void run_parallel(std::size_t n_tasks, const std::function<void(std::size_t)>& task);

// Runs a task that nothing waits for in a thread of its own, or not at all where none can be
// started. The task must not throw.
void run_in_background(std::function<void()> task);

}  // namespace numpy_plugin::system
