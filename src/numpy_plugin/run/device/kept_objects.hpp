// Objects that submitted work uses and that nothing waits for: each is kept until the work is done.
#pragma once

#include <memory>

#include "numpy_plugin/run/device/event.hpp"

namespace numpy_plugin::run {

// Keeps an object until the work before the mark is done.
void keep_until(std::unique_ptr<const StreamMark> done, std::shared_ptr<void> object);

// Keeps an object as long as the graph that is being captured on a stream, and all that is made of
// it, exist. Throws load::CudaError.
void keep_with_graph(const load::Driver& driver, CUstream stream, std::shared_ptr<void> object);

// Releases the objects whose work is done. Called wherever this package waits, and before more
// objects are kept.
void release_kept() noexcept;

}  // namespace numpy_plugin::run
