// Aborts a launch on a simulated device at an index out of bounds, or at an array that does not fit
// another: like a failed assertion, with the numbers in its text.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

class FaultText {
 public:
  NPP_FUNCTION void add(const char* text) {
    while (*text != '\0') text_[length_++] = *text++;
  }
  NPP_FUNCTION void add(int64 number) {
    if (number < 0) text_[length_++] = '-';
    uint64 rest = number < 0 ? 0 - uint64(number) : uint64(number);
    char digits[20];
    int n_digits = 0;
    do {
      digits[n_digits++] = char('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (n_digits > 0) text_[length_++] = digits[--n_digits];
  }
  NPP_FUNCTION const char* text() {
    text_[length_] = '\0';
    return text_;
  }

 private:
  char text_[112];  // three numbers of 20 digits, and the words between them
  int length_ = 0;
};

// Fails with three numbers, each preceded by its text.
__device__ __noinline__ inline void fail_access(const char* const (&words)[3],
                                                const int64 (&numbers)[3]) {
  FaultText message;
  for (int i = 0; i < 3; ++i) {
    message.add(words[i]);
    message.add(numbers[i]);
  }
  __assertfail(message.text(), "npp/core/array.hpp", __LINE__, "at", sizeof(char));
}

NPP_FUNCTION void fail_index(int64 index, int axis, int64 size) {
  fail_access({"index ", " is out of bounds for axis ", " with size "}, {index, axis, size});
}

NPP_FUNCTION void fail_fit(int64 size, int axis, int64 expected) {
  fail_access({"an array of size ", " does not fit axis ", " with size "}, {size, axis, expected});
}

}  // namespace npp
