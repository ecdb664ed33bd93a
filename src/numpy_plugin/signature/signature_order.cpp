// NumPy's safe casting between kernel dtypes, and the resulting order of loops.
#include <algorithm>

#include "numpy_plugin/base/time_units.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::DTypeInfo;
using base::DTypeKind;

// Size of the smallest floating-point type that NumPy casts an integer to; float64 also takes
// 64-bit integers, although it can't represent them all.
std::size_t n_floating_bytes(const DTypeInfo& integer) {
  return std::min<std::size_t>(2 * integer.n_bytes, 8);
}

std::size_t n_component_bytes(const DTypeInfo& type) {
  return type.kind == DTypeKind::kComplex ? type.n_bytes / 2 : type.n_bytes;
}

bool integer_fits(const DTypeInfo& from, const DTypeInfo& to) {
  switch (to.kind) {
    case DTypeKind::kBoolean:
      return false;
    case DTypeKind::kSigned:
      return from.kind == DTypeKind::kSigned ? from.n_bytes <= to.n_bytes
                                             : from.n_bytes < to.n_bytes;
    case DTypeKind::kUnsigned:
      return from.kind == DTypeKind::kUnsigned && from.n_bytes <= to.n_bytes;
    default:
      return n_floating_bytes(from) <= n_component_bytes(to);
  }
}

// Integers as durations, and ticks in a unit that counts them: all of them, for those without a
// unit.
bool time_fits(DType from, DType to) {
  const base::TimeType& target = base::time_type(to);
  if (!base::is_time(from)) {
    return target.is_duration && can_cast_safely(from, DType::kInt64);
  }
  const base::TimeType& source = base::time_type(from);
  if (source.is_duration != target.is_duration) return false;
  if (source == target || source.is_generic() || target.is_generic()) return true;
  const bool is_finer_date = !source.is_duration && base::is_calendar_unit(source.unit) &&
                             !base::is_calendar_unit(target.unit);
  const auto ratio = base::tick_ratio(source, target);
  return is_finer_date || (ratio && ratio->denominator == 1);
}

// Whether all of `first`'s inputs can be cast to `second`'s, and they differ.
bool comes_before(const TypeSignature& first, const TypeSignature& second) {
  bool differs = false;
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    const DType from = first.inputs[i].dtype;
    const DType to = second.inputs[i].dtype;
    if (!can_cast_safely(from, to)) return false;
    differs = differs || from != to;
  }
  return differs;
}

}  // namespace

bool can_cast_safely(DType from, DType to) {
  if (base::is_time(to)) return time_fits(from, to);
  const DTypeInfo& source = base::info(from);
  const DTypeInfo& target = base::info(to);
  if (from == to || source.kind == DTypeKind::kBoolean) return true;
  if (base::is_time(from)) return false;
  if (base::is_integer(from)) return integer_fits(source, target);
  if (base::is_floating(from)) {
    if (base::is_floating(to)) return source.n_bytes < target.n_bytes;
    return base::is_complex(to) && source.n_bytes <= n_component_bytes(target);
  }
  return base::is_complex(to) && source.n_bytes <= target.n_bytes;
}

std::vector<TypeSignature> sort_by_casting(std::vector<TypeSignature> signatures) {
  std::vector<TypeSignature> sorted;
  while (!signatures.empty()) {
    // The first without a predecessor: safe casting is a partial order, so one exists.
    const auto next = std::find_if(signatures.begin(), signatures.end(), [&](const auto& each) {
      return std::none_of(signatures.begin(), signatures.end(),
                          [&each](const auto& other) { return comes_before(other, each); });
    });
    sorted.push_back(*next);
    signatures.erase(next);
  }
  return sorted;
}

}  // namespace numpy_plugin::declare
