// The options of cuModuleLoadDataEx, cuLibraryLoadData and cuLinkCreate that are heeded: where to
// write what went wrong.
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

  // Scope with JIT options: the report of a CallError goes to the client's buffer,
  // and the CallError on.
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
    void** used = nullptr;  // where the client is told how many bytes are filled
  };

  static void write(const Log& log, std::string_view text);

  Log errors_;
  Log information_;
};

}  // namespace numpy_plugin::sim
