// Pieces of one call on the thread pool, as if the calling thread had run them all.
#pragma once

#include <cstddef>
#include <functional>

namespace numpy_plugin::run {

// Runs piece(0) ... piece(n_pieces - 1), and sets in the calling thread the floating-point flags
// that they raised and the error of the first one that left one in load::raised_error().
void run_parallel_pieces(std::size_t n_pieces, const std::function<void(std::size_t)>& piece);

}  // namespace numpy_plugin::run
