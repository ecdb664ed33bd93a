// The strided launch form: each thread of a full tile processes kItems elements, a block's width
// apart, so that adjacent threads read adjacent elements; after the full tiles, one element.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/indexing.hpp"

namespace npp {

template <class Kernel, class Range, Mask mask, int kDimensions>
using StridedArgumentsOf = StridedArguments<Range, kOperandsOf<Kernel, mask>, kDimensions>;

// A thread's elements in calls of one dimension: addresses advance by a fixed step.
template <class Arguments>
struct Line {
  using Offset = typename Arguments::Offset;
  using Bits = Unsigned<Offset>;
  const Arguments& arguments;
  Bits first;  // the number of the thread's first element

  NPP_FUNCTION char* first_place(int operand) const {
    return element_address<char>(arguments, operand,
                                 Offset(first * Bits(arguments.strides[0][operand])));
  }
  NPP_FUNCTION int64 step(int operand) const {
    return Offset(kThreads * Bits(arguments.strides[0][operand]));
  }
};

template <class Kernel, class Arguments, Mask mask, int kItems, class InputIndices,
          class OutputIndices>
struct Strided;

template <class Kernel, class Arguments, Mask mask, int kItems, int... inputs, int... outputs>
struct Strided<Kernel, Arguments, mask, kItems, Indices<inputs...>, Indices<outputs...>> {
  using Number = typename Arguments::Number;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr bool kIsMasked = mask == Mask::kGiven;
  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kOutputs = sizeof...(outputs);
  static constexpr int kFirstOutput = kInputs + kIsMasked;
  static constexpr int kTogether = 4;  // elements whose offsets are computed together
  static constexpr bool kIsLine = Arguments::kDimensions == 1;
  // For short bodies in one dimension, a second copy costs less than copying values to all
  // elements.
  static constexpr bool kHasPlainCopy = kIsLine && !Kernel::kHasVectorMath && !Kernel::kHasBranches;

  template <int count>
  struct Read {
    Elements<bool, count> wanted;  // with a mask
    Tuple<Elements<Input<inputs>, count>...> items;
  };

