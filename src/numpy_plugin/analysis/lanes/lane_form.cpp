// Forms of operations: those of the table, vector functions, and calls lane by lane.
#include "numpy_plugin/analysis/lanes/lane_form.hpp"

#include <algorithm>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;

base::DType operand_dtype(const Expression& call) { return call.operands.front().type.dtype; }

bool has_one_type(const Expression& call) {
  return std::all_of(call.operands.begin(), call.operands.end(), [&](const Expression& operand) {
    return operand.type.dtype == operand_dtype(call);
  });
}

// Types of arguments, as bits.
constexpr unsigned kMasks = 1, kFloating = 2, kIntegers = 4, kHalves = 8, kTicks = 16;

unsigned kind_of(base::DType dtype) {
  if (dtype == base::DType::kBool) return kMasks;
  return base::is_floating(dtype) ? kFloating : kIntegers;
}

struct FormRow {
  Operation operation;
  unsigned types;
  LaneForm form;
};

constexpr FormRow kForms[] = {
#define NPP_LANE_FORM(operation, types, form) {Operation::operation, types, LaneForm::form},
#include "numpy_plugin/kernel/operations.def"
};

const FormRow* find_form(Operation operation, unsigned type) {
  for (const FormRow& row : kForms) {
    if (row.operation == operation && (row.types & type) != 0) return &row;
  }
  return nullptr;
}

}  // namespace

LaneForm lane_form(const Expression& call) {
  const auto operation = detail<Operation>(call);
  const base::DType dtype = operand_dtype(call);
  if (known_divisor(call) && operation != Operation::kTimeFloorDivide) return LaneForm::kPlain;
  if (const FormRow* const row = find_form(operation, kTicks)) return row->form;
  if (!has_one_type(call)) return LaneForm::kEach;
  if (const FormRow* const row = find_form(operation, kind_of(dtype))) return row->form;
  const bool is_vector_math = declare::info(operation).evaluation == declare::Evaluation::kVector &&
                              base::is_floating(dtype);
  return is_vector_math ? LaneForm::kMath : LaneForm::kEach;
}

LaneForm lane_form(const Expression& call, declare::MathMode math) {
  const OwnFunction* const own = own_function(call);
  const bool is_own =
      own != nullptr && (math == declare::MathMode::kReproducible ||
                         (math == declare::MathMode::kVector && own->lanes == OwnFunction::kBoth &&
                          own->vector_bytes <= 32));
  const LaneForm form = lane_form(call);
  return is_own && has_one_type(call) && form == LaneForm::kEach ? LaneForm::kMath : form;
}

std::optional<std::uint64_t> known_divisor(const Expression& call) {
  const auto operation = detail<Operation>(call);
  const bool is_division = is_floor_division(call) || operation == Operation::kTimeDivideInt;
  if (!is_division || operation == Operation::kFmod) return {};
  if (!base::is_integer(operand_dtype(call))) return {};
  const Expression& divisor = call.operands.back();
  if (divisor.kind != ExpressionKind::kConstant) return {};
  const auto& value = detail<declare::ConstantValue>(divisor);
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    if (*number <= 0) return {};
    return static_cast<std::uint64_t>(*number);
  }
  const std::uint64_t number = std::get<std::uint64_t>(value);
  if (number == 0) return {};
  return number;
}

bool is_of_times(const Expression& call) {
  return declare::info(detail<Operation>(call)).header.starts_with("time/");
}

bool is_floor_division(const Expression& call) {
  const auto operation = detail<Operation>(call);
  return operation == Operation::kFloorDivide || operation == Operation::kRemainder ||
         operation == Operation::kFmod || operation == Operation::kTimeFloorDivide ||
         operation == Operation::kTimeRemainder;
}

bool is_of_halves(const Expression& call) { return base::is_half(operand_dtype(call)); }

bool computes_in_float32(const Expression& call) {
  return is_of_halves(call) && find_form(detail<Operation>(call), kHalves) == nullptr;
}

bool is_scalar_cast(const Expression& cast) {
  const base::DType from = operand_dtype(cast);
  const bool is_wide = base::info(from).n_bytes >= 4 && from != base::DType::kFloat32;
  return base::is_half(cast.type.dtype) && is_wide;
}

// Integers may be too large for float16; of floating-point numbers only wider ones hold all.
bool is_guarded_cast(const Expression& cast) {
  const base::DType from = operand_dtype(cast), to = cast.type.dtype;
  if (base::is_half(to)) return true;
  const bool is_exact = base::is_half(from) && base::is_floating(to);
  return base::is_floating(from) && to != base::DType::kBool && !is_exact;
}

}  // namespace numpy_plugin::analysis
