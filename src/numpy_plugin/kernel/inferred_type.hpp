// Types during inference, and NumPy's promotion (NEP 50): plain Python numbers are weak and adapt
// to the other operand's type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

struct InferredType {
  enum class Kind : std::uint8_t {
    kUnknown,  // an error was reported: suppresses further ones
    kScalar,
    kTuple,
    kArray,
    kNone
  };
  Kind kind = Kind::kUnknown;
  // Dtype of a scalar or of an array's elements; for a weak number the one it is stored as: int64,
  // float64 or complex128.
  base::DType dtype = base::DType::kFloat64;
  bool is_weak = false;
  std::vector<InferredType> items;  // of a tuple
  int n_dimensions = 0;             // of an array
  bool is_read_only = false;        // likewise
  // Likewise, -1 where the call decides; empty if it decides all. Equal numbers below -1 stand for
  // equal sizes that the call decides.
  std::vector<std::int64_t> sizes;
  std::vector<std::string> names;  // of a named tuple's fields, else empty
  // A tuple that stands for records of NumPy's: its items are arrays, one per field, whose first
  // `n_dimensions` axes are the records' own. Those of a number, in an elementwise kernel, are
  // numbers.
  bool is_record = false;
  bool operator==(const InferredType&) const = default;

  bool is_known() const { return kind != Kind::kUnknown; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_tuple() const { return kind == Kind::kTuple; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_none() const { return kind == Kind::kNone; }
  bool is_records() const { return is_record && n_dimensions > 0; }

  static InferredType scalar(base::DType dtype) {
    return {Kind::kScalar, dtype, false, {}, 0, false, {}, {}, false};
  }
  static InferredType weak(base::DType dtype) {
    return {Kind::kScalar, dtype, true, {}, 0, false, {}, {}, false};
  }
  static InferredType tuple(std::vector<InferredType> items) {
    return {Kind::kTuple, base::DType::kFloat64, false, std::move(items), 0, false, {}, {}, false};
  }
  static InferredType array(base::DType dtype, int n_dimensions, bool is_read_only = false,
                            std::vector<std::int64_t> sizes = {}) {
    return {Kind::kArray,     dtype, false, {}, n_dimensions, is_read_only,
            std::move(sizes), {},    false};
  }
  static InferredType none() {
    return {Kind::kNone, base::DType::kFloat64, false, {}, 0, false, {}, {}, false};
  }
  std::int64_t size(int axis) const {
    return sizes.empty() ? -1 : sizes[static_cast<std::size_t>(axis)];
  }
};

// The size of a core dimension, by its name in the layout.
std::int64_t named_size(int name);
// A size without `n` elements, or 0 where there are fewer; n >= 0.
std::int64_t size_without(std::int64_t size, std::int64_t n);

// Storage type of a value of this type in a kernel.
ValueType storage(const InferredType& type);

// NumPy's promotion of two dtypes, without weak numbers.
base::DType promote(base::DType left, base::DType right);

// NumPy's promotion of two scalar types; weak only when both are.
InferredType promote(const InferredType& left, const InferredType& right);

// Whether every value of `from` is exactly representable in `to`.
bool holds_exactly(base::DType to, base::DType from);

// The common type for values of both types: NumPy's promotion where that is lossless; nullopt where
// there is none.
std::optional<InferredType> unify(const InferredType& left, const InferredType& right);

// Whether only a real part would be left: an error where no cast is written.
bool drops_imaginary_part(base::DType to, base::DType from);

// Whether a fraction, or everything except truth, may be lost: a warning where no cast is written.
bool changes_kind(base::DType to, base::DType from);

// The floating-point type of a complex type's parts.
base::DType real_dtype(base::DType dtype);
base::DType complex_dtype(base::DType real);

int n_bits(base::DType dtype);

// Integers and bool.
bool is_integer_or_bool(base::DType dtype);

// As in messages: "float32", "a tuple of 2", "a 2-dimensional array".
std::string describe(const InferredType& type);

// Likewise with an article: "a float32", "an int8".
std::string with_article(const InferredType& type);

}  // namespace numpy_plugin::declare
