// Rows of matrices in shared memory, each at the address that a lane gives.
#pragma once

#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {

constexpr int kMatrixRowBytes = 16;

// The access to `n_rows` rows: those of as many lanes, from lane 0 on.
inline LaneAccess row_access(const Warp& warp, const Instruction& instruction, int n_rows,
                             Addresses* addresses) {
  read_addresses(warp, instruction, addresses);
  LaneAccess access = lane_access(warp, instruction, *addresses, kMatrixRowBytes);
  access.lanes = kAllLanes >> (kWarpSize - n_rows);
  if (access.space != Space::kGeneric) return access;
  for_lanes(access.lanes, [&](int lane) {
    if (space_of(warp, addresses->of[lane]) != Space::kShared) {
      fail_not_shared(warp, instruction, lane, addresses->of[lane]);
    }
  });
  return access;
}

}  // namespace numpy_plugin::sim::NPP_ISA
