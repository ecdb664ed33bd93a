#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"

#include <algorithm>
#include <cstdlib>

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

}  // namespace

DeviceScratch device_scratch(const declare::TypedKernel& kernel) {
  DeviceScratch result;
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return result;
  for (const declare::Function& function : python->device_functions) {
    for (const ScratchSite& site : find_scratch_sites(function)) {
      result.obstacle = obstacle_at(
          *site.statement->value, "on a device, no device function can make an array of this size",
          "make it in the kernel, and pass it to " + function.name);
      return result;
    }
  }
  result.item_bytes = declare::scratch_item_bytes(*python);
  SizeResolver resolver(python->function);
  for (const ScratchSite& site : find_scratch_sites(python->function)) {
    const Expression& made = *site.statement->value;
    if (!kernel.layout) {
      result.obstacle =
          obstacle_at(made,
                      "on a device, only generalized ufuncs can make an array of this "
                      "size",
                      "use the largest size you need, such as 32");
      return result;
    }
    const bool is_exact = std::ranges::all_of(
        made.operands, [&](const Expression& size) { return resolver.resolve(size).has_value(); });
    const bool may_grow = site.is_in_loop && !is_exact;
    ScratchArray array{site.n_slots() * (may_grow ? kMostMemoryOfSlots : 1), {}};
    for (const Expression& size : made.operands) {
      auto resolved = resolver.bound(size);
      if (!resolved) {
        result.obstacle =
            obstacle_at(made, "on a device, the size of an array must follow from core dimensions",
                        "use the largest size you need, such as len(x)");
        return result;
      }
      array.sizes.push_back(std::move(*resolved));
    }
    result.arrays.push_back(std::move(array));
  }
  return result;
}

std::optional<std::int64_t> scratch_bytes(const DeviceScratch& scratch,
                                          const declare::CoreSignature& layout,
                                          std::span<const std::int64_t> core_sizes) {
  const SizeEvaluation evaluation(layout, core_sizes);
  std::int64_t total = 0;
  for (const ScratchArray& array : scratch.arrays) {
    std::int64_t n_bytes = scratch.item_bytes;
    for (const Expression& size : array.sizes) {
      const std::int64_t factor = std::max<std::int64_t>(evaluation.value(size), 0);
      if (__builtin_mul_overflow(n_bytes, factor, &n_bytes)) return std::nullopt;
    }
    if (__builtin_mul_overflow(n_bytes, array.n_slots, &n_bytes)) return std::nullopt;
    if (__builtin_add_overflow(total, n_bytes, &total)) return std::nullopt;
  }
  return total;
}

void require_device_scratch(const declare::TypedKernel& kernel) {
  const DeviceScratch scratch = device_scratch(kernel);
  if (!scratch.obstacle) return;
  throw declare::KernelError({*scratch.obstacle},
                             std::get<declare::PythonKernel>(kernel.body).sources);
}

}  // namespace numpy_plugin::analysis
