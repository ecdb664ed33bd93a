// Look-ups in the table of dtypes.
#include "numpy_plugin/base/dtype.hpp"

#include <utility>

#include "numpy_plugin/base/time_type.hpp"

namespace numpy_plugin::base {
namespace {

// Aliases: C's and Numba's names, and NumPy's short ones. long is 64 bits on all supported
// platforms.
constexpr std::pair<std::string_view, DType> kAliases[] = {
    {"bool_", DType::kBool},
    {"?", DType::kBool},
    {"b1", DType::kBool},
    {"i1", DType::kInt8},
    {"i2", DType::kInt16},
    {"i4", DType::kInt32},
    {"i8", DType::kInt64},
    {"u1", DType::kUInt8},
    {"u2", DType::kUInt16},
    {"u4", DType::kUInt32},
    {"u8", DType::kUInt64},
    {"f2", DType::kFloat16},
    {"f4", DType::kFloat32},
    {"f8", DType::kFloat64},
    {"c8", DType::kComplex64},
    {"c16", DType::kComplex128},
    {"byte", DType::kInt8},
    {"ubyte", DType::kUInt8},
    {"short", DType::kInt16},
    {"ushort", DType::kUInt16},
    {"intc", DType::kInt32},
    {"uintc", DType::kUInt32},
    {"int", DType::kInt64},
    {"int_", DType::kInt64},
    {"uint", DType::kUInt64},
    {"long", DType::kInt64},
    {"ulong", DType::kUInt64},
    {"longlong", DType::kInt64},
    {"ulonglong", DType::kUInt64},
    {"intp", DType::kInt64},
    {"uintp", DType::kUInt64},
    {"char", DType::kInt8},
    {"uchar", DType::kUInt8},
    {"long_", DType::kInt64},
    {"size_t", DType::kUInt64},
    {"ssize_t", DType::kInt64},
    {"half", DType::kFloat16},
    {"single", DType::kFloat32},
    {"float", DType::kFloat64},
    {"float_", DType::kFloat64},
    {"double", DType::kFloat64},
    {"csingle", DType::kComplex64},
    {"cdouble", DType::kComplex128},
    {"complex", DType::kComplex128},
};

}  // namespace

std::optional<DType> find_dtype(std::string_view name_or_alias) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.name == name_or_alias) return row.dtype;
  }
  for (const auto& [alias, dtype] : kAliases) {
    if (alias == name_or_alias) return dtype;
  }
  if (const auto time = find_time_type(name_or_alias)) return time_dtype(*time);
  return std::nullopt;
}

std::optional<DType> find_dtype(char numpy_character) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.numpy_character == numpy_character) return row.dtype;
  }
  switch (numpy_character) {  // other C types of the same size
    case 'q':
    case 'p':
      return DType::kInt64;
    case 'Q':
    case 'P':
      return DType::kUInt64;
    case 'M':
    case 'm':
      return time_dtype({numpy_character == 'm'});
    default:
      return std::nullopt;
  }
}

}  // namespace numpy_plugin::base
