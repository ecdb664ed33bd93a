// The operations of a reduction: how elements become accumulators, how these are combined, and how
// they are stored.
//
// A Reduction has `Inputs` and `Outputs`, the types in memory, `Accumulator`, and
//   Accumulator first(Errors&, int64 number, inputs...)      of an element by itself
//   Accumulator next(Errors&, Accumulator, inputs...)        with one more element, in order
//   Item join(Errors&, Item left, Item right)                Item is Accumulator
//   finish(Errors&, Accumulator)                             the output, or a Tuple of them
//   kIsSimple                                                joins are a few instructions
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/indexing.hpp"
#include "npp/cuda/warp.hpp"
#include "npp/reduce/arguments.hpp"
#include "npp/reduce/tree.hpp"

namespace npp {

// Whether calls are a few instructions without effects.
template <class Kernel>
inline constexpr bool kIsSimpleKernel =
    !Kernel::kHasVectorMath && !Kernel::kHasBranches && !kCanRaise<Kernel>;

// `reduce` of a ufunc. Casts are fused into loads and stores.
template <class Kernel, class StoredInput, class StoredOutput>
struct UfuncReduction {
  using Inputs = Types<StoredInput>;
  using Accumulator = TypeAt<0, typename Kernel::Outputs>;
  using Outputs = Types<StoredOutput>;
  using Item = Accumulator;
  using Second = TypeAt<1, typename Kernel::Inputs>;
  static constexpr bool kIsSimple = kIsSimpleKernel<Kernel>;

  NPP_FUNCTION static Accumulator first(Errors&, int64, StoredInput element) {
    return cast<Accumulator>(element);
  }
  NPP_FUNCTION static Accumulator next(Errors& errors, Accumulator left, StoredInput element) {
    return call(errors, left, cast<Second>(element));
  }
  NPP_FUNCTION static Item join(Errors& errors, const Item& left, const Item& right) {
    return call(errors, left, right);
  }
  NPP_FUNCTION static StoredOutput finish(Errors&, Accumulator value) {
    return cast<StoredOutput>(value);
  }

 private:
  // The tree has dozens of calls: bodies that are more than an operation are not inlined.
  NPP_FUNCTION static Accumulator call(Errors& errors, Accumulator left, Second right) {
    if constexpr (Kernel::kHasVectorMath || Kernel::kHasBranches)
      return call_once(errors, left, right);
    else
      return call_kernel<Kernel>(errors, left, right);
  }
  NPP_LONG_FUNCTION static Accumulator call_once(Errors& errors, Accumulator left, Second right) {
    return call_kernel<Kernel>(errors, left, right);
  }
};

template <class Reduction, Mask mask>
using TreeOf = Conditional<mask == Mask::kGiven, WithAbsent<Reduction>, Reduction>;

// A reduction's kernel: what its forms share.
template <class Reduction, class Range, Mask mask, int kOuterDimensions, int kReducedDimensions>
struct ReduceKernel {
  using Reduced = Reduction;
  using Tree = TreeOf<Reduction, mask>;
  using Item = typename Tree::Item;
  using Accumulator = typename Reduction::Accumulator;
  static constexpr bool kIsMasked = mask == Mask::kGiven;
  static constexpr int kInputs = Reduction::Inputs::kCount;
  static constexpr int kOutputs = Reduction::Outputs::kCount;
  static constexpr int kFirstOutput = kInputs + kIsMasked;
  static constexpr int kOperands = kFirstOutput + kOutputs;
  static constexpr int kInitialBytes = (sizeof(Accumulator) + 15) / 16 * 16;
  using Arguments =
      ReduceArguments<Range, kOperands, kInitialBytes, kOuterDimensions, kReducedDimensions>;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;
  using Bits = Unsigned<Offset>;

  // The offsets of result number `number`.
  struct Result {
    Offset bytes[kOperands];
  };
  NPP_FUNCTION static Result find_result(const Arguments& arguments, Number number) {
    Number numbers[1] = {number};
    const auto offsets = find_offsets(arguments.outputs, numbers);
    Result result;
#pragma unroll
    for (int i = 0; i < kOperands; ++i) result.bytes[i] = offsets.bytes[0][i];
    return result;
  }

  NPP_FUNCTION static Accumulator initial(const Arguments& arguments) {
    return from_stored<Accumulator>(
        *reinterpret_cast<const Stored<Accumulator>*>(arguments.initial));
  }

  // Stores a result that the initial value is still to be combined with.
  NPP_FUNCTION static void store(const Arguments& arguments, Errors& errors, const Result& result,
                                 const Item& item) {
    if constexpr (kIsMasked) {
      if (!item.is_present) return write_outputs(arguments, errors, result, initial(arguments));
      store_value(arguments, errors, result, item.value);
    } else {
      store_value(arguments, errors, result, item);
    }
  }
  NPP_FUNCTION static void write_outputs(const Arguments& arguments, Errors& errors,
                                         const Result& result, Accumulator value) {
    write_each(arguments, result, Reduction::finish(errors, value), MakeIndices<kOutputs>());
  }
  // Writes the result that is `number` steps of `stride` bytes behind another one.
  NPP_FUNCTION static void write_at(const Arguments& arguments, Errors& errors, Result result,
                                    uint64 number, int64 stride, Accumulator value) {
    Offset& place = result.bytes[kFirstOutput];
    place = Offset(Bits(place) + Bits(number) * Bits(stride));
    write_outputs(arguments, errors, result, value);
  }
  // Writes element `number` of a line, along the only reduced dimension.
  NPP_FUNCTION static void write_element(const Arguments& arguments, Errors& errors,
                                         const Result& result, Number number, Accumulator value) {
    write_at(arguments, errors, result, number, arguments.reduced.strides[0][kFirstOutput], value);
  }

 private:
  NPP_FUNCTION static void store_value(const Arguments& arguments, Errors& errors,
                                       const Result& result, Accumulator value) {
    if (arguments.has_initial) value = Reduction::join(errors, initial(arguments), value);
    write_outputs(arguments, errors, result, value);
  }
  template <class Values, int... outputs>
  NPP_FUNCTION static void write_each(const Arguments& arguments, const Result& result,
                                      const Values& values, Indices<outputs...>) {
    (write_one<outputs>(arguments, result, npp::result<outputs>(values)), ...);
  }
  template <int output, class Value>
  NPP_FUNCTION static void write_one(const Arguments& arguments, const Result& result,
                                     Value value) {
    constexpr int kOperand = kFirstOutput + output;
    using Output = TypeAt<output, typename Reduction::Outputs>;
    write<Output>(element_address<Stored<Output>>(arguments, kOperand, result.bytes[kOperand]),
                  value);
  }
};

}  // namespace npp
