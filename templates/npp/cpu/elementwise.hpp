// Elementwise kernels on the CPU: NPP_ELEMENTWISE_LOOP(name, Kernel) defines a function with
// NumPy's loop signature. An element's value depends only on its operands, not on strides, overlaps
// or length:
//   1. Kernels that are exact (no vector function) give identical bits at any width: a contiguous
//      loop for vectorization, and a plain loop for everything else.
//   2. Kernels with vector functions have one routine, for whole blocks; every other call uses it
//      with padded buffers, never a scalar function.
// Kernels with loops or conditional functions may have a routine in lanes (cpu/lanes/blocks.hpp).
// Kernels of 2, and those with branches or selections, may raise flags in vectorized form that the
// scalar source does not. The driver (cpu/driver.hpp) removes these, and selects the form of a
// call.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cpu/attributes.hpp"
#include "npp/cpu/driver_pointer.hpp"
#include "npp/cpu/memory.hpp"

namespace npp {

// Below this many elements the plain loop is as fast as selecting another form.
inline constexpr intp kShortLoop = 8;

constexpr int largest_of(const uint8* sizes, int n) {
  int largest = 1;
  for (int i = 0; i < n; ++i) largest = sizes[i] > largest ? sizes[i] : largest;
  return largest;
}

template <class Kernel, class Inputs = typename Kernel::Inputs,
          class Outputs = typename Kernel::Outputs,
          class InputIndices = MakeIndices<Kernel::Inputs::kCount>,
          class OutputIndices = MakeIndices<Kernel::Outputs::kCount>>
struct ElementwiseLoop;

// A kernel's loop in lanes, for kernels that have one.
template <class Kernel>
inline constexpr bool kHasLanes = requires {
  Kernel::kLaneSize;
};
template <class Kernel, class Inputs, class Outputs, class InputIndices, class OutputIndices>
struct LaneLoop;

template <class Kernel, class... Inputs, class... Outputs, int... in, int... out>
struct ElementwiseLoop<Kernel, Types<Inputs...>, Types<Outputs...>, Indices<in...>,
                       Indices<out...>> {
  static constexpr int kInputs = sizeof...(Inputs);
  static constexpr int kOperands = kInputs + sizeof...(Outputs);
  static_assert(kOperands <= kMaxOperands);
  static constexpr uint8 kSizes[] = {sizeof(Inputs)..., sizeof(Outputs)...};
  static constexpr int kLargest = largest_of(kSizes, kOperands);
  static constexpr bool kHasVectorMath = Kernel::kHasVectorMath;
  static constexpr Reduction reduction() {
    if constexpr (requires { Kernel::kReduction; }) return Kernel::kReduction;
    return Reduction::kNone;
  }
  static constexpr bool kSearchesFlags = kHasVectorMath || Kernel::kHasBranches || requires {
    Kernel::kMovesFlags;
  };
  using Lanes =
      LaneLoop<Kernel, Types<Inputs...>, Types<Outputs...>, Indices<in...>, Indices<out...>>;
  // One full vector of the widest type; complex128 counts by its components.
  static constexpr int kVectorBlock = kLargest >= 8 ? 8 : kLargestBlock / kLargest;
  static constexpr int block_length() {
    if constexpr (!kHasVectorMath) return 1;
    if constexpr (kHasLanes<Kernel>) return Lanes::kLength;
    return kVectorBlock;
  }

  static constexpr int kBlock = block_length();

  NPP_FUNCTION static void compute(char* const* element, Errors& errors) {
    const auto result = call_kernel<Kernel>(errors, Memory<Inputs>::load(element[in])...);
    if constexpr (sizeof...(Outputs) == 1) {
      (Memory<Outputs>::store(element[kInputs + out], result), ...);
    } else {
      (Memory<Outputs>::store(element[kInputs + out], get<out>(result)), ...);
    }
  }

  static constexpr int kStrip = kHasVectorMath ? kBlock : kLargestBlock;

  NPP_FUNCTION static void compute_at(char* const* p, intp i, Errors& errors) {
    char* const element[] = {p[in] + i * intp(sizeof(Inputs))...,
                             p[kInputs + out] + i * intp(sizeof(Outputs))...};
    compute(element, errors);
  }
  NPP_FUNCTION static void compute_at(char* const* p, intp i) {
    Errors none;
    compute_at(p, i, none);
  }

  static void run(char* const* operands, intp n) {
    char* p[] = {operands[in]..., operands[kInputs + out]...};
    if constexpr (kPrints<Kernel> || kHasScratch<Kernel>) {
      constexpr intp steps[] = {sizeof(Inputs)..., sizeof(Outputs)...};
      compute_in_order(operands, steps, n);
    } else if constexpr (kHasLanes<Kernel>) {
      Lanes::run(p, n);
    } else if constexpr (kCanRaise<Kernel>) {
      for (intp start = 0; start < n; start += kStrip)
        if (run_strip(p, start, n - start < kStrip ? n - start : kStrip)) return;
    } else if constexpr (kHasVectorMath) {
      // A block's constant length leaves no remainder loop: all elements use the same function.
      for (intp start = 0; start < n; start += kBlock) {
        NPP_ANY_ORDER_BLOCK
        for (intp i = 0; i < kBlock; ++i) compute_at(p, i);
        ((p[in] += kBlock * sizeof(Inputs)), ...);
        ((p[kInputs + out] += kBlock * sizeof(Outputs)), ...);
      }
    } else {
      NPP_ANY_ORDER
      for (intp i = 0; i < n; ++i) compute_at(p, i);
    }
  }

  // Computes some elements of a kernel that can raise; returns whether one did. They are checked
  // after all are computed, so that the computation vectorizes.
  static bool run_strip(char* const* p, intp start, intp n) {
    uint32 numbers[kStrip];
    uint32 any = 0;
    const auto compute_one = [&](intp i) {
      Errors errors;
      compute_at(p, start + i, errors);
      numbers[i] = errors.number;
      any |= errors.number;
    };
    if constexpr (kHasVectorMath) {
      NPP_ANY_ORDER_BLOCK
      for (intp i = 0; i < kStrip; ++i) compute_one(i);
    } else {
      NPP_ANY_ORDER
      for (intp i = 0; i < n; ++i) compute_one(i);
    }
    if (any == 0) return false;
    intp first = 0;
    while (numbers[first] == 0) ++first;
    Errors errors;
    compute_at(p, start + first, errors);  // for the message's values
    errors.number = numbers[first];
    npp_driver->report(errors);
    return true;
  }

  NPP_FUNCTION static void compute_in_order(char* const* operands, const intp* steps, intp n) {
    char* p[] = {operands[in]..., operands[kInputs + out]...};
    const intp step[] = {steps[in]..., steps[kInputs + out]...};
    for (intp i = 0; i < n; ++i) {
      Errors errors;
      compute(p, errors);
      // With vector functions this order only determines the flags.
      if constexpr (kCanRaise<Kernel> && !kHasVectorMath)
        if (errors.any()) return npp_driver->report(errors);
      ((p[in] += step[in]), ...);
      ((p[kInputs + out] += step[kInputs + out]), ...);
    }
  }
  __attribute__((noinline)) static void plain(char* const* operands, const intp* steps, intp n) {
    compute_in_order(operands, steps, n);
  }
  NPP_SCALAR_EXACT_FLAGS static void reference(char* const* operands, const intp* steps, intp n) {
    NPP_KEEP_EXACT_FLAGS;
    compute_in_order(operands, steps, n);
  }

  static void reduce(char* const* operands, intp step, intp n) {
    using Value = typename TypeAtIndex<0, Inputs...>::Type;
    using Next = typename TypeAtIndex<kInputs - 1, Inputs...>::Type;
    Value value = Memory<Value>::load(operands[0]);
    const char* next = operands[1];
    if (reduction() == Reduction::kOperation && step == sizeof(Next)) {
      for (intp i = 0; i < n; ++i)  // the constant stride lets it vectorize
        value = Kernel::call(value, Memory<Next>::load(next + i * intp(sizeof(Next))));
      return Memory<Value>::store(operands[0], value);
    }
    for (intp i = 0; i < n; ++i, next += step)
      value = Kernel::call(value, Memory<Next>::load(next));
    Memory<Value>::store(operands[0], value);
  }

  static constexpr LoopShape shape() {
    LoopShape shape = {run, nullptr, nullptr, kSizes, kInputs, kOperands, kBlock, kSearchesFlags};
    shape.reduction = reduction();
    if constexpr (reduction() == Reduction::kOperation) shape.reduce = reduce;
    if constexpr (kSearchesFlags) {
      shape.in_order = reference;
    } else {
      shape.in_order = plain;
      if constexpr (kInputs == 2 && !kCanRaise<Kernel> && reduction() == Reduction::kNone) {
        using First = typename TypeAtIndex<0, Inputs...>::Type;
        if constexpr (kIsSame<Types<First>, Types<Outputs...>>) shape.reduce = reduce;
      }
    }
    return shape;
  }
  static constexpr LoopShape kShape = shape();

  NPP_FUNCTION static void call(char* const* operands, const intp* steps, intp n) {
    constexpr bool kIsSum = reduction() == Reduction::kSum || reduction() == Reduction::kComplexSum;
    const bool is_reduced_sum = kIsSum && steps[0] == 0 && operands[0] == operands[2];
    if (!kHasVectorMath && n < kShortLoop && !is_reduced_sum)
      return kShape.in_order(operands, steps, n);
    npp_driver->call(kShape, operands, steps, n);
  }
};

// A part of an operand of NumPy's loop: its number, and the bytes before the part.
struct OperandPart {
  int operand;
  int offset;
};

template <class Kernel>
NPP_FUNCTION void call_with_parts(char* const* operands, const intp* steps, intp n) {
  constexpr int kCount = sizeof(Kernel::kParts) / sizeof(OperandPart);
  char* parts[kCount];
  intp part_steps[kCount];
  for (int i = 0; i < kCount; ++i) {
    const OperandPart& part = Kernel::kParts[i];
    parts[i] = operands[part.operand] + part.offset;
    part_steps[i] = steps[part.operand];
  }
  ElementwiseLoop<Kernel>::call(parts, part_steps, n);
}

}  // namespace npp

#define NPP_ELEMENTWISE_LOOP(name, Kernel)                                           \
  extern "C" __attribute__((visibility("default"))) void name(                       \
      char** operands, const npp::intp* dimensions, const npp::intp* steps, void*) { \
    npp::ElementwiseLoop<Kernel>::call(operands, steps, dimensions[0]);              \
  }

// For a kernel of the parts of complex numbers.
#define NPP_ELEMENTWISE_LOOP_OF_PARTS(name, Kernel)                                  \
  extern "C" __attribute__((visibility("default"))) void name(                       \
      char** operands, const npp::intp* dimensions, const npp::intp* steps, void*) { \
    npp::call_with_parts<Kernel>(operands, steps, dimensions[0]);                    \
  }
