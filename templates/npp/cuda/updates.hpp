// Repeated updates of an array's elements: a thread makes all updates of one place.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/operand.hpp"

namespace npp {

// The updates of a launch in the order of their places.
struct UpdateOrder {
  const int64* places;
  const int64* order;
  uint64 n;

  NPP_FUNCTION explicit UpdateOrder(const UpdatesArguments& arguments)
      : places(bit_cast<const int64*>(arguments.places)),
        order(bit_cast<const int64*>(arguments.order)),
        n(arguments.n) {}
  NPP_FUNCTION uint64 number(uint64 at) const { return order == nullptr ? at : uint64(order[at]); }
  NPP_FUNCTION int64 place(uint64 at) const { return places[number(at)]; }
  // Whether an update has the place of the one before it.
  NPP_FUNCTION bool continues(uint64 at) const {
    return order != nullptr && at > 0 && at < n && place(at) == place(at - 1);
  }
};

template <class Kernel, class T>
NPP_FUNCTION T updated(const UpdatesArguments& arguments, Errors& errors, T value, uint64 number) {
  using Inputs = typename Kernel::Inputs;
  if constexpr (Inputs::kCount == 1) {
    return call_kernel<Kernel>(errors, value);
  } else {
    using Second = TypeAt<1, Inputs>;
    const uint64 address = arguments.values + number * arguments.value_stride;
    return call_kernel<Kernel>(errors, value,
                               read<Second>(bit_cast<const Stored<Second>*>(address)));
  }
}

// Keeps the exception of the first update that raised, in the second of two steps.
NPP_FUNCTION void keep_first_error(const UpdatesArguments& arguments, Errors& errors,
                                   uint64 number) {
  auto* const first = bit_cast<unsigned long long*>(arguments.first);
  if (UpdateStep(arguments.step) == UpdateStep::kFindRaised) atomicMin(first, number);
  const bool is_reported =
      UpdateStep(arguments.step) == UpdateStep::kReportRaised && *first == number;
  if (!is_reported) errors = Errors();
}

template <class Kernel>
NPP_FUNCTION void run_updates(const UpdatesArguments& arguments, Errors& errors) {
  using T = TypeAt<0, typename Kernel::Outputs>;
  const UpdateOrder updates(arguments);
  uint64 at = uint64(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= updates.n || updates.continues(at)) return;
  const uint64 address = arguments.array + uint64(updates.place(at)) * arguments.unit;
  auto* const element = bit_cast<Stored<T>*>(address);
  T value = read<T>(element);
  do {
    const uint64 number = updates.number(at);
    value = updated<Kernel>(arguments, errors, value, number);
    if (errors.any()) return keep_first_error(arguments, errors, number);
    ++at;
  } while (updates.continues(at));
  if (UpdateStep(arguments.step) == UpdateStep::kWrite) write(element, value);
}

}  // namespace npp

#define NPP_UPDATES_KERNEL(name, Kernel) \
  NPP_DEVICE_KERNEL(name, npp::UpdatesArguments, npp::run_updates<Kernel>)
#define NPP_RAISING_UPDATES_KERNEL(name, Kernel) \
  NPP_RAISING_DEVICE_KERNEL(name, npp::UpdatesArguments, npp::run_updates<Kernel>)
