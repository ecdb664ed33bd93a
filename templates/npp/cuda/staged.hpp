// Generalized kernels with small, packed core arrays of fixed sizes: a block copies the arrays of
// its items to shared memory and back with coalesced accesses, and each thread processes one item
// there. cuda/arguments.hpp describes their launches.
#pragma once

#include "npp/cuda/generalized.hpp"

namespace npp {

template <class Dimension>
inline constexpr intp kFixedSize = 1;
template <int name, intp size>
inline constexpr intp kFixedSize<Dim<name, size>> = size;

// An operand's items in shared memory. The stride between items is odd, so that threads at the same
// element of their items use different banks.
template <class T>
struct StagedOperand {
  using Memory = Stored<T>;
  static constexpr int kElements = 1;
  static constexpr bool kIsArray = false;
};
template <class T, class... Dims>
struct StagedOperand<Array<const T, Dims...>> : StagedOperand<Array<T, Dims...>> {};
template <class T, class... Dims>
struct StagedOperand<Array<T, Dims...>> {
  using Memory = Stored<T>;
  static constexpr int kElements = int((intp(1) * ... * kFixedSize<Dims>));
  static constexpr bool kIsArray = true;

  struct Strides {
    intp bytes[sizeof...(Dims)];
  };
  NPP_FUNCTION static constexpr Strides strides() {
    constexpr intp sizes[] = {kFixedSize<Dims>...};
    Strides result = {};
    intp stride = sizeof(T);
    for (int axis = int(sizeof...(Dims)) - 1; axis >= 0; --axis) {
      result.bytes[axis] = stride;
      stride *= sizes[axis];
    }
    return result;
  }
};

template <class Kernel, class OperandIndices>
struct Staged;

template <class Kernel, int... operands>
struct Staged<Kernel, Indices<operands...>> {
  using Arguments = StagedArguments<sizeof...(operands)>;
  template <int i>
  using Given = TypeAt<i, typename Kernel::Operands>;
  template <int i>
  using Operand = StagedOperand<Given<i>>;
  template <int i>
  using Memory = typename Operand<i>::Memory;

  static constexpr int kInputs = Kernel::kNumberOfInputs;

  template <int i>
  static constexpr int kPitch = Operand<i>::kElements | 1;

  // Byte offset of an operand's items in shared memory; for the number of operands: the total size.
  NPP_FUNCTION static constexpr int begin(int operand) {
    constexpr int sizes[] = {kThreads * kPitch<operands> * int(sizeof(Memory<operands>))...};
    int result = 0;
    for (int i = 0; i < operand; ++i) result += (sizes[i] + 15) / 16 * 16;
    return result;
  }
  static constexpr int kSharedBytes = begin(sizeof...(operands));

  NPP_FUNCTION static void run(const Arguments& arguments, char* shared) {
    const uint64 first = uint64(blockIdx.x) * kThreads;
    const uint32 n_items = uint32(min(arguments.n - first, uint64(kThreads)));
    (load<operands>(arguments, shared, first, n_items), ...);
    __syncthreads();
    if (threadIdx.x < n_items) Kernel::call(item<operands>(arguments, shared)...);
    __syncthreads();
    (store<operands>(arguments, shared, first, n_items), ...);
  }

  template <int i>
  NPP_FUNCTION static Memory<i>* shared_items(char* shared) {
    return reinterpret_cast<Memory<i>*>(shared + begin(i));
  }

  // Offset in shared memory of an element of the block's items, numbered as in global memory.
  template <int i>
  NPP_FUNCTION static uint32 staged_index(uint32 number) {
    constexpr uint32 kElements = Operand<i>::kElements;
    if constexpr (kPitch<i> == kElements) return number;
    return number / kElements * kPitch<i> + number % kElements;
  }

  // Calls visit(element in memory, element in shared memory) for this thread's share of the items.
  template <int i, class Visit>
  NPP_FUNCTION static void visit_elements(const Arguments& arguments, char* shared, uint64 first,
                                          uint32 n_items, const Visit& visit) {
    constexpr uint32 kElements = Operand<i>::kElements;
    Memory<i>* const items = address<Memory<i>>(arguments.operands[i]) + first * kElements;
    Memory<i>* const staged = shared_items<i>(shared);
    if (n_items == kThreads) {
#pragma unroll
      for (uint32 step = 0; step < kElements; ++step) {
        const uint32 number = step * kThreads + threadIdx.x;
        visit(items[number], staged[staged_index<i>(number)]);
      }
    } else {
#pragma unroll 1
      for (uint32 number = threadIdx.x; number < n_items * kElements; number += kThreads)
        visit(items[number], staged[staged_index<i>(number)]);
    }
  }

  template <int i>
  NPP_FUNCTION static void load(const Arguments& arguments, char* shared, uint64 first,
                                uint32 n_items) {
    if constexpr (i < kInputs && Operand<i>::kIsArray) {
      if (has_bit(arguments.repeated, i)) return load_one<i>(arguments, shared);
      visit_elements<i>(arguments, shared, first, n_items,
                        [](const Memory<i>& element, Memory<i>& staged) { staged = element; });
    }
  }

  // The item shared by all threads.
  template <int i>
  NPP_FUNCTION static void load_one(const Arguments& arguments, char* shared) {
    const Memory<i>* const item = address<const Memory<i>>(arguments.operands[i]);
#pragma unroll 1
    for (uint32 number = threadIdx.x; number < Operand<i>::kElements; number += kThreads)
      shared_items<i>(shared)[number] = item[number];
  }

  template <int i>
  NPP_FUNCTION static void store(const Arguments& arguments, char* shared, uint64 first,
                                 uint32 n_items) {
    if constexpr (i >= kInputs)
      visit_elements<i>(arguments, shared, first, n_items,
                        [](Memory<i>& element, const Memory<i>& staged) { element = staged; });
  }

  // Arguments of this thread's call.
  template <int i>
  NPP_FUNCTION static Given<i> item(const Arguments& arguments, char* shared) {
    const bool is_repeated = i < kInputs && has_bit(arguments.repeated, i);
    if constexpr (Operand<i>::kIsArray) {
      constexpr auto kStrides = Operand<i>::strides();
      const uint32 first = is_repeated ? 0 : threadIdx.x * kPitch<i>;
      return Given<i>(reinterpret_cast<char*>(shared_items<i>(shared) + first), nullptr,
                      kStrides.bytes);
    } else {
      if (has_bit(arguments.values, i)) return read_slot<Given<i>>(arguments.operands[i]);
      const uint64 number = is_repeated ? 0 : uint64(blockIdx.x) * kThreads + threadIdx.x;
      return read<Given<i>>(address<Memory<i>>(arguments.operands[i]) + number);
    }
  }
};

template <class Kernel>
using StagedOf = Staged<Kernel, MakeIndices<Kernel::Operands::kCount>>;

}  // namespace npp

#define NPP_STAGED_KERNEL(name, Kernel)                                          \
  extern "C" __global__ void __launch_bounds__(npp::kThreads)                    \
      name(const __grid_constant__ npp::StagedOf<Kernel>::Arguments arguments) { \
    __shared__ __align__(16) char shared[npp::StagedOf<Kernel>::kSharedBytes];   \
    npp::StagedOf<Kernel>::run(arguments, shared);                               \
  }
