// What the blocks of a scan tell one another: aggregates of tiles, parts and prefixes of groups.
#pragma once

#include "npp/cuda/warp.hpp"

namespace npp {

// Flags of items that other blocks wait for, which are written before and read after them.
NPP_FUNCTION void publish(uint32& flag, uint32 state) {
  __threadfence();
  atomicExch(&flag, state);
}
NPP_FUNCTION uint32 state_of(const uint32& flag) {
  return *static_cast<const volatile uint32*>(&flag);
}

// Aggregates of a line's tiles.
template <class Item>
struct ScanTiles {
  Item* items;
  uint32* flags;

  NPP_FUNCTION void put(uint64 number, const Item& item) const {
    items[number] = item;
    publish(flags[number], 1);
  }
  NPP_FUNCTION Item wait_for(uint64 number) const {
    while (state_of(flags[number]) == 0) nanosleep(20);
    __threadfence();
    return items[number];
  }
};

// Parts and prefixes of a line's groups of tiles.
template <class Item>
struct ScanGroups {
  struct Group {
    Item tree;    // of all tiles but the last
    Item last;    // tile's aggregate
    Item prefix;  // of all elements up to the group's end
  };
  static constexpr uint32 kHasParts = 1;
  static constexpr uint32 kHasPrefix = 2;

  Group* groups;
  uint32* flags;

  NPP_FUNCTION void put_parts(uint64 number, const Item& tree, const Item& last) const {
    groups[number].tree = tree;
    groups[number].last = last;
    publish(flags[number], kHasParts);
  }
  NPP_FUNCTION void put_prefix(uint64 number, const Item& prefix) const {
    groups[number].prefix = prefix;
    publish(flags[number], kHasPrefix);
  }

  // How far the nearest group before `number` with a prefix is, up to 32, once those between have
  // their parts; each lane looks at one.
  NPP_FUNCTION int wait_for_prefix(uint64 number, int lane) const {
    while (true) {
      const uint32 state = uint64(lane) < number ? state_of(flags[number - 1 - lane]) : 0;
      const uint32 prefixes = ballot(0xffffffff, state == kHasPrefix);
      const uint32 missing = ballot(0xffffffff, state == 0);
      const int distance = __ffs(int(prefixes));
      if (distance > 0 && (missing & ((1u << (distance - 1)) - 1)) == 0) {
        __threadfence();
        return distance;
      }
      nanosleep(20);
    }
  }
};

}  // namespace npp
