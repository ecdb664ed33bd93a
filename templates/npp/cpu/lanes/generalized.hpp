// The loop of a generalized kernel with `lanes`: a block of elements of the loop dimensions at a
// time, each in a lane of its own. Such a kernel has `kLaneSize`, the bytes of its largest type,
// `LaneOperands`, and `lanes`, which is `call` for these, with LaneErrors first where it can raise.
//
// A block in which an element raises, or an idle lane might have raised a floating-point flag, has
// no effect: the loop of one element after the other repeats it.
#pragma once

#include "npp/cpu/generalized.hpp"
#include "npp/cpu/lanes/target.hpp"

#if NPP_LANES
#include "npp/cpu/floating_point_status.hpp"
#include "npp/cpu/lanes/core_arrays.hpp"
#include "npp/cpu/lanes/functions.hpp"

namespace npp {

// Flags that are raised beside those that were there.
class RaisedFlags {
 public:
  NPP_FUNCTION bool have_grown() const { return added() != 0; }
  NPP_FUNCTION void restore() { set_floating_point_status(floating_point_status() & ~added()); }
  NPP_FUNCTION void note() { known_ = floating_point_status(); }

 private:
  NPP_FUNCTION uint32 added() const { return floating_point_status() & kRaisedFlags & ~known_; }

  uint32 known_ = floating_point_status();
};

// The results of a block for an operand, which only written ones have.
struct NoResults {
  template <class LaneOperand>
  NPP_FUNCTION void take(const LaneOperand&) {}
  NPP_FUNCTION void store(char*, intp, const intp*) const {}
};
template <class LaneOperand>
struct LaneResults {
  LaneOperand values;

  NPP_FUNCTION void take(const LaneOperand& operand) { values = operand; }
  NPP_FUNCTION void store(char* first, intp step, const intp* strides) const {
    values.store_all(first, step, strides);
  }
};

template <class Operand>
inline constexpr bool kIsWritten = false;
template <class T, class... Dims>
inline constexpr bool kIsWritten<Array<T, Dims...>> = true;
template <class T, class... Dims>
inline constexpr bool kIsWritten<Array<const T, Dims...>> = false;

template <class Kernel, class... Operands, class... LaneOperands, int... index>
struct GeneralizedLaneLoop<Kernel, Types<Operands...>, Types<LaneOperands...>, Indices<index...>> {
  using Scalar = GeneralizedLoop<Kernel, Types<Operands...>, Indices<index...>>;
  using Form = void (*)(char* const*, const intp*, const intp*);
  using Results = Tuple<Conditional<kIsWritten<Operands>, LaneResults<LaneOperands>, NoResults>...>;
  static constexpr int kSize = Kernel::kLaneSize;
  static constexpr int kLength = lanes::kLanes<kSize>;
  static constexpr int kOperands = sizeof...(Operands);

  struct Call {
    Form in_order;
    const intp* dimensions;
    const intp* steps;

    NPP_FUNCTION const intp* strides(int operand) const {
      return steps + Scalar::first_stride(operand);
    }
    void run_in_order(char* const* operands, intp n) const {
      intp sizes[Kernel::kNumberOfNames + 1] = {n};
      for (int name = 1; name <= Kernel::kNumberOfNames; ++name) sizes[name] = dimensions[name];
      in_order(operands, sizes, steps);
    }
  };

  NPP_FUNCTION static bool compute(Results& results, LaneOperands... operands) {
    [[maybe_unused]] LaneErrors<kSize> errors;
    if constexpr (kCanRaise<Kernel>)
      Kernel::lanes(errors, operands...);
    else
      Kernel::lanes(operands...);
    (get<index>(results).take(operands), ...);
    return lanes::any(errors.raised);
  }
  // Returns whether an element raised. A function of its own: no operation moves out of it.
  __attribute__((noinline)) static bool compute_block(Results& results, const Call& call,
                                                      char* const* data) {
    return compute(results,
                   LaneOperandOf<LaneOperands>::begin(data[index], call.steps[index],
                                                      call.dimensions + 1, call.strides(index))...);
  }

  NPP_FUNCTION static void run(Form in_order, char* const* operands, const intp* dimensions,
                               const intp* steps) {
    const Call call = {in_order, dimensions, steps};
    char* data[] = {operands[index]...};
    RaisedFlags flags;
    intp n_left = dimensions[0];
    for (; n_left >= kLength; n_left -= kLength) {
      Results results;
      if (compute_block(results, call, data)) return call.run_in_order(data, kLength);
      if (flags.have_grown()) {
        flags.restore();
        call.run_in_order(data, kLength);
        flags.note();
      } else {
        (get<index>(results).store(data[index], steps[index], call.strides(index)), ...);
      }
      ((data[index] += kLength * steps[index]), ...);
    }
    call.run_in_order(data, n_left);
  }
};

}  // namespace npp

#endif
