#include "numpy_plugin/signature/operand_pattern.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/base/time_type.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::DTypeKind;

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw base::Error(base::ErrorKind::kType, format("{}; {}", message, hint));
}

// Python's numbers take a dtype of their own kind or of a wider one; ints are durations, too.
bool takes_number(DType dtype, DType number) {
  if (base::is_time(dtype)) return base::is_duration(dtype) && number == DType::kInt64;
  if (number == DType::kComplex128) return base::is_complex(dtype);
  if (number == DType::kFloat64) return base::is_complex(dtype) || base::is_floating(dtype);
  return number == DType::kBool || dtype != DType::kBool;
}

// Whether a time has no unit, as NaT and NumPy's durations of Python ints, and takes the other's.
bool takes_unit(DType dtype, DType other) {
  return base::is_time(dtype) && base::time_type(dtype).is_generic() && base::is_time(other) &&
         base::is_duration(dtype) == base::is_duration(other);
}

std::string name_of_number(DType number) {
  if (number == DType::kComplex128) return "a Python complex";
  if (number == DType::kFloat64) return "a Python float";
  return number == DType::kBool ? "a Python bool" : "a Python int";
}

class Resolution {
 public:
  Resolution(const PatternedOperands& operands, const std::vector<GivenType>& given)
      : operands_(operands), given_(given) {}

  std::vector<DType> run();

 private:
  struct Found {
    DType dtype;
    std::size_t operand;
  };

  const OperandPattern& pattern(std::size_t operand) const { return operands_.patterns[operand]; }
  std::string named(std::size_t operand) const { return base::quoted(operands_.names[operand]); }
  void check_fixed(std::size_t operand) const;
  void take_outputs();
  void take_arrays();
  void take_numbers();
  void take_number(std::size_t operand);
  DType dtype_of(std::size_t operand) const;

  const PatternedOperands& operands_;
  const std::vector<GivenType>& given_;
  std::map<std::string, Found> found_;
};

void Resolution::check_fixed(std::size_t operand) const {
  const GivenType& given = given_[operand];
  const DType dtype = pattern(operand).dtype;
  const bool fits = given.dtype ? can_cast_safely(*given.dtype, dtype)
                                : !given.number || takes_number(dtype, *given.number);
  if (fits) return;
  refuse(
      format("{} of '{}' is {}, found {}", named(operand), operands_.kernel, base::name(dtype),
             given.dtype ? std::string(base::name(*given.dtype)) : name_of_number(*given.number)),
      "cast it");
}

// As in CuPy, given outputs decide before the inputs, which are then cast.
void Resolution::take_outputs() {
  for (std::size_t i = operands_.n_inputs; i < given_.size(); ++i) {
    if (pattern(i).placeholder.empty() || !given_[i].dtype) continue;
    found_.emplace(pattern(i).placeholder, Found{*given_[i].dtype, i});
  }
}

void Resolution::take_arrays() {
  for (std::size_t i = 0; i < operands_.n_inputs; ++i) {
    if (pattern(i).placeholder.empty()) {
      check_fixed(i);
      continue;
    }
    if (!given_[i].dtype) continue;
    const auto [known, is_new] = found_.emplace(pattern(i).placeholder, Found{*given_[i].dtype, i});
    Found& other = known->second;
    if (takes_unit(other.dtype, *given_[i].dtype)) other = {*given_[i].dtype, i};
    if (is_new || other.operand >= operands_.n_inputs || other.dtype == *given_[i].dtype ||
        takes_unit(*given_[i].dtype, other.dtype))
      continue;
    refuse(format("type '{}' of '{}' is {} for {} and {} for {}", pattern(i).placeholder,
                  operands_.kernel, base::name(other.dtype), named(other.operand),
                  base::name(*given_[i].dtype), named(i)),
           format("cast one of them, or give {} a placeholder of its own", named(i)));
  }
}

void Resolution::take_number(std::size_t operand) {
  const DType number = *given_[operand].number;
  const auto [known, is_new] = found_.emplace(pattern(operand).placeholder, Found{number, operand});
  Found& other = known->second;
  if (is_new || takes_number(other.dtype, number)) return;
  if (!given_[other.operand].dtype) {  // among numbers, the widest kind decides
    other = {number, operand};
    return;
  }
  refuse(format("type '{}' of '{}' is {} for {}, which {} for {} does not fit",
                pattern(operand).placeholder, operands_.kernel, base::name(other.dtype),
                named(other.operand), name_of_number(number), named(operand)),
         format("cast one of them, or give {} a placeholder of its own", named(operand)));
}

void Resolution::take_numbers() {
  for (std::size_t i = 0; i < operands_.n_inputs; ++i) {
    if (!pattern(i).placeholder.empty() && given_[i].number) take_number(i);
  }
}

DType Resolution::dtype_of(std::size_t operand) const {
  const OperandPattern& own = pattern(operand);
  if (own.placeholder.empty()) {
    if (!takes_unit(own.dtype, own.dtype)) return own.dtype;
    refuse(format("{} of '{}' is {} without a unit", named(operand), operands_.kernel,
                  base::name(own.dtype)),
           format("write {}[s], or a placeholder such as T", base::name(own.dtype)));
  }
  const auto known = found_.find(own.placeholder);
  if (known != found_.end()) return known->second.dtype;
  const bool is_output = operand >= operands_.n_inputs;
  refuse(format("no argument of '{}' tells type '{}' of {}", operands_.kernel, own.placeholder,
                named(operand)),
         is_output ? "pass the output, or write its type" : "pass an array, or write the type");
}

std::vector<DType> Resolution::run() {
  take_outputs();
  take_arrays();
  take_numbers();
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < operands_.patterns.size(); ++i) dtypes.push_back(dtype_of(i));
  return dtypes;
}

}  // namespace

OperandPattern OperandPattern::parse(const std::string& type) {
  for (const base::DTypeInfo& row : base::kDTypes) {
    if (row.name == type) return {"", row.dtype};
  }
  if (const auto time = base::find_time_type(type)) return {"", base::time_dtype(*time)};
  return {type};
}

std::vector<DType> resolve_pattern(const PatternedOperands& operands,
                                   const std::vector<GivenType>& given) {
  NPP_ASSERT(given.size() == operands.patterns.size(), operands.kernel);
  return Resolution(operands, given).run();
}

}  // namespace numpy_plugin::declare
