// Signatures whose dates and durations take their unit from the call.
#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/time_units.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::TimeType;

bool is_open(const OperandType& operand) {
  return base::is_time(operand.dtype) && base::time_type(operand.dtype).is_generic();
}

bool any_operand(const TypeSignature& signature, bool (*holds)(const OperandType&)) {
  return std::ranges::any_of(signature.inputs, holds) ||
         std::ranges::any_of(signature.outputs, holds);
}

void set_unit(OperandType& operand, const TimeType& unit) {
  if (!is_open(operand)) return;
  operand.dtype =
      base::time_dtype({base::time_type(operand.dtype).is_duration, unit.unit, unit.count});
}

}  // namespace

bool has_open_units(const TypeSignature& signature) { return any_operand(signature, is_open); }

bool has_times(const TypeSignature& signature) {
  return any_operand(signature,
                     [](const OperandType& operand) { return base::is_time(operand.dtype); });
}

TypeSignature with_units(TypeSignature signature, const std::vector<DType>& inputs) {
  TimeType common{true};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_open(signature.inputs[i]) || !base::is_time(inputs[i])) continue;
    const TimeType& unit = base::time_type(inputs[i]);
    const auto next = base::common_time(common, unit);
    if (!next) {
      throw base::Error(base::ErrorKind::kType,
                        format("{} and {} have no common unit", common.text(), unit.text()));
    }
    common = *next;
  }
  for (OperandType& operand : signature.inputs) set_unit(operand, common);
  for (OperandType& operand : signature.outputs) set_unit(operand, common);
  return signature;
}

}  // namespace numpy_plugin::declare
