#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "numpy_plugin/base/floor_quotient.hpp"
#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::ArraySize;
using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;

// As npp::Slice selects.
std::int64_t slice_size(std::int64_t size, std::int64_t start, std::int64_t stop,
                        std::int64_t step) {
  const auto clip = [&](std::int64_t bound) {
    if (bound < 0) bound += size;
    return std::clamp<std::int64_t>(bound, step < 0 ? -1 : 0, step < 0 ? size - 1 : size);
  };
  const std::int64_t length = step < 0 ? clip(start) - clip(stop) : clip(stop) - clip(start);
  return length > 0 ? (length - 1) / std::abs(step) + 1 : 0;
}

// Division by zero gives 0, as in kernels.
std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  if (right == 0) return 0;
  if (right == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(left));
  return base::floor_quotient(left, right);
}

// Sizes of one call. Operations wrap, as those of the kernel.
class SizeEvaluation {
 public:
  SizeEvaluation(const declare::CoreSignature& layout, std::span<const std::int64_t> core_sizes)
      : layout_(layout), core_sizes_(core_sizes) {}

  std::int64_t value(const Expression& size) const {
    switch (size.kind) {
      case ExpressionKind::kConstant:
        return constant(detail<declare::ConstantValue>(size));
      case ExpressionKind::kArraySize:
        return array_size(detail<ArraySize>(size));
      case ExpressionKind::kCast:
        return value(size.operands.front());
      case ExpressionKind::kSlice:
        return slice_size(value(size.operands[0]), value(size.operands[1]), value(size.operands[2]),
                          value(size.operands[3]));
      case ExpressionKind::kSelect:
        return value(size.operands[value(size.operands[0]) != 0 ? 1 : 2]);
      default:
        return result(detail<Operation>(size), value(size.operands[0]), value(size.operands[1]));
    }
  }

 private:
  static std::int64_t constant(const declare::ConstantValue& value) {
    const auto* const is_unsigned = std::get_if<std::uint64_t>(&value);
    return is_unsigned ? static_cast<std::int64_t>(*is_unsigned) : std::get<std::int64_t>(value);
  }

  std::int64_t array_size(const ArraySize& size) const {
    const auto& dimensions = layout_.operands[static_cast<std::size_t>(size.array)];
    const auto axis = static_cast<std::size_t>(size.axis);
    if (axis >= dimensions.size()) return 1;
    return core_sizes_[static_cast<std::size_t>(dimensions[axis].name_index)];
  }

  static std::int64_t result(Operation operation, std::int64_t left, std::int64_t right) {
    const auto first = static_cast<std::uint64_t>(left);
    const auto second = static_cast<std::uint64_t>(right);
    const auto quotient = static_cast<std::uint64_t>(floor_divide(left, right));
    switch (operation) {
      case Operation::kAdd:
        return static_cast<std::int64_t>(first + second);
      case Operation::kSubtract:
        return static_cast<std::int64_t>(first - second);
      case Operation::kMultiply:
        return static_cast<std::int64_t>(first * second);
      case Operation::kFloorDivide:
        return static_cast<std::int64_t>(quotient);
      case Operation::kRemainder:
        return right == 0 ? 0 : static_cast<std::int64_t>(first - quotient * second);
      case Operation::kMinimum:
      case Operation::kPythonMin:
        return std::min(left, right);
      case Operation::kEqual:
        return left == right;
      case Operation::kNotEqual:
        return left != right;
      case Operation::kLess:
        return left < right;
      case Operation::kLessEqual:
        return left <= right;
      case Operation::kGreater:
        return left > right;
      case Operation::kGreaterEqual:
        return left >= right;
      default:
        return std::max(left, right);
    }
  }

  const declare::CoreSignature& layout_;
  std::span<const std::int64_t> core_sizes_;
};

// A slot whose array grows from trip to trip takes less memory than so many of the largest arrays:
// see renewed_array in templates/npp/core/scratch.hpp.
constexpr std::int64_t kMostMemoryOfSlots = 4;

declare::Diagnostic obstacle_at(const Expression& array, std::string message, std::string hint) {
  return {declare::Severity::kError, std::move(message), array.place, {}, std::move(hint)};
}

// The scratch arrays of a kernel and of the functions that it calls, up to the first that no launch
// can provide.
class ScratchSearch {
 public:
  ScratchSearch(const declare::PythonKernel& kernel, bool has_layout)
      : kernel_(kernel), has_layout_(has_layout) {}

  FunctionScratch run() {
    SizeResolver resolver(kernel_);
    return of_function(kernel_.function, resolver);
  }

  const std::optional<declare::Diagnostic>& obstacle() const { return obstacle_; }

