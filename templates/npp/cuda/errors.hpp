// Reports exceptions of a launch. A device kernel that can raise has a second parameter, the
// address of a zeroed npp::Errors: some element that raised stores its report there. The host
// determines the first such element.
#pragma once

#include "npp/core/errors.hpp"
#include "npp/cuda/arguments.hpp"

namespace npp {

// Per thread, for all its elements.
NPP_FUNCTION void store_errors(Errors* record, const Errors& errors) {
  if (!errors.any() || atomicCAS(&record->number, 0u, errors.number) != 0) return;
  for (int i = 0; i < kMaxErrorValues; ++i) record->values[i] = errors.values[i];
}

}  // namespace npp

// Defines the device kernel `name` with one parameter, for a kernel that cannot raise; and with
// two, for one that can. The last argument is the function that runs it, called with the arguments
// and the errors.
#define NPP_DEVICE_KERNEL(name, ArgumentsType, ...)           \
  extern "C" __global__ void __launch_bounds__(npp::kThreads) \
      name(const __grid_constant__ ArgumentsType arguments) { \
    npp::Errors errors;                                       \
    __VA_ARGS__(arguments, errors);                           \
  }
#define NPP_RAISING_DEVICE_KERNEL(name, ArgumentsType, ...)                        \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                      \
      name(const __grid_constant__ ArgumentsType arguments, npp::Errors* record) { \
    npp::Errors errors;                                                            \
    __VA_ARGS__(arguments, errors);                                                \
    npp::store_errors(record, errors);                                             \
  }
