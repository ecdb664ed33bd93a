// NumPy's promotion of dtypes and of weak numbers, and descriptions of types in messages.
#include "numpy_plugin/kernel/inferred_type.hpp"

#include <algorithm>

#include "numpy_plugin/base/time_units.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using base::DTypeKind;

DTypeKind kind_of(DType dtype) { return base::info(dtype).kind; }

DType integer_dtype(bool is_signed, int bits) {
  switch (bits) {
    case 8:
      return is_signed ? DType::kInt8 : DType::kUInt8;
    case 16:
      return is_signed ? DType::kInt16 : DType::kUInt16;
    case 32:
      return is_signed ? DType::kInt32 : DType::kUInt32;
    default:
      return is_signed ? DType::kInt64 : DType::kUInt64;
  }
}

DType promote_integers(DType left, DType right) {
  const bool left_is_signed = kind_of(left) == DTypeKind::kSigned;
  if (left_is_signed == (kind_of(right) == DTypeKind::kSigned)) {
    return n_bits(left) >= n_bits(right) ? left : right;
  }
  const DType with_sign = left_is_signed ? left : right;
  const DType without_sign = left_is_signed ? right : left;
  if (n_bits(with_sign) > n_bits(without_sign)) return with_sign;
  if (n_bits(without_sign) == 64) return DType::kFloat64;
  return integer_dtype(true, 2 * n_bits(without_sign));
}

// ml_dtypes promotes bfloat16 with one-byte integers to bfloat16; other types follow NumPy's search
// for a loop.
DType promote_bfloat16(DType other) {
  if (base::is_integer(other)) {
    if (n_bits(other) == 8) return DType::kBFloat16;
    return n_bits(other) == 16 ? DType::kFloat32 : DType::kFloat64;
  }
  return other == DType::kFloat16 ? DType::kFloat32 : other;
}

// The smallest floating-point type that NumPy uses for an integer type.
DType floating_for(DType integer) {
  if (n_bits(integer) == 8) return DType::kFloat16;
  return n_bits(integer) == 16 ? DType::kFloat32 : DType::kFloat64;
}

DType promote_floating(DType left, DType right) {
  if (left == DType::kBFloat16) return promote_bfloat16(right);
  if (right == DType::kBFloat16) return promote_bfloat16(left);
  return n_bits(left) >= n_bits(right) ? left : right;
}

// Named sizes are -2 - name * kMaxRemoved - the number of elements removed from them.
constexpr std::int64_t kMaxRemoved = 1 << 20;

int weak_rank(const InferredType& type) {
  if (base::is_complex(type.dtype)) return 2;
  return base::is_floating(type.dtype) ? 1 : 0;
}

// Promotion of a weak number with a strong type.
InferredType promote_weak(const InferredType& weak, DType strong) {
  const int rank = weak_rank(weak);
  const bool is_inexact = base::is_floating(strong) || base::is_complex(strong);
  if (rank == 0) return InferredType::scalar(strong == DType::kBool ? DType::kInt64 : strong);
  if (rank == 1) return InferredType::scalar(is_inexact ? strong : DType::kFloat64);
  return InferredType::scalar(is_inexact ? complex_dtype(real_dtype(strong)) : DType::kComplex128);
}

std::optional<InferredType> unify_tuples(const InferredType& left, const InferredType& right) {
  if (left.items.size() != right.items.size()) return std::nullopt;
  InferredType result = InferredType::tuple({});
  if (left.is_record || right.is_record) {
    const bool is_same = left.is_record == right.is_record && left.names == right.names &&
                         left.n_dimensions == right.n_dimensions;
    if (!is_same) return std::nullopt;
    result.is_record = true;
    result.n_dimensions = left.n_dimensions;
  }
  if (left.names == right.names) result.names = left.names;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    const auto item = unify(left.items[i], right.items[i]);
    if (!item) return std::nullopt;
    result.items.push_back(*item);
  }
  return result;
}

// A view of either: the accesses that both allow, and the sizes they share.
std::optional<InferredType> unify_arrays(const InferredType& left, const InferredType& right) {
  if (left.dtype != right.dtype || left.n_dimensions != right.n_dimensions) return std::nullopt;
  InferredType result = left;
  result.is_read_only |= right.is_read_only;
  if (right.sizes.empty()) result.sizes.clear();
  for (std::size_t axis = 0; axis < result.sizes.size(); ++axis) {
    if (result.sizes[axis] != right.sizes[axis]) result.sizes[axis] = -1;
  }
  return result;
}

// Of numbers and dates the dates' type: where that fits no value, their conversion is refused.
DType promote_times(DType left, DType right) {
  if (!base::is_time(left)) return right;
  if (!base::is_time(right)) return left;
  const auto common = base::common_time(base::time_type(left), base::time_type(right));
  return common ? base::time_dtype(*common) : left;
}

// Dates with dates and durations with durations.
std::optional<InferredType> unify_times(DType left, DType right) {
  if (!base::is_time(left) || !base::is_time(right)) return std::nullopt;
  const base::TimeType& first = base::time_type(left);
  const base::TimeType& second = base::time_type(right);
  const auto common = base::common_time(first, second);
  if (!common || first.is_duration != second.is_duration) return std::nullopt;
  return InferredType::scalar(base::time_dtype(*common));
}

}  // namespace

