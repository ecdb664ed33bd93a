// npp::print(text, numbers...): hands a line to the host, on every target.
#pragma once

#include "npp/core/printed_line.hpp"
#if NPP_DEVICE
#include "npp/cuda/print_ring.hpp"
#else
#include "npp/cpu/driver_pointer.hpp"
#endif

namespace npp {

template <class... Numbers>
NPP_LONG_FUNCTION void print(const char* text, Numbers... numbers) {
  static_assert(sizeof...(Numbers) <= kMaxPrintedNumbers);
  const uint64 bits[sizeof...(Numbers) + 1] = {bit_cast<uint64>(numbers)..., 0};
#if NPP_DEVICE
  put_line(text, bits, sizeof...(Numbers));
#else
  npp_driver->print(text, bits, sizeof...(Numbers));
#endif
}

}  // namespace npp
