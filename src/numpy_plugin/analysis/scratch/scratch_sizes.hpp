// The scratch arrays that kernels create: where, and their memory for a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Places that make scratch arrays. One in a loop reuses the memory of its earlier arrays, except of
// those that variables may still hold.

// An array in a local: the local itself, or an item of a tuple in a tuple ...
struct HeldArray {
  int local = 0;
  std::vector<int> items;  // from the outermost tuple inwards
};

struct ScratchSite {
  const declare::Statement* statement = nullptr;  // the kAssign of a kScratchArray
  bool is_in_loop = false;
  std::vector<HeldArray> held;  // in a loop: where arrays of earlier trips may be

  // Arrays of the site that exist at the same time, at most.
  int n_slots() const { return static_cast<int>(held.size()) + 1; }
};

// In the order of the statements.
std::vector<ScratchSite> find_scratch_sites(const declare::Function& function);

// Sizes of arrays as expressions of the sizes of a function's parameters.

// Replaces variables in sizes by their values, where these are the same in every thread. A kSlice
// in a result is the size of a slice; its operands are the dimension's size, start, stop and step.
class SizeResolver {
 public:
  explicit SizeResolver(const declare::PythonKernel& kernel)
      : kernel_(kernel), function_(kernel.function) {}
  // Of a function as it is called by the caller's: in sizes of that function's parameters.
  SizeResolver(const declare::Function& function, const declare::Expression& call,
               SizeResolver& caller)
      : kernel_(caller.kernel_), function_(function), call_(&call), caller_(&caller) {}

  // nullopt where a size depends on elements, or on variables with several values.
  std::optional<declare::Expression> resolve(const declare::Expression& size);
  // Likewise a size that no thread's exceeds, where the number of an array's first elements depends
  // on elements.
  std::optional<declare::Expression> bound(const declare::Expression& size);

 private:
  using Size = std::optional<declare::Expression>;

  Size resolve_exactly(const declare::Expression& size);
  Size bound_of_either(const declare::Expression& first, const declare::Expression& second);
  Size bound_of_call(const declare::Expression& call);
  Size resolve_operands(declare::Expression expression);
  Size resolve_value(int local);
  template <class Find>
  Size in_caller(Find find);
  Size resolve_argument(int parameter);
  Size resolve_result(const declare::Expression& call);
  Size size_of_parameter(int array, int axis);
  Size size_of(int array, int axis);
  Size size_of(const declare::Expression& array, int axis);
  Size size_of_view(const declare::Expression& view, int axis);
  std::vector<const declare::Expression*> values_of(int local) const;

  const declare::PythonKernel& kernel_;
  const declare::Function& function_;
  const declare::Expression* call_ = nullptr;
  SizeResolver* caller_ = nullptr;
  std::set<std::pair<int, int>> open_;  // arrays and axes whose sizes are being resolved
  bool takes_bounds_ = false;           // a part of an array is as large as the array
};

// Memory of a kernel's scratch arrays, computed before a launch: their sizes as expressions of core
// dimensions.

struct ScratchArray {
  std::int64_t n_slots = 1;
  // Of constants, sizes of the kernel's own arrays, and integer operations.
  std::vector<declare::Expression> sizes;
};

// Of a function as it is called; functions give their memory back as they return.
struct FunctionScratch {
  std::vector<ScratchArray> arrays;
  std::vector<FunctionScratch> calls;
};

struct DeviceScratch {
  std::int64_t item_bytes = 0;  // of each array, as templates/npp/cuda/scratch_memory.hpp has them
  FunctionScratch kernel;
  std::optional<declare::Diagnostic> obstacle;  // why no launch can provide the memory
};

// Of any kernel. The memory of the arrays of a kernel without a layout is not provided.
DeviceScratch device_scratch(const declare::TypedKernel& kernel);

// Of one thread, for a call's sizes of the layout's names; nullopt beyond int64. Arrays with
// negative sizes, with which the kernel raises, take nothing.
std::optional<std::int64_t> scratch_bytes(const DeviceScratch& scratch,
                                          const declare::CoreSignature& layout,
                                          std::span<const std::int64_t> core_sizes);

// Throws declare::KernelError with the obstacle of a kernel's scratch arrays, if any.
void require_device_scratch(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
