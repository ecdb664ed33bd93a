// Demangles with the C++ library of the host, whose mangling NVIDIA's compilers share.
#include "simulator/program/spelling.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace numpy_plugin::sim {

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return name.starts_with("_Z") && status == 0 ? demangled.get() : name;
}

}  // namespace numpy_plugin::sim
