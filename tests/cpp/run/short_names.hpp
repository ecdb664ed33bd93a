// Short names for the dtypes and sizes of cases in tables.
#pragma once

#include <cstdint>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::run {

inline constexpr base::DType kBool = base::DType::kBool;
inline constexpr base::DType kC16 = base::DType::kComplex128;
inline constexpr base::DType kF4 = base::DType::kFloat32;
inline constexpr base::DType kF8 = base::DType::kFloat64;
inline constexpr base::DType kI1 = base::DType::kInt8;
inline constexpr base::DType kI4 = base::DType::kInt32;
inline constexpr base::DType kI8 = base::DType::kInt64;

inline constexpr std::int64_t kGiga = std::int64_t{1} << 30;

}  // namespace numpy_plugin::run
