// Text of a failed assertion.
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::base {

void fail_assertion(const char* condition, const char* file, int line, const std::string& context) {
  throw Error(
      ErrorKind::kInternal,
      format("this is a bug in numpy_plugin, please report it: {} does not hold at {}:{} ({})",
             condition, file, line, context));
}

}  // namespace numpy_plugin::base
