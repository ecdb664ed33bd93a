#include "numpy_plugin/run/launch/elementwise_call.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace numpy_plugin::run {
namespace {

// Address range, its end exclusive.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool meets(const Extent& other) const { return begin < other.end && other.begin < end; }
};

std::int64_t stride_of(const CallOperand& operand, std::size_t axis) {
  return operand.strides == nullptr ? 0 : operand.strides[axis];
}

Extent extent(const ElementwiseCall& call, const CallOperand& operand) {
  Extent result{operand.address, operand.address + operand.item_bytes()};
  for (std::size_t axis = 0; axis < call.shape.size(); ++axis) {
    const std::int64_t reach = stride_of(operand, axis) * (call.shape[axis] - 1);
    (reach < 0 ? result.begin : result.end) += static_cast<std::uint64_t>(reach);
  }
  return result;
}

bool is_same_place(const ElementwiseCall& call, const CallOperand& one, const CallOperand& other) {
  if (one.address != other.address || one.item_bytes() != other.item_bytes()) return false;
  for (std::size_t axis = 0; axis < call.shape.size(); ++axis) {
    if (call.shape[axis] != 1 && stride_of(one, axis) != stride_of(other, axis)) return false;
  }
  return true;
}

// Whether each stride exceeds the extent of all smaller ones. Some layouts without shared addresses
// fail this test; they only cost a temporary.
bool may_self_overlap(const ElementwiseCall& call, const CallOperand& operand) {
  std::array<std::pair<std::int64_t, std::int64_t>, kMaxDimensions> steps;  // stride and size
  std::size_t n_steps = 0;
  for (std::size_t axis = 0; axis < call.shape.size(); ++axis) {
    if (call.shape[axis] > 1)
      steps[n_steps++] = {std::abs(stride_of(operand, axis)), call.shape[axis]};
  }
  std::sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(n_steps));
  auto reached = static_cast<std::int64_t>(operand.item_bytes());
  for (std::size_t i = 0; i < n_steps; ++i) {
    const auto [stride, size] = steps[i];
    if (stride < reached) return true;
    reached += stride * (size - 1);
  }
  return false;
}

bool has_no_elements(const ElementwiseCall& call) {
  return std::find(call.shape.begin(), call.shape.end(), 0) != call.shape.end();
}

bool overlaps_later_output(const ElementwiseCall& call, std::size_t output) {
  if (has_no_elements(call)) return false;
  const Extent bytes = extent(call, call.operands[output]);
  return std::any_of(call.operands.begin() + static_cast<std::ptrdiff_t>(output) + 1,
                     call.operands.end(),
                     [&](const CallOperand& other) { return bytes.meets(extent(call, other)); });
}

// Whether it overlaps inputs or the mask; with a mask also outputs, except those `before` that are
// copied back.
bool meets_what_is_read(const ElementwiseCall& call, std::size_t first_output, std::size_t output,
                        const std::vector<SharedOutput>& before) {
  const CallOperand& written = call.operands[output];
  const Extent bytes = extent(call, written);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const CallOperand& other = call.operands[i];
    const bool is_read = i < first_output ? !other.is_value : call.is_masked && i != output;
    const bool is_copied = std::any_of(before.begin(), before.end(), [&](const SharedOutput& one) {
      return one.operand == i && one.is_copied_back;
    });
    if (!is_read || is_copied || is_same_place(call, written, other)) continue;
    if (bytes.meets(extent(call, other))) return true;
  }
  return false;
}

}  // namespace

bool needs_temporary(const ElementwiseCall& call, std::size_t n_inputs, std::size_t output) {
  if (has_no_elements(call)) return false;
  const CallOperand& written = call.operands[output];
  if (may_self_overlap(call, written)) return true;
  const std::size_t first_output = n_inputs + (call.is_masked ? 1 : 0);
  const Extent bytes = extent(call, written);
  for (std::size_t i = 0; i < output; ++i) {
    const CallOperand& other = call.operands[i];
    if (other.is_value || !bytes.meets(extent(call, other))) continue;
    if (i >= first_output || !is_same_place(call, written, other)) return true;
  }
  return false;
}

std::vector<std::size_t> in_order_of_writing(std::vector<SharedOutput> outputs) {
  const auto first_copied_back = std::ranges::stable_partition(
      outputs, [](const SharedOutput& output) { return !output.is_copied_back; });
  std::stable_sort(outputs.begin(), first_copied_back.begin(),
                   [](const SharedOutput& one, const SharedOutput& other) {
                     return one.lowest_byte > other.lowest_byte;
                   });
  std::vector<std::size_t> operands;
  for (const SharedOutput& output : outputs) operands.push_back(output.operand);
  return operands;
}

std::vector<std::size_t> outputs_with_temporaries(const ElementwiseCall& call,
                                                  std::size_t n_inputs) {
  const std::size_t first_output = n_inputs + (call.is_masked ? 1 : 0);
  std::vector<SharedOutput> found;
  for (std::size_t i = first_output; i < call.operands.size(); ++i) {
    if (!needs_temporary(call, n_inputs, i) && !overlaps_later_output(call, i)) continue;
    const std::uint64_t lowest_byte = extent(call, call.operands[i]).begin;
    found.push_back({i, lowest_byte, meets_what_is_read(call, first_output, i, found)});
  }
  return in_order_of_writing(std::move(found));
}

}  // namespace numpy_plugin::run
