// Comparisons of all lanes, by type and operator.
#pragma once

#include "simulator/handlers/common/lanes.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// The comparison of an instruction, and the handler of its setp with one result.
struct ComparisonChoice {
  LaneMask (*compare)(const Warp& warp, Slot a, Slot b) = nullptr;
  Handler set_predicate = nullptr;
};

// For one element of the type; empty where there is no such comparison.
ComparisonChoice choose_comparison(const Operation& operation, Type type);

}  // namespace numpy_plugin::sim::NPP_ISA
