// Elements of a kernel with `refilled_lanes`: while some are in its loop, lanes that have left it
// store their results and take the next ones. It has `lanes`, too, which are faster where elements
// make about as many trips. NPP_LOOP_FORM, the number of a LoopForm, is the choice instead of the
// time taken.
#pragma once

#include "npp/core/trips.hpp"
#include "npp/cpu/lanes/blocks.hpp"

#if NPP_LANES

namespace npp {

namespace lanes {

// Trips between two counts of the lanes that are in the loop. Compilers copy the trip, which takes
// up to 30 % less time.
inline constexpr int kTripsAtOnce = 4;
#define NPP_SEVERAL_TRIPS(name) for (int name = 0; name < npp::lanes::kTripsAtOnce; ++name)

// An operand of the elements in the lanes.
template <class T, int size>
struct LaneOperand {
  Lanes<T, size> values{T(0)};

  // Loads consecutive elements into the lanes of a mask, from the first.
  NPP_FUNCTION void take(uint64 lanes, const char* from, [[maybe_unused]] intp n_left) {
#if NPP_MASK_REGISTERS
    if constexpr (!kIsBool<T>) {
      if (n_left >= kLanes<size>) return expand(lanes, from);
    }
#endif
    take_each(lanes, from);
  }
  NPP_LONG_FUNCTION void take_each(uint64 lanes, const char* from) {
    for (; lanes != 0; lanes &= lanes - 1, from += sizeof(T))
      values.set_lane(__builtin_ctzll(lanes), Memory<T>::load(from));
  }

#if NPP_MASK_REGISTERS
  NPP_FUNCTION void expand(uint64 lanes, const char* from) {
    NPP_EACH_PART(k) {
      const auto mask = MaskPart<size>(lanes >> k * kWidth<size>);
      values.part[k] = lanes::expand<T, size>(mask, load_part<T, size>(from));
      from += __builtin_popcount(mask) * sizeof(T);
    }
  }
#endif
};

}  // namespace lanes

// The form of one loop of a kernel. A few loops in turn are measured, each form twice, the second
// time in reverse order, so that elements that take longer and longer favor none. The fastest is
// taken for the next loops: for twice as many where it is the same as before. All give the same
// results, so that threads may measure at the same time.
template <class Kernel>
class FormTimes {
 public:
  NPP_FUNCTION explicit FormTimes(intp n) : n_(n) {
#if defined(NPP_LOOP_FORM)
    form_ = LoopForm(NPP_LOOP_FORM);
#else
    number_ = get(n_loops_);
    if (number_ >= get(n_loops_of_choice_)) number_ = 0;
    set(n_loops_, number_ + 1);
    if (number_ == kMeasuredLoops) choose();
    form_ = LoopForm(is_measured() ? min(number_, kMeasuredLoops - 1 - number_) : get(choice_));
    if (is_measured()) start_ = lanes::registers::clock();
#endif
  }
  FormTimes(const FormTimes&) = delete;
  NPP_FUNCTION ~FormTimes() {
#if !defined(NPP_LOOP_FORM)
    if (!is_measured()) return;
    const uint64 time = (lanes::registers::clock() - start_) * kScale / uint64(n_);
    uint64& total = times_[int(form_)];
    set(total, number_ < kForms ? time : get(total) + time);
#endif
  }
  NPP_FUNCTION LoopForm form() const { return form_; }

 private:
  // Functions of vectors have other bits than those of single numbers.
  static constexpr uint64 kForms = Kernel::kHasVectorMath ? 2 : 3;
  static constexpr uint64 kMeasuredLoops = 2 * kForms, kFewLoops = 64, kMostLoops = 512,
                          kScale = 64;

  NPP_FUNCTION static uint64 min(uint64 a, uint64 b) { return a < b ? a : b; }
  NPP_FUNCTION bool is_measured() const { return number_ < kMeasuredLoops; }
  NPP_LONG_FUNCTION static void choose() {
    uint64 fastest = 0;
    for (uint64 form = 1; form < kForms; ++form)
      if (get(times_[form]) < get(times_[fastest])) fastest = form;
    const uint64 n = get(n_loops_of_choice_);
    if (fastest != get(choice_)) {
      set(n_loops_of_choice_, kFewLoops);
    } else if (n < kMostLoops) {
      set(n_loops_of_choice_, 2 * n);
    }
    set(choice_, fastest);
  }
  NPP_FUNCTION static uint64 get(const uint64& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
  }
  NPP_FUNCTION static void set(uint64& to, uint64 value) {
    __atomic_store_n(&to, value, __ATOMIC_RELAXED);
  }

  static inline uint64 times_[kForms] = {};  // of an element, by form
  static inline uint64 choice_ = 0;
  static inline uint64 n_loops_ = 0, n_loops_of_choice_ = kFewLoops;
  [[maybe_unused]] intp n_;
  LoopForm form_;
  [[maybe_unused]] uint64 number_ = 0, start_ = 0;
};

template <int size, class... Inputs, class... Outputs, int... in, int... out>
class LaneElements<size, Types<Inputs...>, Types<Outputs...>, Indices<in...>, Indices<out...>> {
 public:
  using Mask = Lanes<bool, size>;
  static constexpr int kLength = lanes::kLanes<size>;
  static constexpr int kInputs = sizeof...(Inputs);

