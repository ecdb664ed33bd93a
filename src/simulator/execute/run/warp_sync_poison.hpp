// Poison of warp-level operations.
#pragma once

#include "simulator/execute/run/warp_sync.hpp"

namespace numpy_plugin::sim {

// Passes poison from all parts' sources to their results, before the operation itself. A shuffle
// moves its bits. Of a ballot the poisoned lanes' bits are poison; `any` and `all` are, unless a
// clean lane decides. The results of other operations are poison for all.
void follow_sync(Warp& warp, const SyncParts& parts);

}  // namespace numpy_plugin::sim
