// libFuzzer's entry point for the PTX parser and the decoder.
#include <cstddef>
#include <cstdint>

#include "simulator/assembly/fuzz/is_accepted.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  numpy_plugin::sim::is_accepted({reinterpret_cast<const char*>(data), size});
  return 0;
}
