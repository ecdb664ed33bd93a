// Text of a failed assertion.
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::base {

void fail_assertion(const char* condition, const char* file, int line, const std::string& context) {
  throw Error(ErrorKind::kInternal,
              "this is a bug in numpy_plugin, please report it: " + std::string(condition) +
                  " does not hold at " + file + ":" + std::to_string(line) + " (" + context + ")");
}

}  // namespace numpy_plugin::base
