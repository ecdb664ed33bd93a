// Finds loops of a generalized Python kernel whose iterations are independent, so that a device can
// run each in its own thread with identical results: the body's only loop and, where its body is
// again a single loop, that one.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

struct SplitLoop {
  int local = 0;  // the loop's variable
  int name = 0;   // into CoreSignature::names: every written output has this dimension, indexed
                  // by the variable; its size is the number of threads
  int axis = -1;  // position of that dimension in the first output; -1 if missing
};

struct SplitLoops {
  std::vector<SplitLoop> loops;  // outermost first; empty where nothing can be split
  std::string reason;            // why the next inner loop is not split, as text; empty where
                                 // there is none
};

SplitLoops find_split_loops(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
