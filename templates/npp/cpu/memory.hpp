// Access to elements of a host array: at any address, with any types stored there. Plain
// dereferences would let the compiler assume alignment and types.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

template <class T>
struct Memory {
  NPP_FUNCTION static T load(const char* address) {
    T value;
    __builtin_memcpy(&value, address, sizeof(T));
    return value;
  }
  NPP_FUNCTION static void store(char* address, T value) {
    __builtin_memcpy(address, &value, sizeof(T));
  }
};

// In NumPy any nonzero byte is a valid true; in C++ it is not.
template <>
struct Memory<bool> {
  NPP_FUNCTION static bool load(const char* address) { return Memory<uint8>::load(address) != 0; }
  NPP_FUNCTION static void store(char* address, bool value) {
    Memory<uint8>::store(address, uint8(value));
  }
};

// Component by component: a 16-byte copy of the whole would prevent vectorization.
template <class T>
struct Memory<Complex<T>> {
  NPP_FUNCTION static Complex<T> load(const char* address) {
    return {Memory<T>::load(address), Memory<T>::load(address + sizeof(T))};
  }
  NPP_FUNCTION static void store(char* address, Complex<T> value) {
    Memory<T>::store(address, value.real);
    Memory<T>::store(address + sizeof(T), value.imag);
  }
};

}  // namespace npp
