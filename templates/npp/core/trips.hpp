// Trips of a loop that may never end, so that Ctrl-C can end it on the host.
#pragma once

#include "npp/core/prelude.hpp"
#if !NPP_DEVICE
#include "npp/cpu/driver_pointer.hpp"
#endif

namespace npp {

#if NPP_DEVICE

struct Trips {
  NPP_FUNCTION bool are_interrupted() { return false; }
};

#else

class Trips {
 public:
  // Counts a trip. Once true, the first trip of each later loop asks again.
  NPP_FUNCTION bool are_interrupted() { return (++n_trips_ & kMask) == 0 && ask(); }

 private:
  __attribute__((noinline, cold)) static bool ask() {
    is_interrupted_ = npp_driver->is_interrupted();
    return is_interrupted_;
  }

  static constexpr uint32 kMask = 0xffff;
  static inline bool is_interrupted_ = false;
  uint32 n_trips_ = is_interrupted_ ? kMask : 0;
};

#endif

}  // namespace npp
