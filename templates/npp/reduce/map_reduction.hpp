// A map and a combining function as one reduction: three kernels, of which the last turns the
// accumulator into the results; void where the accumulator is the result.
#pragma once

#include "npp/reduce/reduction.hpp"

namespace npp {

// The type that a kernel with these outputs returns.
template <class Outputs>
struct ReturnedOf;
template <class T>
struct ReturnedOf<Types<T>> {
  using Type = T;
};
template <class First, class Second, class... Ts>
struct ReturnedOf<Types<First, Second, Ts...>> {
  using Type = Tuple<First, Second, Ts...>;
};

template <class Kernel, class InputIndices>
struct FirstInputsOf;
template <class Kernel, int... inputs>
struct FirstInputsOf<Kernel, Indices<inputs...>> {
  using Type = Types<TypeAt<inputs, typename Kernel::Inputs>...>;
};

template <class Kernel>
struct OutputsOf {
  using Type = typename Kernel::Outputs;
};
template <>
struct OutputsOf<void> {
  using Type = void;
};

template <class Map, class Combine, class Finish, bool kHasNumber>
struct MapReduction {
  using Items = typename Map::Outputs;
  using ItemIndices = MakeIndices<Items::kCount>;
  using Accumulator = typename ReturnedOf<Items>::Type;
  using Item = Accumulator;
  using Inputs = typename FirstInputsOf<Map, MakeIndices<Map::Inputs::kCount - kHasNumber>>::Type;
  static constexpr bool kIsSimple = kIsSimpleKernel<Combine> && Items::kCount == 1;
  static constexpr bool kFinishes = !kIsSame<Finish, void>;
  using Outputs = Conditional<kFinishes, typename OutputsOf<Finish>::Type, Items>;

  template <class... Values>
  NPP_FUNCTION static Accumulator first(Errors& errors, int64 number, Values... values) {
    if constexpr (kHasNumber)
      return call_kernel<Map>(errors, values..., number);
    else
      return call_kernel<Map>(errors, values...);
  }
  NPP_FUNCTION static Item join(Errors& errors, const Item& left, const Item& right) {
    if constexpr (Combine::kHasVectorMath || Combine::kHasBranches)
      return join_once(errors, left, right);
    else
      return join_items(errors, left, right, ItemIndices());
  }
  NPP_FUNCTION static auto finish(Errors& errors, const Accumulator& value) {
    if constexpr (kFinishes)
      return finish_items(errors, value, ItemIndices());
    else
      return value;
  }

 private:
  NPP_LONG_FUNCTION static Item join_once(Errors& errors, const Item& left, const Item& right) {
    return join_items(errors, left, right, ItemIndices());
  }
  template <int... items>
  NPP_FUNCTION static Item join_items(Errors& errors, const Item& left, const Item& right,
                                      Indices<items...>) {
    return call_kernel<Combine>(errors, result<items>(left)..., result<items>(right)...);
  }
  template <int... items>
  NPP_FUNCTION static auto finish_items(Errors& errors, const Accumulator& value,
                                        Indices<items...>) {
    return call_kernel<Finish>(errors, result<items>(value)...);
  }
};

}  // namespace npp
