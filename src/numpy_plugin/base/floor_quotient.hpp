// Floor division of integers that are known before a kernel runs: constants and sizes of arrays.
// That of kernels is in templates/npp/core/ops.hpp.
#pragma once

namespace numpy_plugin::base {

// As Python's `//`; the divisor is not 0, and the quotient has a value of the type.
template <class Integer>
constexpr Integer floor_quotient(Integer left, Integer right) {
  const Integer quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

}  // namespace numpy_plugin::base
