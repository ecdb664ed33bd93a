// One thread per result, which combines the elements one after the other as NumPy does: for kernels
// whose operands must not be regrouped or exchanged.
#pragma once

#include "npp/reduce/levels.hpp"

namespace npp {

inline constexpr int kInOrderAtOnce = 8;  // elements in flight

// Combines elements into `value`, which has one from the beginning if `has_value`.
template <class Kernel>
struct InOrder {
  using Number = typename Kernel::Number;
  using Reduction = typename Kernel::Reduced;
  using Accumulator = typename Kernel::Accumulator;
  using Source = ElementSource<Kernel, false>;
  Accumulator value;
  bool has_value;

  template <int count>
  NPP_FUNCTION void take(Errors& errors, const Source& source) {
    typename Source::Read elements[count];
#pragma unroll
    for (int k = 0; k < count; ++k) elements[k] = source.read_one(k);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (!elements[k].is_wanted) continue;
      value =
          has_value ? Source::next(errors, value, elements[k]) : Source::first(errors, elements[k]);
      has_value = true;
    }
  }

  // Elements `begin` to `end`.
  NPP_FUNCTION void take_all(const typename Kernel::Arguments& arguments, Errors& errors,
                             const typename Kernel::Result& result, Number begin, Number end) {
    Number i = begin;
#pragma unroll 1
    for (; end - i >= kInOrderAtOnce; i += kInOrderAtOnce)
      take<kInOrderAtOnce>(errors, Source(arguments, errors, result, i));
#pragma unroll 1
    for (; i < end; ++i) take<1>(errors, Source(arguments, errors, result, i));
  }
};

template <class Kernel>
NPP_FUNCTION void run_reduce_in_order(const typename Kernel::Arguments& arguments, Errors& errors) {
  using Number = typename Kernel::Number;
  const uint64 number = uint64(blockIdx.x) * kReduceThreads + threadIdx.x;
  if (number >= arguments.outputs.n) return;
  const auto result = Kernel::find_result(arguments, Number(number));
  InOrder<Kernel> order{};
  order.has_value = arguments.has_initial != 0;
  if (order.has_value) order.value = Kernel::initial(arguments);
  order.take_all(arguments, errors, result, 0, Number(arguments.reduced.n));
  Kernel::write_outputs(arguments, errors, result, order.value);
}

}  // namespace npp

#define NPP_REDUCE_IN_ORDER(make, name, ...)                  \
  using name##_kernel = npp::ReduceKernel<__VA_ARGS__>;       \
  using name##_arguments = typename name##_kernel::Arguments; \
  make(name, name##_arguments, npp::run_reduce_in_order<name##_kernel>)
#define NPP_REDUCE_IN_ORDER_KERNEL(...) NPP_REDUCE_IN_ORDER(NPP_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_REDUCE_IN_ORDER_KERNEL(...) \
  NPP_REDUCE_IN_ORDER(NPP_RAISING_REDUCE_DEVICE_KERNEL, __VA_ARGS__)
