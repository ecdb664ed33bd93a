// Records of elements that raised: the exception and its values.
//
// Such a kernel has `static constexpr bool kCanRaise = true`, and its `call` and its device
// functions take an `npp::Errors& errors` as the first argument, one per element. Any code that has
// it may call errors.report(number, values...), the number being 1 + an index into
// declare::PythonKernel::exceptions, and continue with any value: the call fails, its results are
// ignored. The first report of an element counts. Loops and launch forms only report that some
// element raised; the host determines the first (ufunc/refusals/raised_element.cpp).
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

inline constexpr int kMaxErrorValues = 4;

struct Errors {
  uint32 number = 0;                    // of the exception; 0: none
  uint64 values[kMaxErrorValues] = {};  // bits of int64, uint64 or double
  NPP_FUNCTION bool any() const { return number != 0; }

  template <class... Values>
  NPP_FUNCTION void report(uint32 exception, Values... given) {
    static_assert(sizeof...(Values) <= kMaxErrorValues);
    if (any()) return;
    number = exception;
    int i = 0;
    ((values[i++] = bit_cast<uint64>(given)), ...);
  }
};

template <class Kernel>
inline constexpr bool kCanRaise = requires {
  Kernel::kCanRaise;
};

// Kernels with `print`: each element is computed once, in order.
template <class Kernel>
inline constexpr bool kPrints = requires {
  Kernel::kPrints;
};

// Kernels with scratch arrays (scratch.hpp), which can raise.
template <class Kernel>
inline constexpr bool kHasScratch = requires {
  typename Kernel::Scratch;
};

// Computes one element of a kernel, whether it can raise or not.
template <class Kernel, class... Inputs>
NPP_FUNCTION auto call_kernel(Errors& errors, const Inputs&... inputs) {
  if constexpr (kHasScratch<Kernel>) {
    typename Kernel::Scratch scratch;
    return Kernel::call(errors, scratch, inputs...);
  } else if constexpr (kCanRaise<Kernel>)
    return Kernel::call(errors, inputs...);
  else
    return Kernel::call(inputs...);
}

}  // namespace npp
