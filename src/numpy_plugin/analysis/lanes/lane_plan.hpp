// Kernels that run on the CPU in blocks of lanes: one element in each lane, with masks in place of
// branches. It pays for loops and for functions under conditions, which compilers do not vectorize.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Locals whose values may still be read, at the points where lanes of a block meet again.
struct LiveLocals {
  std::map<const declare::Statement*, std::set<int>> after;    // each statement
  std::map<const declare::Statement*, std::set<int>> at_head;  // before each trip of a loop
};

LiveLocals find_live_locals(const declare::Function& function);

// Variables that have one value for a whole block of lanes: those of loops with known bounds.

// Whether lanes compute an expression of this kind, as far as its parts have a form in lanes.
bool has_lane_kind(const declare::Expression& expression);

// Whether an expression is a number of constants and uniform variables.
bool is_uniform(const std::set<int>& uniform, const declare::Expression& expression);

// Whether a loop is the statement of the body whose idle lanes take further elements.
bool is_refilled(const declare::Function& function, const declare::Statement& loop,
                 std::optional<std::size_t> refilled);

std::set<int> find_uniform(const declare::Function& function,
                           std::optional<std::size_t> refilled = {});

// The plan of a device function that a kernel calls.
struct CalledFunction {
  std::set<int> uniform;  // as in LanePlan
  LiveLocals live;
  bool is_guarded = false;  // whether its idle lanes matter
  bool is_costly = false;   // whether a call takes longer than a test for active lanes
};

struct LanePlan {
  // Where lanes pay: on targets with them, with AVX-512 or without a vector library, only without
  // one, or with AVX2 alone, which lacks the instructions.
  enum class Target : std::uint8_t { kAny, kWideOrOwnMath, kOwnMath, kOnlyAvx2 };

  int size = 0;  // of the largest type, in bytes, and at least 4
  Target target = Target::kAny;
  // The minor version of glibc 2 whose vector library has all functions of the kernel.
  int library_since = 0;
  bool has_loops = false;
  bool has_times = false;  // operations of dates and durations
  bool is_generalized = false;
  declare::MathMode math = declare::MathMode::kVector;
  std::set<int> uniform;  // variables of loops that have one value in all lanes
  LiveLocals live;
  // The statement of the body that is a loop whose idle lanes take further elements; nullopt where
  // all lanes of a block wait for its last.
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
  // What the plan is for, where that is another form of the kernel.
  std::shared_ptr<const declare::TypedKernel> kernel = {};
  // The kernel of the parts of complex numbers, element by element, where `kernel` is one of them.
  std::shared_ptr<const declare::TypedKernel> parts = {};
};
LaneDecision plan_lanes(const declare::TypedKernel& kernel, declare::MathMode math);

// The kernel with its counters, integers that are known to stay below a constant, in a signed type
// of at least 4 bytes. nullptr where there are none of other types.
std::shared_ptr<const declare::TypedKernel> with_counters_of(const declare::TypedKernel& kernel,
                                                             base::DType dtype);

// Loops of which lanes that have left them take further elements, while others are still in them.

// The statement of a kernel's body that is such a loop: the first loop, if lanes leave it at
// different trips and no costly statements are before and after it; nullopt, too, where device
// functions may raise.
std::optional<std::size_t> find_refilled(const declare::PythonKernel& kernel, const LanePlan& plan);
// Whether statements end a loop, or the function in it, for some lanes only.
bool is_left_early(const declare::Statement& loop);
// Trips of a `for` with constant bounds.
std::optional<std::uint64_t> constant_trips(const declare::Statement& loop);
// The type that counts the trips of each lane, where the largest type has `size` bytes.
base::DType trip_dtype(const declare::Statement& loop, int size);
// Whether a kernel reads the variable of its loop.
bool reads_variable(const declare::Function& function, const declare::Statement& loop);

// Parts of a kernel whose idle lanes matter, and parts that are worth a test for active lanes.

// Whether idle lanes might raise flags, exceptions or signals, or keep a loop running.
bool has_guarded_parts(const LanePlan& plan, const declare::Expression& expression);
bool has_guarded_parts(const LanePlan& plan, const Block& block);
// Whether computing it takes longer than a test for active lanes.
bool is_costly_in_lanes(const LanePlan& plan, const declare::Expression& expression);
bool is_costly_in_lanes(const LanePlan& plan, const Block& block);
// Whether a statement calls device functions.
bool calls_functions(const declare::Statement& statement);

// Generalized kernels in lanes: each lane has its own element of the loop dimensions.

enum class CoreForm : std::uint8_t {
  kNumber,  // an input without core dimensions
  kHeld,    // a vector of lanes for each element: small arrays of known sizes
  kResult,  // likewise, without the elements that were there before
  kRead     // other inputs, read where they are
};
CoreForm core_form(const declare::TypedKernel& kernel, std::size_t operand);

// The reason for running a generalized kernel element by element; empty where lanes pay.
std::string why_no_core_lanes(const declare::TypedKernel& kernel, const LanePlan& plan);

}  // namespace numpy_plugin::analysis
