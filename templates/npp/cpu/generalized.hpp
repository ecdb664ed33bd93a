// Generalized kernels on the CPU: NPP_GENERALIZED_LOOP(name, Kernel) defines a function with
// NumPy's loop signature that calls the kernel for each element of the loop dimensions.
//
// dimensions: the number of calls, then the size of each name of the layout. steps: one per operand
// from call to call, then the strides of each operand's core dimensions, operand by operand.
// NumPy copies overlapping operands before it calls such a loop.
#pragma once

#if defined(__clang__) && defined(__x86_64__)
// clang computes both sides of a branch in vector loops and has no per-function option: spurious
// flags would be raised.
#pragma float_control(except, on)
#endif

#include "npp/core/array.hpp"
#include "npp/core/ops.hpp"
#include "npp/cpu/attributes.hpp"
#include "npp/cpu/driver_pointer.hpp"
#include "npp/cpu/memory.hpp"

namespace npp {

// Access of the loop to one operand of a kernel: a scalar input here, a view below.
template <class T>
struct CoreOperand {
  static constexpr int kStrides = 0;
  NPP_FUNCTION static bool is_contiguous(const intp*) { return true; }
  NPP_FUNCTION static T make(char* data, const intp*, const intp*, bool) {
    return Memory<T>::load(data);
  }
};

template <class T, class... Dims>
struct CoreOperand<Array<T, Dims...>> {
  static constexpr int kStrides = Array<T, Dims...>::kStrides;
  // The contiguous form knows all strides where the layout fixes the sizes, so that inner loops are
  // unrolled; else that of the last dimension, so that they vectorize.
  static constexpr bool kHasFixedSizes = ((Dims::kSize != kAnySize) && ...);

  NPP_FUNCTION static constexpr intp stride_of(int axis) {
    constexpr intp sizes[] = {Dims::kSize...};
    intp stride = sizeof(T);
    for (int inner = axis + 1; inner < kStrides; ++inner) stride *= sizes[inner];
    return stride;
  }
  NPP_FUNCTION static bool is_contiguous(const intp* strides) {
    if constexpr (!kHasFixedSizes) return kStrides == 0 || strides[kStrides - 1] == sizeof(T);
    for (int axis = 0; axis < kStrides; ++axis)
      if (strides[axis] != stride_of(axis)) return false;
    return true;
  }
  NPP_FUNCTION static Array<T, Dims...> make(char* data, const intp* sizes, const intp* strides,
                                             bool is_contiguous) {
    intp known[kStrides + 1];
    for (int axis = 0; axis < kStrides; ++axis) known[axis] = strides[axis];
    if constexpr (!kHasFixedSizes) {
      if (kStrides > 0 && is_contiguous) known[kStrides - (kStrides > 0)] = sizeof(T);
    } else if (is_contiguous) {
      for (int axis = 0; axis < kStrides; ++axis) known[axis] = stride_of(axis);
    }
    return {data, sizes, known};
  }
};

// Kernels of several results, without loops.
template <class Kernel>
inline constexpr bool kHoldsInputs = requires {
  Kernel::kHoldsInputs;
};

// Elements of an operand for one call of a kernel: where they are.
template <bool is_held, class Operand>
struct HeldOperand {
  NPP_FUNCTION char* hold(char* data, bool) { return data; }
};

inline constexpr intp kMostHeld = 16;  // elements, which fit into registers

// A copy of a contiguous input. As far as compilers know, storing a result might change the
// original, of which they would load each element after each result.
template <class T, class... Dims>
requires(((Dims::kSize > 0) && ...) &&
         (1 * ... * Dims::kSize) <= kMostHeld) struct HeldOperand<true, Array<const T, Dims...>> {
  static constexpr int kCount = int((1 * ... * Dims::kSize));
  using Item = Conditional<kIsBool<T>, uint8, T>;
  Item elements[kCount];

  NPP_FUNCTION char* hold(char* data, bool is_contiguous) {
    if (!is_contiguous) return data;
    _Pragma("GCC unroll 16") for (int i = 0; i < kCount; ++i) elements[i] =
        *reinterpret_cast<const Item*>(data + i * sizeof(T));
    return reinterpret_cast<char*>(elements);
  }
};

// Scratch memory of all elements of a loop.
template <class Kernel>
struct LoopScratch {};
template <class Kernel>
requires kHasScratch<Kernel>
struct LoopScratch<Kernel> : Kernel::Scratch {
};

template <class Kernel, class... Items>
NPP_FUNCTION void call_with(Errors& errors, [[maybe_unused]] LoopScratch<Kernel>& scratch,
                            const Items&... items) {
  if constexpr (kHasScratch<Kernel>)
    Kernel::call(errors, scratch, items...);
  else
    call_kernel<Kernel>(errors, items...);
}

template <class Kernel, class Operands = typename Kernel::Operands,
          class OperandIndices = MakeIndices<Kernel::Operands::kCount>>
struct GeneralizedLoop;

// A kernel's loop in lanes (cpu/lanes/generalized.hpp), for kernels that have one.
template <class Kernel>
inline constexpr bool kHasCoreLanes = requires {
  typename Kernel::LaneOperands;
};
template <class Kernel, class Operands, class LaneOperands, class OperandIndices>
struct GeneralizedLaneLoop;

template <class Kernel, class... Operands, int... index>
struct GeneralizedLoop<Kernel, Types<Operands...>, Indices<index...>> {
  static constexpr int kOperands = sizeof...(Operands);

