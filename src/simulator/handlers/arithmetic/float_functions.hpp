// Sums and products of float and double, rounded once by the processor in its present mode.
#pragma once

#include "simulator/handlers/common/float_bits.hpp"

namespace numpy_plugin::sim::NPP_ISA::ieee {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};

struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};

struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};

struct MultiplyAdd {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

}  // namespace numpy_plugin::sim::NPP_ISA::ieee
