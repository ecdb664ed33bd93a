// Generalized calls written as tables.
#pragma once

#include <utility>

#include "numpy_plugin/run/forms/generalized_launch.hpp"
#include "numpy_plugin/signature/signature.hpp"
#include "run/launch/call_builder.hpp"

namespace numpy_plugin::run {

// An operand: its loop strides and core strides.
struct CorePlace {
  CorePlace(Place loop_place, Numbers strides)
      : loop(std::move(loop_place)), core_strides(std::move(strides)) {}
  Place loop;
  Numbers core_strides;
};

// A call with everything it points to.
class BuiltItems {
 public:
  BuiltItems(Numbers shape, Numbers core_sizes, std::vector<CorePlace> places)
      : shape_(std::move(shape)), core_sizes_(std::move(core_sizes)), places_(std::move(places)) {
    for (const CorePlace& place : places_) {
      CoreOperand& operand = operands_.emplace_back();
      operand.loop.dtype = place.loop.dtype;
      operand.loop.is_value = place.loop.is_value;
      operand.loop.address = place.loop.address;
      operand.loop.strides = place.loop.strides.empty() ? nullptr : place.loop.strides.data();
      operand.core_strides = place.core_strides.data();
    }
  }
  BuiltItems(const BuiltItems&) = delete;
  BuiltItems& operator=(const BuiltItems&) = delete;

  GeneralizedCall call() const { return {shape_, core_sizes_, operands_}; }

  template <class T>
  void set_value(std::size_t operand, T value) {
    std::memcpy(operands_[operand].loop.slot.data(), &value, sizeof(value));
  }

 private:
  Numbers shape_;
  Numbers core_sizes_;
  std::vector<CorePlace> places_;
  std::vector<CoreOperand> operands_;
};

}  // namespace numpy_plugin::run
