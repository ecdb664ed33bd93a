// Forms of the device kernels of reductions, and what reductions may do with the elements' order.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// templates/npp/reduce/arguments.hpp defines their arguments.
enum class ReduceLaunch {
  kWarpRows,
  kVectorRows,
  kColumns,
  kTeamColumns,
  kInOrder,
  kSegments,
  kColumnSegments,
  kTeamColumnSegments,
  kSegmentsInOrder,
  kScan,
  kScanColumns,
  kScanInOrder
};

struct ReduceLaunchInfo {
  ReduceLaunch launch;
  std::string_view name;    // in entry points, "npp_reduce_rows_0"
  std::string_view header;  // of templates/npp/reduce
  std::string_view macro;   // defines the device kernel
  std::string_view option;  // its first argument after the name; empty without one
};

inline constexpr ReduceLaunchInfo kReduceLaunches[] = {
    {ReduceLaunch::kWarpRows, "rows", "rows", "REDUCE_ROWS", "false"},
    {ReduceLaunch::kVectorRows, "vector_rows", "rows", "REDUCE_ROWS", "true"},
    {ReduceLaunch::kColumns, "columns", "columns", "REDUCE_COLUMNS", "1"},
    {ReduceLaunch::kTeamColumns, "team_columns", "columns", "REDUCE_COLUMNS", "8"},
    {ReduceLaunch::kInOrder, "in_order", "in_order", "REDUCE_IN_ORDER", ""},
    {ReduceLaunch::kSegments, "segments", "segments", "REDUCE_SEGMENTS", ""},
    {ReduceLaunch::kColumnSegments, "column_segments", "segments", "REDUCE_COLUMN_SEGMENTS", "1"},
    {ReduceLaunch::kTeamColumnSegments, "team_column_segments", "segments",
     "REDUCE_COLUMN_SEGMENTS", "8"},
    {ReduceLaunch::kSegmentsInOrder, "segments_in_order", "segments", "REDUCE_SEGMENTS_IN_ORDER",
     ""},
    {ReduceLaunch::kScan, "scan", "scan", "SCAN", ""},
    {ReduceLaunch::kScanColumns, "scan_columns", "scan_columns", "SCAN_COLUMNS", ""},
    {ReduceLaunch::kScanInOrder, "scan_in_order", "scan", "SCAN_IN_ORDER", ""},
};

constexpr const ReduceLaunchInfo& info(ReduceLaunch launch) {
  return kReduceLaunches[static_cast<std::size_t>(launch)];
}

// The ufunc's method that is launched so, for messages. Reductions of maps are reduce's.
constexpr std::string_view method_name(ReduceLaunch launch) {
  if (launch >= ReduceLaunch::kScan) return "accumulate";
  return launch >= ReduceLaunch::kSegments ? "reduceat" : "reduce";
}

// Parameters of a device kernel beyond its types.
struct ReduceForm {
  ReduceLaunch launch = ReduceLaunch::kWarpRows;
  bool is_wide = false;         // 64-bit indices and offsets
  bool is_masked = false;       // bools select the elements that count
  base::DType stored_input{};   // dtypes in memory
  base::DType stored_output{};  // likewise
  int n_dimensions = 1;         // of the results: one of kDimensionLimits
  int n_reduced = 1;            // likewise of the elements of a result
  auto operator<=>(const ReduceForm&) const = default;
};

// Whether a binary kernel's reductions may regroup and exchange elements.

// Why they may not; empty where they may: with `is_reorderable`, NumPy's word for it, for any body,
// and otherwise where the body is a single operation on both operands that is associative and
// commutative, up to rounding. C++ bodies are not analyzed.
std::string reassociation_obstacle(const declare::TypedKernel& kernel, bool is_reorderable);

// Kernels with faster reductions on the CPU, as npp::Reduction: the sum of two floating-point
// numbers, the lesser or greater of two real ones, and one operation on integers, or a product.
enum class KnownReduction { kNone, kSum, kComplexSum, kLeast, kGreatest, kOperation };

KnownReduction known_reduction(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
