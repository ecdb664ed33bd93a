// Arrays with a place for each operand of a loop.
#pragma once

#include <array>
#include <cstddef>

namespace numpy_plugin::run {

// NPY_MAXARGS of NumPy 2.
inline constexpr std::size_t kMaxLoopOperands = 64;

// One value for each operand of a loop, without an allocation.
template <class T>
class PerOperand {
 public:
  PerOperand() = default;
  template <class Range>
  explicit PerOperand(const Range& values) {
    for (const auto& value : values) push_back(static_cast<T>(value));
  }
  void push_back(T value) { values_[n_++] = value; }
  std::size_t size() const { return n_; }
  T* data() { return values_.data(); }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  PerOperand(const PerOperand& other) noexcept : n_(other.n_) { copy(other); }
  PerOperand& operator=(const PerOperand& other) {
    n_ = other.n_;
    copy(other);
    return *this;
  }

 private:
  void copy(const PerOperand& other) {
    for (std::size_t i = 0; i < n_; ++i) values_[i] = other.values_[i];
  }

  std::array<T, kMaxLoopOperands> values_;  // uninitialized: large and mostly unused
  std::size_t n_ = 0;
};

}  // namespace numpy_plugin::run
