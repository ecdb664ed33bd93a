// Device kernels that are instantiations of a header in templates/, without code of a user:
// compiled and loaded at their first launch on each device.
#pragma once

#include <string>

#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {

struct TemplateKernel {
  const char* header;                              // "select/mask.hpp", in templates/npp
  std::string name;                                // of the entry point: "npp_count_selected"
  std::string operation;                           // in messages: "boolean indexing"
  std::string arguments;                           // type of its parameter: "npp::MaskArguments"
  std::string function;                            // called with that: "npp::count_selected"
  int threads = static_cast<int>(kLaunchThreads);  // of a block
};

// The text that NVRTC compiles.
std::string text_of(const TemplateKernel& kernel);

// Call without the GIL. Throws base::Error (kCompiler; kValue for too many blocks),
// load::CudaError.
void launch_template(const std::shared_ptr<Stream>& stream, const TemplateKernel& kernel,
                     std::int64_t n_blocks, ArgumentBuffer& arguments);

// Likewise, with a struct that is the kernel's parameter.
template <class Arguments>
void launch_template(const std::shared_ptr<Stream>& stream, const TemplateKernel& kernel,
                     std::int64_t n_blocks, const Arguments& arguments) {
  ArgumentBuffer buffer;
  buffer.put(arguments);
  launch_template(stream, kernel, n_blocks, buffer);
}

}  // namespace numpy_plugin::run
