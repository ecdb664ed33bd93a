// Kernels that run on the CPU in blocks of lanes: one element in each lane, with masks in place of
// branches. It pays for loops and for functions under conditions, which compilers do not vectorize.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numpy_plugin/analysis/lanes/live_locals.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// The plan of a device function that a kernel calls.
struct CalledFunction {
  std::set<int> uniform;  // as in LanePlan
  LiveLocals live;
  bool is_guarded = false;  // whether its idle lanes matter
  bool is_costly = false;   // whether a call takes longer than a test for active lanes
};

struct LanePlan {
  // Where lanes pay: on targets with them, with AVX-512 or without a vector library, or only
  // without one.
  enum class Target : std::uint8_t { kAny, kWideOrOwnMath, kOwnMath };

  int size = 0;  // of the largest type, in bytes, and at least 4
  // Whether lanes need AVX-512: for numbers of two sizes, and products, quotients and conversions
  // of int64.
  bool needs_mask_registers = false;
  Target target = Target::kAny;
  // The minor version of glibc 2 whose vector library has all functions of the kernel.
  int library_since = 0;
  bool has_loops = false;
  bool is_generalized = false;
  declare::MathMode math = declare::MathMode::kVector;
  std::set<int> uniform;  // variables of loops that have one value in all lanes
  LiveLocals live;
  // The statement of the body that is a loop whose idle lanes take further elements
  // (refilled_loop.hpp); nullopt where all lanes of a block wait for its last.
  std::optional<std::size_t> refilled = {};
  std::vector<CalledFunction> called;  // by the number of the device function

  // The plan for the body of a device function.
  LanePlan of_called(std::size_t function) const;
};

// Whether statements end the current trip, loop or function for some lanes only.
bool parts_lanes(const Block& block);
// Whether a loop's body ends the function for some lanes.
bool returns_inside(const declare::Statement& loop);

// A plan, or the reason for running element by element.
struct LaneDecision {
  std::optional<LanePlan> plan;
  std::string reason;
  std::optional<LanePlan> refilling = {};  // a second form; which is faster depends on the operands
  // Whether that form pays only with AVX-512, for lanes that are at different trips.
  bool refilling_needs_mask_registers = false;
};
LaneDecision plan_lanes(const declare::TypedKernel& kernel, declare::MathMode math);

}  // namespace numpy_plugin::analysis
