// Supported options of cuModuleLoadDataEx, cuLibraryLoadData and cuLinkCreate: error logs.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>

#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {

class JitOptions {
 public:
  JitOptions() = default;
  JitOptions(unsigned n_options, CUjit_option* options, void** values);

  // Runs `load` with JIT options: copies the report of a CallError to the client's buffer and
  // rethrows.
  template <typename Load>
  auto guard(Load&& load) const {
    write(information_, "");
    write(errors_, "");
    try {
      return load();
    } catch (const CallError& error) {
      write(errors_, error.report());
      throw;
    }
  }

 private:
  struct Log {
    char* buffer = nullptr;
    std::size_t n_bytes = 0;
    void** used = nullptr;  // receives the number of bytes written
  };

  static void write(const Log& log, std::string_view text);

  Log errors_;
  Log information_;
};

}  // namespace numpy_plugin::sim
