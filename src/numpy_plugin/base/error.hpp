// Errors: a user's mistake or an environment problem is an Error (an exception whose text names the
// problem, what was found and what was expected); a bug in this package is NPP_ASSERT (an exception
// that names the violated invariant).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::base {

// Python exception for an Error; ufunc/api maps them in one place.
enum class ErrorKind {
  kSignature,
  kKernel,
  kCompiler,
  kCuda,
  kDeviceMemory,
  kSimulator,
  kType,
  kValue,
  kRuntime,
  kInternal
};

class Error : public std::runtime_error {
 public:
  // log: the whole output of a compiler or linker, empty where not applicable.
  Error(ErrorKind kind, const std::string& message, std::string log = {})
      : std::runtime_error(message), kind_(kind), log_(std::move(log)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& log() const { return log_; }

 private:
  ErrorKind kind_;
  std::string log_;
};

[[noreturn]] void fail_assertion(const char* condition, const char* file, int line,
                                 const std::string& context);

}  // namespace numpy_plugin::base

// An invariant of this package that no user input can violate. `context` is text with relevant
// values.
#define NPP_ASSERT(condition, context)                                                 \
  do {                                                                                 \
    if (!(condition))                                                                  \
      ::numpy_plugin::base::fail_assertion(#condition, __FILE__, __LINE__, (context)); \
  } while (false)
