// The dtype table: names, sizes and NumPy's and C++'s spellings of every type a kernel can use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace numpy_plugin::base {

enum class DType : std::uint8_t {
#define NPP_DTYPE(enumerator, ...) enumerator,
#include "numpy_plugin/base/dtype.def"
};

enum class DTypeKind : std::uint8_t { kBoolean, kSigned, kUnsigned, kFloating, kComplex, kTime };

struct DTypeInfo {
  DType dtype;
  std::string_view name;      // NumPy's: "float32"
  char numpy_character;       // 'f'
  int numpy_type_number;      // 11; -1 where NumPy has none
  std::string_view cpp_name;  // "float", as the templates spell it
  DTypeKind kind;
  std::size_t n_bytes;
};

inline constexpr DTypeInfo kDTypes[] = {
#define NPP_DTYPE(enumerator, name, character, number, cpp, kind, size) \
  {DType::enumerator, name, character, number, cpp, DTypeKind::kind, size},
#include "numpy_plugin/base/dtype.def"
};

// Dates and durations follow the table's rows: time_type.hpp.
inline constexpr std::size_t kNumbers = std::size(kDTypes);
constexpr bool is_time(DType dtype) { return static_cast<std::size_t>(dtype) >= kNumbers; }
const DTypeInfo& time_info(DType dtype);

// Of a number, for programs that know no dates: modules built ahead of time.
constexpr const DTypeInfo& number_info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}
constexpr const DTypeInfo& info(DType dtype) {
  return is_time(dtype) ? time_info(dtype) : number_info(dtype);
}

constexpr std::string_view name(DType dtype) { return info(dtype).name; }

constexpr bool is_integer(DType dtype) {
  return info(dtype).kind == DTypeKind::kSigned || info(dtype).kind == DTypeKind::kUnsigned;
}
constexpr bool is_floating(DType dtype) { return info(dtype).kind == DTypeKind::kFloating; }
constexpr bool is_half(DType dtype) { return is_floating(dtype) && info(dtype).n_bytes == 2; }
constexpr bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::kComplex; }

// The dtype of a name or alias ("float32", "f4", "intc", "double", "datetime64[s]"); nullopt for
// unknown names.
std::optional<DType> find_dtype(std::string_view name_or_alias);

// The dtype of one of NumPy's type characters ('f', 'd', 'q', and 'M' and 'm' without a unit);
// nullopt for unknown ones.
std::optional<DType> find_dtype(char numpy_character);

}  // namespace numpy_plugin::base
