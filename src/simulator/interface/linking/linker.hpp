// Joins several inputs to one image: cuLink's and nvJitLink's work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/interface/driver/architecture.hpp"
#include "simulator/interface/linking/nvjitlink.hpp"

namespace numpy_plugin::sim {

class Linker {
 public:
  // LTO-IR is linked with nvJitLink's `options`.
  Linker(const Architecture& architecture, std::vector<std::string> options)
      : architecture_(&architecture), options_(std::move(options)) {}

  // Detects the type by the bytes' magic number. Throws CallError where the input is invalid.
  void add(std::string_view bytes, const char* name);

  // Throws CallError where inputs don't fit together, or there are none.
  void complete();

  // After complete(): what cuModuleLoadData takes, and the PTX that LTO-IR was linked to.
  const std::string& image() const { return image_; }
  const std::string& linked_ptx() const { return linked_ptx_; }

 private:
  const Architecture* architecture_;
  std::vector<std::string> options_;
  std::vector<std::string> texts_;
  std::vector<LinkInput> lto_ir_;
  std::string image_;
  std::string linked_ptx_;
};

}  // namespace numpy_plugin::sim
