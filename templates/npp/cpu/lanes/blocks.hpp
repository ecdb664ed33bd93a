// The loop of a kernel with `lanes`: a block of elements at a time, each in a lane of its own. Such
// a kernel has `kLaneSize`, the bytes of its largest type, and `lanes`, which is `call` for
// Lanes<T, kLaneSize>, with LaneErrors first where it can raise.
#pragma once

#include "npp/cpu/elementwise.hpp"
#include "npp/cpu/lanes/target.hpp"

#if NPP_LANES
#include "npp/cpu/lanes/functions.hpp"

// A block without loops is short, and shares its constants with the next.
#if NPP_LANE_PARTS == 1
#define NPP_LANE_BLOCK NPP_FUNCTION
#else
#define NPP_LANE_BLOCK __attribute__((noinline))
#endif

namespace npp {

namespace lanes {

template <class T, int size>
NPP_FUNCTION Lanes<T, size> load(const char* from) {
  if constexpr (kIsBool<T>) {
    return truth(load<uint8, size>(from));
  } else {
    Lanes<T, size> value;
    NPP_EACH_PART(k) value.part[k] = load_part<T, size>(from + k * sizeof(value.part[k]));
    return value;
  }
}

template <class T, int size>
NPP_FUNCTION void store(char* to, Lanes<T, size> value) {
  if constexpr (kIsBool<T>) {
    store<uint8, size>(to, cast<uint8>(value));
  } else {
    NPP_EACH_PART(k) store_part<T, size>(to + k * sizeof(value.part[k]), value.part[k]);
  }
}

}  // namespace lanes

template <int size, class Inputs, class Outputs, class InputIndices, class OutputIndices>
class LaneElements;  // in refill.hpp
template <class Kernel>
class FormTimes;  // likewise

// Lanes that wait for the last of their block, lanes that take the next element, and no lanes.
enum class LoopForm { kWaiting, kRefilling, kOneByOne };

// Kernels with a second form, `refilled_lanes`, for elements of very different numbers of trips.
template <class Kernel>
inline constexpr bool kIsRefilled = requires {
  Kernel::kRefillsLanes;
};

template <class Kernel, class... Inputs, class... Outputs, int... in, int... out>
struct LaneLoop<Kernel, Types<Inputs...>, Types<Outputs...>, Indices<in...>, Indices<out...>> {
  static constexpr int kSize = Kernel::kLaneSize;
  static constexpr int kLength = lanes::kLanes<kSize>;
  static constexpr int kInputs = sizeof...(Inputs);
  static constexpr int kOperands = kInputs + sizeof...(Outputs);
  static constexpr intp kSteps[] = {sizeof(Inputs)..., sizeof(Outputs)...};
  using Scalar =
      ElementwiseLoop<Kernel, Types<Inputs...>, Types<Outputs...>, Indices<in...>, Indices<out...>>;

  // Fewer elements than this take less time one by one.
  static constexpr intp kShortRest = kLength / 8;

  template <class Result>
  NPP_FUNCTION static void store(char* const* p, const Result& result) {
    if constexpr (sizeof...(Outputs) == 1) {
      (lanes::store(p[kInputs + out], lanes::cast<Outputs>(result)), ...);
    } else {
      (lanes::store(p[kInputs + out], lanes::cast<Outputs>(get<out>(result))), ...);
    }
  }

  // Returns whether an element raised, which ends the loop.
  NPP_LANE_BLOCK static bool run_block(char* const* p) {
    if constexpr (kCanRaise<Kernel>) {
      LaneErrors<kSize> errors;
      store(p, Kernel::lanes(errors, lanes::load<Inputs, kSize>(p[in])...));
      return lanes::any(errors.raised) && report(p, errors);
    } else {
      store(p, Kernel::lanes(lanes::load<Inputs, kSize>(p[in])...));
      return false;
    }
  }

  static bool report(char* const* p, const LaneErrors<kSize>& errors) {
    int first = 0;
    while (!errors.raised.lane(first)) ++first;
    report(p, first, errors.numbers.lane(first));
    return true;
  }
  static void report(char* const* p, intp element, int32 exception) {
    Errors errors;
    Scalar::compute_at(p, element, errors);  // for the message's values
    errors.number = uint32(exception);
    npp_driver->report(errors);
  }

  // For a multiple of the length; returns whether an element raised.
  static bool run_blocks(char* const* operands, intp n) {
    char* p[] = {operands[in]..., operands[kInputs + out]...};
    for (; n > 0; n -= kLength) {
      if (run_block(p)) return true;
      ((p[in] += kLength * sizeof(Inputs)), ...);
      ((p[kInputs + out] += kLength * sizeof(Outputs)), ...);
    }
    return false;
  }

  static void run(char** p, intp n) {
    if constexpr (kIsRefilled<Kernel>) {
      if (n < kShortRest) return Scalar::kShape.in_order(p, kSteps, n);
      const FormTimes<Kernel> times(n);
      if (times.form() == LoopForm::kRefilling) return run_refilled(p, n);
      if (times.form() == LoopForm::kOneByOne) return Scalar::kShape.in_order(p, kSteps, n);
      run_blocks_and_rest(p, n);
    } else {
      run_blocks_and_rest(p, n);
    }
  }
  static void run_refilled(char* const* p, intp n) {
    LaneElements<kSize, Types<Inputs...>, Types<Outputs...>, Indices<in...>, Indices<out...>>
        elements(p, n);
    Kernel::refilled_lanes(elements);
    if constexpr (kCanRaise<Kernel>)
      if (elements.have_raised()) report(p, elements.first_raised(), elements.exception());
  }
  static void run_blocks_and_rest(char** p, intp n) {
    const intp whole = n - n % kLength;
    if (run_blocks(p, whole)) return;
    if constexpr (!Kernel::kHasVectorMath) {  // otherwise the driver calls with whole blocks
      if (whole == n) return;
      for (int operand = 0; operand < kOperands; ++operand) p[operand] += whole * kSteps[operand];
      n -= whole;
      if (n < kShortRest) return Scalar::kShape.in_order(p, kSteps, n);
      npp_driver->run_short_block(Scalar::kShape, p, n, kLength);
    }
  }
};

}  // namespace npp

#endif
