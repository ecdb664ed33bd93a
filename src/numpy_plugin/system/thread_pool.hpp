// A pool of threads for the parallel target: made on first use, gone after fork (the child makes
// its own), never holding the GIL.
#pragma once

#include <cstddef>
#include <functional>

namespace numpy_plugin::base {

// Threads a parallel call uses, the caller's included: $NUMPY_PLUGIN_NUM_THREADS, else the
// processors this process may run on.
std::size_t n_threads();

// Changes it for this process; 0 goes back to the default.
void set_n_threads(std::size_t count);

// Runs task(0) ... task(n_tasks - 1) on the pool's threads and the caller's, and returns when all
// are done. A call from inside a task, or one made while another thread uses the pool, runs on the
// caller alone. The first exception of a task is thrown here after the others have ended.
void run_parallel(std::size_t n_tasks, const std::function<void(std::size_t)>& task);

}  // namespace numpy_plugin::base