 private:
  FunctionScratch of_function(const declare::Function& function, SizeResolver& resolver) {
    FunctionScratch result;
    for (const ScratchSite& site : find_scratch_sites(function)) {
      if (!obstacle_) result.arrays.push_back(of_site(site, resolver));
    }
    visit_expressions(function.body, [&](const Expression& part) {
      if (obstacle_ || part.kind != ExpressionKind::kCallFunction) return;
      const declare::Function& called = called_function(part);
      if (!makes_arrays(called)) return;
      if (called.is_recursive) {
        obstacle_ = obstacle_at(part, "on a device, no function that calls itself can make arrays",
                                "make them in the kernel, and pass them to " + called.name);
        return;
      }
      SizeResolver inner(called, part, resolver);
      result.calls.push_back(of_function(called, inner));
    });
    return result;
  }

  const declare::Function& called_function(const Expression& call) const {
    const auto index = detail<declare::DeviceFunctionCall>(call).function;
    return kernel_.device_functions[static_cast<std::size_t>(index)];
  }

  // Itself or by the functions that it calls.
  bool makes_arrays(const declare::Function& function) {
    const auto known = makers_.find(&function);
    if (known != makers_.end()) return known->second;
    bool makes = declare::has_scratch(function);
    visit_expressions(function.body, [&](const Expression& part) {
      if (part.kind == ExpressionKind::kCallFunction) makes |= makes_arrays(called_function(part));
    });
    return makers_[&function] = makes;
  }

  ScratchArray of_site(const ScratchSite& site, SizeResolver& resolver) {
    const Expression& made = *site.statement->value;
    if (!has_layout_) {
      obstacle_ =
          obstacle_at(made, "on a device, only generalized ufuncs can make an array of this size",
                      "use the largest size you need, such as 32");
      return {};
    }
    const bool is_exact = std::ranges::all_of(
        made.operands, [&](const Expression& size) { return resolver.resolve(size).has_value(); });
    const bool may_grow = site.is_in_loop && !is_exact;
    ScratchArray array{site.n_slots() * (may_grow ? kMostMemoryOfSlots : 1), {}};
    for (const Expression& size : made.operands) {
      auto resolved = resolver.bound(size);
      if (!resolved) {
        obstacle_ =
            obstacle_at(made, "on a device, the size of an array must follow from core dimensions",
                        "use the largest size you need, such as len(x)");
        return {};
      }
      array.sizes.push_back(std::move(*resolved));
    }
    return array;
  }

  const declare::PythonKernel& kernel_;
  const bool has_layout_;
  std::map<const declare::Function*, bool> makers_;
  std::optional<declare::Diagnostic> obstacle_;
};

// nullopt beyond int64.
std::optional<std::int64_t> array_bytes(const ScratchArray& array, std::int64_t n_bytes,
                                        const SizeEvaluation& evaluation) {
  for (const Expression& size : array.sizes) {
    const std::int64_t factor = std::max<std::int64_t>(evaluation.value(size), 0);
    if (__builtin_mul_overflow(n_bytes, factor, &n_bytes)) return std::nullopt;
  }
  if (__builtin_mul_overflow(n_bytes, array.n_slots, &n_bytes)) return std::nullopt;
  return n_bytes;
}

// Of a function's arrays, and those of the call that takes most.
std::optional<std::int64_t> function_bytes(const FunctionScratch& function, std::int64_t item_bytes,
                                           const SizeEvaluation& evaluation) {
  std::int64_t total = 0;
  for (const FunctionScratch& call : function.calls) {
    const auto n_bytes = function_bytes(call, item_bytes, evaluation);
    if (!n_bytes) return std::nullopt;
    total = std::max(total, *n_bytes);
  }
  for (const ScratchArray& array : function.arrays) {
    const auto n_bytes = array_bytes(array, item_bytes, evaluation);
    if (!n_bytes || __builtin_add_overflow(total, *n_bytes, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace

DeviceScratch device_scratch(const declare::TypedKernel& kernel) {
  DeviceScratch result;
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || !declare::has_scratch(*python)) return result;
  result.item_bytes = declare::scratch_item_bytes(*python);
  ScratchSearch search(*python, kernel.layout.has_value());
  result.kernel = search.run();
  result.obstacle = search.obstacle();
  return result;
}

std::optional<std::int64_t> scratch_bytes(const DeviceScratch& scratch,
                                          const declare::CoreSignature& layout,
                                          std::span<const std::int64_t> core_sizes) {
  return function_bytes(scratch.kernel, scratch.item_bytes, SizeEvaluation(layout, core_sizes));
}

void require_device_scratch(const declare::TypedKernel& kernel) {
  const DeviceScratch scratch = device_scratch(kernel);
  if (!scratch.obstacle) return;
  throw declare::KernelError({*scratch.obstacle},
                             std::get<declare::PythonKernel>(kernel.body).sources);
}

}  // namespace numpy_plugin::analysis