  NPP_FUNCTION static void run(const Arguments& arguments, Errors& errors) {
    if (kItems > 1 && blockIdx.x < arguments.full_tiles) {
      const Number first = Number(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
      if (kHasPlainCopy && arguments.values == 0)
        some_elements<kItems, false>(arguments, errors, first);
      else
        some_elements<kItems, true>(arguments, errors, first);
      return;
    }
    const Number number = Number(arguments.full_tiles) * (kThreads * (kItems - 1)) +
                          Number(blockIdx.x) * kThreads + threadIdx.x;
    if (number < Number(arguments.n)) some_elements<1, true>(arguments, errors, number);
  }

 private:
  // All are read before anything is written.
  template <int count, bool kMayBeValues>
  NPP_FUNCTION static void some_elements(const Arguments& arguments, Errors& errors, Number first) {
    if constexpr (kIsLine)
      along_line<count, kMayBeValues>({arguments, first}, errors);
    else if constexpr (count <= kTogether)
      together<count>(arguments, errors, first);
    else
      in_batches<count>(arguments, errors, first);
  }

  template <int count, bool kMayBeValues>
  NPP_FUNCTION static void along_line(const Line<Arguments>& line, Errors& errors) {
    Read<count> in;
    if constexpr (kIsMasked) read_line<false>(line, kInputs, in.wanted);
    (read_line<kMayBeValues>(line, inputs, get<inputs>(in.items)), ...);
    char* places[kOutputs] = {line.first_place(kFirstOutput + outputs)...};
#pragma unroll
    for (int k = 0; k < count; ++k) {
      finish(errors, in, k, places);
      ((places[outputs] += line.step(kFirstOutput + outputs)), ...);
    }
  }

  template <int count>
  NPP_FUNCTION static void together(const Arguments& arguments, Errors& errors, Number first) {
    Read<count> in;
    const auto offsets = offsets_of<count>(arguments, first);
    read_batch(arguments, offsets, 0, in);
    finish_batch(arguments, errors, offsets, 0, in);
  }

  // The outputs' offsets are computed again: meanwhile, their registers hold elements in flight.
  template <int count>
  NPP_FUNCTION static void in_batches(const Arguments& arguments, Errors& errors, Number first) {
    Read<count> in;
#pragma unroll
    for (int k = 0; k < count; k += kTogether)
      read_batch(arguments, offsets_of<kTogether>(arguments, first + k * kThreads), k, in);
#pragma unroll
    for (int k = 0; k < count; k += kTogether)
      finish_batch(arguments, errors, offsets_of<kTogether>(arguments, first + k * kThreads), k,
                   in);
  }

  template <int count>
  NPP_FUNCTION static OffsetsOf<Arguments, count> offsets_of(const Arguments& arguments,
                                                             Number first) {
    Number numbers[count];
#pragma unroll
    for (int k = 0; k < count; ++k) numbers[k] = first + k * kThreads;
    return find_offsets(arguments, numbers);
  }

  template <bool kMayBeValue, class T, int count>
  NPP_FUNCTION static void read_line(const Line<Arguments>& line, int operand,
                                     Elements<T, count>& items) {
    const bool is_value = kMayBeValue && has_bit(line.arguments.values, operand);
    const char* place = line.first_place(operand);
#pragma unroll
    for (int k = 0; k < count; ++k) {
      items.items[k] = is_value ? read_slot<T>(line.arguments.operands[operand])
                                : read<T>(reinterpret_cast<const Stored<T>*>(place));
      place += line.step(operand);
    }
  }

  // Elements `first` and following, as many as there are offsets.
  template <int count, class Found>
  NPP_FUNCTION static void read_batch(const Arguments& arguments, const Found& offsets, int first,
                                      Read<count>& in) {
    if constexpr (kIsMasked) read_some(arguments, kInputs, offsets, first, in.wanted);
    (read_some(arguments, inputs, offsets, first, get<inputs>(in.items)), ...);
  }
  template <class T, int count, class Found>
  NPP_FUNCTION static void read_some(const Arguments& arguments, int operand, const Found& offsets,
                                     int first, Elements<T, count>& items) {
    const bool is_value = has_bit(arguments.values, operand);
#pragma unroll
    for (int k = 0; k < Found::kCount; ++k)
      items.items[first + k] =
          is_value
              ? read_slot<T>(arguments.operands[operand])
              : read<T>(element_address<Stored<T>>(arguments, operand, offsets.bytes[k][operand]));
  }

  template <int count, class Found>
  NPP_FUNCTION static void finish_batch(const Arguments& arguments, Errors& errors,
                                        const Found& offsets, int first, const Read<count>& in) {
#pragma unroll
    for (int k = 0; k < Found::kCount; ++k) {
      char* const places[kOutputs] = {element_address<char>(
          arguments, kFirstOutput + outputs, offsets.bytes[k][kFirstOutput + outputs])...};
      finish(errors, in, first + k, places);
    }
  }

  template <int count>
  NPP_FUNCTION static void finish(Errors& errors, const Read<count>& in, int k,
                                  char* const (&places)[kOutputs]) {
    if constexpr (kIsMasked)
      if (!in.wanted.items[k]) return;
    const auto results = call_kernel<Kernel>(errors, get<inputs>(in.items).items[k]...);
    (write<Output<outputs>>(reinterpret_cast<Stored<Output<outputs>>*>(places[outputs]),
                            result<outputs>(results)),
     ...);
  }
};

template <class Kernel, class Range, Mask mask, int kDimensions, int kItems>
NPP_FUNCTION void run_strided(const StridedArgumentsOf<Kernel, Range, mask, kDimensions>& arguments,
                              Errors& errors) {
  Strided<Kernel, StridedArgumentsOf<Kernel, Range, mask, kDimensions>, mask, kItems,
          MakeIndices<Kernel::Inputs::kCount>, MakeIndices<Kernel::Outputs::kCount>>::run(arguments,
                                                                                          errors);
}

}  // namespace npp

#define NPP_STRIDED(make, name, Kernel, Range, mask, n_dimensions, n_items)            \
  using name##_arguments = npp::StridedArgumentsOf<Kernel, Range, mask, n_dimensions>; \
  make(name, name##_arguments, npp::run_strided<Kernel, Range, mask, n_dimensions, n_items>)
#define NPP_STRIDED_KERNEL(...) NPP_STRIDED(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_STRIDED_KERNEL(...) NPP_STRIDED(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
