// Values of the process that are made at first use. A function's static would do, but a child of
// fork() waits for ever for one that another thread was making, and its destructor runs at process
// exit, while other threads still use it.
#pragma once

#include <atomic>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::system {

// The result of `make`, called once. Fork() waits for it; it is never destroyed. Does not wait for
// the GIL.
template <auto make>
auto& made_once() {
  using Made = decltype(make());
  static std::atomic<Made*> known = nullptr;
  if (Made* const made = known.load(std::memory_order_acquire)) return *made;
  const ForkHold hold;
  static Made* const made = new Made(make());
  known.store(made, std::memory_order_release);
  return *made;
}

template <class Value>
Value made_by_default() {
  return Value();
}

// The only object of its type.
template <class Value>
Value& the_only() {
  return made_once<made_by_default<Value>>();
}

}  // namespace numpy_plugin::system
