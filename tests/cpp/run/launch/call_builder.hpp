// Calls written as tables.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {

using Numbers = std::vector<std::int64_t>;

struct Place {
  base::DType dtype = base::DType::kFloat32;
  std::uint64_t address = 0;
  Numbers strides = {};  // none: one element for the whole call
  bool is_value = false;
};

// A call with everything it points to.
class BuiltCall {
 public:
  BuiltCall(Numbers shape, std::vector<Place> places, std::size_t n_inputs, bool is_masked = false)
      : shape_(std::move(shape)),
        places_(std::move(places)),
        call_{shape_, {}, is_masked},
        n_inputs_(n_inputs) {
    for (const Place& place : places_) {
      operands_.push_back({.dtype = place.dtype,
                           .is_value = place.is_value,
                           .address = place.address,
                           .strides = place.strides.empty() ? nullptr : place.strides.data()});
      strides_.push_back(operands_.back().strides);
    }
    call_.operands = operands_;
  }
  BuiltCall(const BuiltCall&) = delete;
  BuiltCall& operator=(const BuiltCall&) = delete;

  const ElementwiseCall& call() const { return call_; }
  std::size_t n_inputs() const { return n_inputs_; }
  const std::vector<const std::int64_t*>& strides() const { return strides_; }

  template <class T>
  void set_value(std::size_t operand, T value) {
    std::memcpy(operands_[operand].slot.data(), &value, sizeof(value));
  }

 private:
  Numbers shape_;
  std::vector<Place> places_;
  std::vector<CallOperand> operands_;
  std::vector<const std::int64_t*> strides_;
  ElementwiseCall call_;
  std::size_t n_inputs_;
};

}  // namespace numpy_plugin::run
