// Elementwise kernels on the CPU: NPP_ELEMENTWISE_LOOP(name, Kernel) defines a function with
// NumPy's loop signature. Whatever the strides, the overlaps and the length, an element's value
// depends on its operands alone:
//   1. Kernels that are exact (no vector function) give the same bits at any width: a contiguous
//      loop that the compiler vectorises, and a plain loop for all else.
//   2. Kernels with vector functions have one routine, for whole blocks; other calls go through it
//   in
//      padded buffers (cpu_chunks.hpp), never through a scalar function.
// Kernels of 2, and those with branches, may raise flags in the vectorised form that the scalar
// text does not; cpu_chunks.hpp sorts these out.
#pragma once

#include "numpy_plugin/cpu_chunks.hpp"
#include "numpy_plugin/ops.hpp"

#if defined(__clang__)
#define NPP_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#define NPP_ANY_ORDER_BLOCK _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define NPP_ANY_ORDER _Pragma("GCC ivdep")
#define NPP_ANY_ORDER_BLOCK _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

namespace npp {

// Below this many elements the plain loop is as fast as the tests that lead to another.
inline constexpr intp kShortLoop = 8;

constexpr int largest_of(const uint8* sizes, int n) {
  int largest = 1;
  for (int i = 0; i < n; ++i) largest = sizes[i] > largest ? sizes[i] : largest;
  return largest;
}
constexpr int sum_of(const uint8* sizes, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += sizes[i];
  return sum;
}
// Buffers of all operands together stay within half of a usual first-level cache.
constexpr int chunk_for(int n_bytes) {
  int chunk = kMaxChunk;
  while (chunk > kSearchPiece && chunk * n_bytes > 32768) chunk /= 2;
  return chunk;
}

template <class Kernel, class Inputs, class Outputs, class InputIndices, class OutputIndices>
struct ElementwiseLoop;

template <class Kernel, class... Inputs, class... Outputs, int... in, int... out>
struct ElementwiseLoop<Kernel, Types<Inputs...>, Types<Outputs...>, Indices<in...>,
                       Indices<out...>> {
  static constexpr int kInputs = sizeof...(Inputs);
  static constexpr int kOperands = kInputs + sizeof...(Outputs);
  static_assert(kOperands <= kMaxOperands);
  static constexpr uint8 kSizes[] = {sizeof(Inputs)..., sizeof(Outputs)...};
  static constexpr bool kHasVectorMath = Kernel::kHasVectorMath;
  static constexpr bool kSearchesFlags = kHasVectorMath || Kernel::kHasBranches;
  // One full vector of the widest type. complex128 counts as its components do.
  static constexpr int kBlock = !kHasVectorMath ? 1
                                : largest_of(kSizes, kOperands) >= 8
                                    ? 8
                                    : 64 / largest_of(kSizes, kOperands);
  static constexpr int kChunk = chunk_for(sum_of(kSizes, kOperands));

  NPP_FUNCTION static void compute(char* const* p) {
    const auto result = Kernel::call(Memory<Inputs>::load(p[in])...);
    if constexpr (sizeof...(Outputs) == 1) {
      (Memory<Outputs>::store(p[kInputs + out], result), ...);
    } else {
      (Memory<Outputs>::store(p[kInputs + out], get<out>(result)), ...);
    }
  }

  NPP_FUNCTION static void compute_at(char* const* p, intp i) {
    char* const element[] = {p[in] + i * intp(sizeof(Inputs))...,
                             p[kInputs + out] + i * intp(sizeof(Outputs))...};
    compute(element);
  }

  // Contiguous, in any order. A block's constant length leaves the vectoriser no rest to treat in
  // another way: no element meets another function than its neighbours do.
  __attribute__((noinline)) static void run(char* const* operands, intp n) {
    char* const p[] = {operands[in]..., operands[kInputs + out]...};
    if constexpr (kHasVectorMath) {
      for (intp start = 0; start < n; start += kBlock) {
        char* const block[] = {p[in] + start * intp(sizeof(Inputs))...,
                               p[kInputs + out] + start * intp(sizeof(Outputs))...};
        NPP_ANY_ORDER_BLOCK
        for (intp i = 0; i < kBlock; ++i) compute_at(block, i);
      }
    } else {
      NPP_ANY_ORDER
      for (intp i = 0; i < n; ++i) compute_at(p, i);
    }
  }

  NPP_FUNCTION static void run_in_order(char* const* operands, const intp* steps, intp n) {
    char* p[] = {operands[in]..., operands[kInputs + out]...};
    const intp step[] = {steps[in]..., steps[kInputs + out]...};
    for (intp i = 0; i < n; ++i) {
      compute(p);
      ((p[in] += step[in]), ...);
      ((p[kInputs + out] += step[kInputs + out]), ...);
    }
  }

  NPP_SCALAR_EXACT_FLAGS static void reference(char* const* operands, const intp* steps, intp n) {
    run_in_order(operands, steps, n);
  }

  __attribute__((noinline)) static void buffered(char* const* operands, const intp* steps, intp n,
                                                 bool in_order) {
    constexpr auto kReference = kSearchesFlags ? &reference : nullptr;
    static constexpr LoopShape kShape = {kInputs, kOperands, kBlock,    kChunk,
                                         kSizes,  run,       kReference};
    alignas(64) char buffers[sum_of(kSizes, kOperands) * kChunk + 64 * kOperands];
    run_chunks(kShape, operands, steps, n, buffers, in_order);
  }

  __attribute__((noinline)) static void in_order(char* const* operands, const intp* steps, intp n) {
    run_in_order(operands, steps, n);
  }

  // The accumulator of `reduce`: the first input and the output are one element.
  NPP_FUNCTION static bool is_reduction(char* const* operands, const intp* steps, intp n) {
    return steps[0] == 0 && steps[2] == 0 && operands[0] == operands[2] &&
           are_disjoint({operands[0], 0, kSizes[0], 1}, {operands[1], steps[1], kSizes[1], n});
  }

  __attribute__((noinline)) static void reduce(char* const* operands, intp step, intp n) {
    using Value = typename TypeAtIndex<0, Inputs...>::Type;
    using Next = typename TypeAtIndex<1, Inputs...>::Type;
    Value value = Memory<Value>::load(operands[0]);
    const char* next = operands[1];
    for (intp i = 0; i < n; ++i, next += step)
      value = Kernel::call(value, Memory<Next>::load(next));
    Memory<Value>::store(operands[2], value);
  }

  NPP_FUNCTION static bool is_order_free(char* const* operands, const intp* steps, intp n) {
    return n == 1 || order_is_free(operands, steps, kSizes, kInputs, kOperands, n);
  }

  NPP_FUNCTION static void call_exact(char* const* operands, const intp* steps, intp n) {
    if (n < kShortLoop) return in_order(operands, steps, n);
    if constexpr (kInputs == 2 && kIsSame<Types<TypeAt<0, Types<Inputs...>>>, Types<Outputs...>>) {
      if (is_reduction(operands, steps, n)) return reduce(operands, steps[1], n);
    }
    const bool is_contiguous = ((steps[in] == sizeof(Inputs)) && ...);
    const bool has_scalars = ((steps[in] == sizeof(Inputs) || steps[in] == 0) && ...);
    const bool writes_contiguous = ((steps[kInputs + out] == sizeof(Outputs)) && ...);
    if (!has_scalars || !writes_contiguous || !is_order_free(operands, steps, n)) {
      return in_order(operands, steps, n);
    }
    if (is_contiguous) return run(operands, n);
    buffered(operands, steps, n, false);
  }

  NPP_FUNCTION static void call(char* const* operands, const intp* steps, intp n) {
    if constexpr (kHasVectorMath) {
      buffered(operands, steps, n, !is_order_free(operands, steps, n));
    } else if constexpr (kSearchesFlags) {
      if (n < kShortLoop || !is_order_free(operands, steps, n))
        return reference(operands, steps, n);
      buffered(operands, steps, n, false);
    } else {
      call_exact(operands, steps, n);
    }
  }
};

template <class Kernel>
using LoopOf =
    ElementwiseLoop<Kernel, typename Kernel::Inputs, typename Kernel::Outputs,
                    MakeIndices<Kernel::Inputs::kCount>, MakeIndices<Kernel::Outputs::kCount>>;

}  // namespace npp

#define NPP_ELEMENTWISE_LOOP(name, Kernel)                                           \
  extern "C" __attribute__((visibility("default"))) void name(                       \
      char** operands, const npp::intp* dimensions, const npp::intp* steps, void*) { \
    npp::LoopOf<Kernel>::call(operands, steps, dimensions[0]);                       \
  }