  // Index of the first stride of operand `operand`.
  static constexpr int first_stride(int operand) {
    constexpr int counts[] = {CoreOperand<Operands>::kStrides...};
    int first = kOperands;
    for (int i = 0; i < operand; ++i) first += counts[i];
    return first;
  }

  NPP_FUNCTION static void run(char* const* operands, const intp* dimensions, const intp* steps,
                               bool is_contiguous) {
    char* data[] = {operands[index]...};
    [[maybe_unused]] LoopScratch<Kernel> scratch;
    for (intp i = 0; i < dimensions[0]; ++i) {
      Errors errors;
      Tuple<HeldOperand<kHoldsInputs<Kernel>, Operands>...> held;
      call_with<Kernel>(errors, scratch,
                        CoreOperand<Operands>::make(
                            get<index>(held).hold(data[index], is_contiguous), dimensions + 1,
                            steps + first_stride(index), is_contiguous)...);
      if constexpr (kCanRaise<Kernel>)
        if (errors.any()) return npp_driver->report(errors);
      ((data[index] += steps[index]), ...);
    }
  }

  // Two copies of the kernel: exact operations in source order give identical bits in both.
  NPP_EXACT_FLAGS static void run_contiguous(char* const* operands, const intp* dimensions,
                                             const intp* steps) {
    NPP_KEEP_EXACT_FLAGS;
    run(operands, dimensions, steps, true);
  }
  NPP_STRIDED_EXACT_FLAGS static void run_strided(char* const* operands, const intp* dimensions,
                                                  const intp* steps) {
    NPP_KEEP_EXACT_FLAGS;
    run(operands, dimensions, steps, false);
  }

  NPP_FUNCTION static void call(char* const* operands, const intp* dimensions, const intp* steps) {
    const bool is_contiguous =
        (CoreOperand<Operands>::is_contiguous(steps + first_stride(index)) && ...);
    const auto in_order = is_contiguous ? run_contiguous : run_strided;
    if constexpr (kHasCoreLanes<Kernel>) {
      GeneralizedLaneLoop<Kernel, Types<Operands...>, typename Kernel::LaneOperands,
                          Indices<index...>>::run(in_order, operands, dimensions, steps);
    } else {
      in_order(operands, dimensions, steps);
    }
  }
};

}  // namespace npp

#define NPP_GENERALIZED_LOOP(name, Kernel)                                           \
  extern "C" __attribute__((visibility("default"))) void name(                       \
      char** operands, const npp::intp* dimensions, const npp::intp* steps, void*) { \
    npp::GeneralizedLoop<Kernel>::call(operands, dimensions, steps);                 \
  }
