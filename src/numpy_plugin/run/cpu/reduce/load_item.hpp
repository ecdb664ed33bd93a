// Reads of numbers and vectors at any address.
#pragma once

#include <cstring>

namespace numpy_plugin::run {

template <class Item>
Item load_item(const char* address) {
  Item item;
  std::memcpy(&item, address, sizeof(Item));
  return item;
}

}  // namespace numpy_plugin::run