int n_bits(DType dtype) { return static_cast<int>(base::info(dtype).n_bytes) * 8; }

DType real_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

bool is_integer_or_bool(DType dtype) { return base::is_integer(dtype) || dtype == DType::kBool; }

DType complex_dtype(DType real) {
  return n_bits(real) > 32 ? DType::kComplex128 : DType::kComplex64;
}

std::int64_t named_size(int name) { return -2 - name * kMaxRemoved; }

std::int64_t size_without(std::int64_t size, std::int64_t n) {
  if (size >= 0) return std::max<std::int64_t>(size - std::min(n, size), 0);
  if (size == -1) return -1;
  const std::int64_t n_removed = (-2 - size) % kMaxRemoved;
  return n < kMaxRemoved - n_removed ? size - n : -1;
}

ValueType storage(const InferredType& type) {
  switch (type.kind) {
    case InferredType::Kind::kScalar:
      return ValueType::scalar(type.dtype);
    case InferredType::Kind::kArray:
      return ValueType::array(type.dtype, type.n_dimensions, type.is_read_only);
    case InferredType::Kind::kTuple: {
      std::vector<ValueType> items;
      for (const InferredType& item : type.items) items.push_back(storage(item));
      return ValueType::tuple(std::move(items));
    }
    case InferredType::Kind::kNone:
      return ValueType::tuple({});
    default:
      return {};
  }
}

DType promote(DType left, DType right) {
  if (left == right) return left;
  if (left == DType::kBool) return right;
  if (right == DType::kBool) return left;
  if (base::is_time(left) || base::is_time(right)) return promote_times(left, right);
  if (base::is_complex(left) || base::is_complex(right)) {
    const DType left_real = base::is_integer(left) ? floating_for(left) : real_dtype(left);
    const DType right_real = base::is_integer(right) ? floating_for(right) : real_dtype(right);
    return complex_dtype(promote_floating(left_real, right_real));
  }
  if (base::is_integer(left) && base::is_integer(right)) return promote_integers(left, right);
  if (left == DType::kBFloat16) return promote_bfloat16(right);
  if (right == DType::kBFloat16) return promote_bfloat16(left);
  if (base::is_integer(left)) return promote_floating(floating_for(left), right);
  if (base::is_integer(right)) return promote_floating(left, floating_for(right));
  return promote_floating(left, right);
}

InferredType promote(const InferredType& left, const InferredType& right) {
  if (base::is_time(left.dtype) || base::is_time(right.dtype)) {
    return InferredType::scalar(promote_times(left.dtype, right.dtype));
  }
  if (left.is_weak && right.is_weak) return weak_rank(left) >= weak_rank(right) ? left : right;
  if (left.is_weak) return promote_weak(left, right.dtype);
  if (right.is_weak) return promote_weak(right, left.dtype);
  return InferredType::scalar(promote(left.dtype, right.dtype));
}

bool holds_exactly(DType to, DType from) {
  if (to == from || from == DType::kBool) return true;
  if (promote(to, from) != to) return false;
  // Promotion itself loses bits where a float64 holds 64-bit integers.
  if (!base::is_integer(from) || base::is_integer(to)) return true;
  return n_bits(from) < n_bits(real_dtype(to)) && to != DType::kBFloat16;
}

bool drops_imaginary_part(DType to, DType from) {
  return base::is_complex(from) && !base::is_complex(to) && to != DType::kBool;
}

bool changes_kind(DType to, DType from) {
  const bool is_inexact = base::is_floating(from) || base::is_complex(from);
  return to != from && (to == DType::kBool || (is_inexact && base::is_integer(to)));
}

std::optional<InferredType> unify(const InferredType& left, const InferredType& right) {
  if (!left.is_known()) return right;
  if (!right.is_known() || left == right) return left;
  if (left.is_tuple() && right.is_tuple()) return unify_tuples(left, right);
  if (left.is_array() && right.is_array()) return unify_arrays(left, right);
  if (!left.is_scalar() || !right.is_scalar()) return std::nullopt;
  if (base::is_time(left.dtype) || base::is_time(right.dtype)) {
    return unify_times(left.dtype, right.dtype);
  }
  const InferredType result = promote(left, right);
  const auto is_held = [&result](const InferredType& type) {
    return type.is_weak || holds_exactly(result.dtype, type.dtype);
  };
  if (!is_held(left) || !is_held(right)) return std::nullopt;
  return result;
}

std::string describe(const InferredType& type) {
  switch (type.kind) {
    case InferredType::Kind::kTuple:
      if (type.is_records()) {
        return format("a {}-dimensional array of records", type.n_dimensions);
      }
      return type.is_record ? "a record" : format("a tuple of {}", type.items.size());
    case InferredType::Kind::kArray:
      return format("a {}-dimensional array", type.n_dimensions);
    case InferredType::Kind::kNone:
      return "None";
    default:
      return std::string(base::name(type.dtype));
  }
}

std::string with_article(const InferredType& type) {
  if (!type.is_scalar()) return describe(type);
  const std::string name = describe(type);
  return (name.starts_with("int") ? "an " : "a ") + name;
}

}  // namespace numpy_plugin::declare
