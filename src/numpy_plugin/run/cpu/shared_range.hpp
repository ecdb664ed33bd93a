// A call as a range of elements, which threads share as soon as its measured cost makes that pay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numpy_plugin/run/cpu/sharing.hpp"

namespace numpy_plugin::run {

class ElementRange {
 public:
  // Computes `count` elements from `begin` on, in any thread.
  virtual void run(std::intptr_t begin, std::intptr_t count) const = 0;
  // Whether parts may run at the same time: asked where that would pay.
  virtual bool can_split() const { return true; }

 protected:
  ~ElementRange() = default;
};

struct RangeLimits {
  std::intptr_t n_elements = 0;
  std::intptr_t n_together = 1;  // pieces begin at multiples of it
  std::intptr_t n_first = 1;     // elements that are timed first while the cost is not known
  std::intptr_t n_alone = 1;     // elements that one thread takes at once, at least
  std::size_t n_threads = 1;
  bool can_raise = false;  // the rest is skipped once raised_error() is set
};

// The calling thread begins alone and shares the rest as soon as the part that it has done shows
// that threads pay. Flags and the first error of the pieces reach the calling thread.
void run_and_share(const ElementRange& range, const RangeLimits& limits, const LeastWork& least,
                   ElementCost& cost);

}  // namespace numpy_plugin::run
