// Reading options and filling logs.
#include "simulator/interface/driver/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace numpy_plugin::sim {

JitOptions::JitOptions(unsigned n_options, CUjit_option* options, void** values) {
  if (n_options == 0) return;
  require_pointer(options);
  require_pointer(values);
  const auto read_size = [](Log& log, void** value) {
    log.n_bytes = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(*value));
    log.used = value;
  };
  for (unsigned index = 0; index < n_options; ++index) {
    void** const value = values + index;
    switch (options[index]) {
      case CU_JIT_ERROR_LOG_BUFFER:
        errors_.buffer = static_cast<char*>(*value);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        read_size(errors_, value);
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        information_.buffer = static_cast<char*>(*value);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        read_size(information_, value);
        break;
      default:
        break;
    }
  }
}

void JitOptions::write(const Log& log, std::string_view text) {
  if (log.buffer == nullptr || log.n_bytes == 0) return;
  const std::size_t n_copied = std::min(text.size(), log.n_bytes - 1);
  std::memcpy(log.buffer, text.data(), n_copied);
  log.buffer[n_copied] = '\0';
  *log.used = reinterpret_cast<void*>(n_copied);
}

}  // namespace numpy_plugin::sim
