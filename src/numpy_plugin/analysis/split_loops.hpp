// Which loops of a generalized Python kernel have iterations that do not depend on one another, so
// that a device can run each in a thread of its own with the same bits: the body's one loop, and,
// where all it does is one loop again, that one.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

struct SplitLoop {
  int local = 0;  // the loop's variable
  int name = 0;   // into CoreSignature::names: every output written has this dimension, and the
                  // variable as its index there; its size is the number of threads
  int axis = -1;  // that dimension's place in the first output; -1 where it has none
};

struct SplitLoops {
  std::vector<SplitLoop> loops;  // outermost first; none where nothing can be split
  std::string reason;            // in words, why the loop after these is not split; empty where
                                 // there is none
};

SplitLoops find_split_loops(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
