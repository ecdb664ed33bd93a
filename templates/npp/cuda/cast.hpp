// A kernel with operands of other types than its own: casts are fused into loads and stores. Called
// like a kernel that can raise, and raises the wrapped kernel's exceptions.
#pragma once

#include "npp/core/errors.hpp"
#include "npp/core/ops.hpp"

namespace npp {

template <class Kernel, class StoredInputs, class StoredOutputs, class InputIndices,
          class OutputIndices>
struct CastCall;

template <class Kernel, class... StoredInputs, class... StoredOutputs, int... inputs,
          int... outputs>
struct CastCall<Kernel, Types<StoredInputs...>, Types<StoredOutputs...>, Indices<inputs...>,
                Indices<outputs...>> {
  NPP_FUNCTION static auto call(Errors& errors, StoredInputs... values) {
    const auto results =
        call_kernel<Kernel>(errors, cast<TypeAt<inputs, typename Kernel::Inputs>>(values)...);
    if constexpr (sizeof...(outputs) == 1)
      return (cast<StoredOutputs>(results), ...);
    else
      return Tuple<StoredOutputs...>{cast<StoredOutputs>(get<outputs>(results))...};
  }
};

template <class Kernel, class StoredInputs, class StoredOutputs>
struct CastKernel
    : CastCall<Kernel, StoredInputs, StoredOutputs, MakeIndices<Kernel::Inputs::kCount>,
               MakeIndices<Kernel::Outputs::kCount>> {
  using Inputs = StoredInputs;
  using Outputs = StoredOutputs;
  static constexpr bool kCanRaise = true;
  static constexpr bool kHasVectorMath = Kernel::kHasVectorMath;
  static constexpr bool kHasBranches = Kernel::kHasBranches;
};

}  // namespace npp
