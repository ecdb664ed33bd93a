// Pieces of one call on the thread pool, as if the calling thread had run them all.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace numpy_plugin::run {

// Runs piece(0) ... piece(n_pieces - 1) on up to `n_threads` threads, and sets in the calling
// thread the floating-point flags that they raised and the error of the first one that left one in
// raised_error(). Each thread begins with pieces of its own, which are neighbors and the same
// in every call of as many pieces: its cache may still hold their operands. Returns the sum of the
// threads' times.
std::chrono::nanoseconds run_parallel_pieces(std::size_t n_threads, std::size_t n_pieces,
                                             const std::function<void(std::size_t)>& piece);

}  // namespace numpy_plugin::run