  NPP_FUNCTION LaneElements(char* const* operands, intp n) : operands_(operands), n_(n) {}

  // Whether all lanes have left the loop, or have waited as long as taking the next elements costs.
  NPP_FUNCTION bool is_due(Mask running) {
    const int n_idle = kLength - __builtin_popcountll(lanes::bits_of(running));
    waited_ += n_idle;
    return builtin::either(n_idle == kLength, waited_ >= most_waited_);
  }
  // Lanes that have left the loop with an element.
  NPP_FUNCTION Mask finished(Mask running) const {
    return lanes::and_not(lanes::mask_of<size>(occupied_), running);
  }

  // Whether no lane has an element, and there are no further ones.
  NPP_FUNCTION bool are_over() const { return occupied_ == 0; }

  template <class Result>
  NPP_FUNCTION void store(Mask finished, const Result& result) {
    const uint64 lanes = lanes::bits_of(finished) & occupied_;
    if constexpr (sizeof...(Outputs) == 1) {
      (store_operand<Outputs, out>(lanes, lanes::cast<Outputs>(result)), ...);
    } else {
      (store_operand<Outputs, out>(lanes, lanes::cast<Outputs>(get<out>(result))), ...);
    }
  }

  // Gives the next elements to lanes that are not in the loop, and returns these lanes.
  NPP_LONG_FUNCTION Mask refill(Mask running) {
    occupied_ &= lanes::bits_of(running);
    is_block_ = builtin::both(occupied_ == 0, n_ - next_ >= kLength);
    uint64 entering = kAll & ~occupied_;
    if (is_block_) {
      for (int i = 0; i < kLength; ++i) elements_[i] = next_ + i;
    } else {
      entering = number(entering);
    }
    (take<in>(entering), ...);
    next_ += __builtin_popcountll(entering);
    occupied_ |= entering;
    waited_ = 0;
    if (next_ == n_) most_waited_ = Limits<intp>::kMax;
    return lanes::mask_of<size>(entering);
  }

  template <int i>
  NPP_FUNCTION auto operand() const {
    return get<i>(inputs_).values;
  }

  // The lanes of a mask raise an exception, numbered from 1. Elements after the first of all that
  // raise are given up; those before it go on, as they may raise, too.
  NPP_FUNCTION void report(Mask raising, int32 exception) {
    if (lanes::any(raising)) give_up(lanes::bits_of(raising) & occupied_, exception);
  }
  NPP_FUNCTION Mask kept(Mask running) const {
    return lanes::bitwise_and(running, lanes::mask_of<size>(occupied_));
  }
  NPP_FUNCTION bool have_raised() const { return exception_ != 0; }
  NPP_FUNCTION intp first_raised() const { return first_raised_; }
  NPP_FUNCTION int32 exception() const { return exception_; }

 private:
  static constexpr uint64 kAll = ~uint64(0) >> (64 - kLength);

  // Sets the numbers of the next elements, and returns the lanes that there are elements for.
  NPP_FUNCTION uint64 number(uint64 idle) {
    uint64 entering = 0;
    for (intp next = next_; builtin::both(idle != 0, next < n_); idle &= idle - 1) {
      elements_[__builtin_ctzll(idle)] = next++;
      entering |= idle & -idle;
    }
    return entering;
  }
  // The next elements are later than those in lanes.
  NPP_LONG_FUNCTION void give_up(uint64 raising, int32 exception) {
    for (; raising != 0; raising &= raising - 1) {
      const intp element = elements_[__builtin_ctzll(raising)];
      if (element >= first_raised_) continue;
      first_raised_ = element;
      exception_ = exception;
    }
    for (uint64 lanes = occupied_; lanes != 0; lanes &= lanes - 1)
      if (elements_[__builtin_ctzll(lanes)] >= first_raised_) occupied_ &= ~(lanes & -lanes);
    n_ = next_;
    most_waited_ = 0;
  }
  template <int i>
  NPP_FUNCTION void take(uint64 entering) {
    using T = typename TypeAtIndex<i, Inputs...>::Type;
    get<i>(inputs_).take(entering, operands_[i] + next_ * intp(sizeof(T)), n_ - next_);
  }
  template <class T, int i>
  NPP_FUNCTION void store_operand(uint64 lanes, Lanes<T, size> value) {
    char* const to = operands_[kInputs + i];
    store_each<T>(lanes, to, value);
  }
  template <class T>
  NPP_LONG_FUNCTION void store_each(uint64 lanes, char* to, const Lanes<T, size>& value) {
    if (is_block_ && lanes == kAll) return lanes::store(to + elements_[0] * intp(sizeof(T)), value);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctzll(lanes);
      Memory<T>::store(to + elements_[lane] * intp(sizeof(T)), value.lane(lane));
    }
  }

  char* const* operands_;
  intp n_, next_ = 0;
  intp waited_ = 0, most_waited_ = kLength;  // counts of lanes that have left the loop
  bool is_block_ = false;                    // whether the lanes took consecutive elements
  uint64 occupied_ = 0;                      // a bit for each lane with an element
  intp elements_[kLength];
  intp first_raised_ = Limits<intp>::kMax;
  int32 exception_ = 0;
  Tuple<lanes::LaneOperand<Inputs, size>...> inputs_;
};

}  // namespace npp

#endif
