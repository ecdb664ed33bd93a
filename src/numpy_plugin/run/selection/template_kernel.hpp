// Device kernels that are instantiations of a header in templates/, without code of a user:
// compiled and loaded at their first launch on each device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

// The text that NVRTC compiles for kernels of one header.
std::string text_of(std::span<const TemplateKernel> kernels);

// Kernels of one header that are compiled together, on a device.
class TemplateModule {
 public:
  // Throws base::Error (kCompiler), load::CudaError.
  TemplateModule(const std::shared_ptr<Device>& device, std::vector<TemplateKernel> kernels);

  // Throws base::Error (kValue for too many blocks), load::CudaError.
  void launch(const std::shared_ptr<Stream>& stream, std::size_t which, std::int64_t n_blocks,
              ArgumentBuffer& arguments) const;
  template <class Arguments>
  void launch(const std::shared_ptr<Stream>& stream, std::size_t which, std::int64_t n_blocks,
              const Arguments& arguments) const {
    ArgumentBuffer buffer;
    buffer.put(arguments);
    launch(stream, which, n_blocks, buffer);
  }

 private:
  struct Loaded;
  std::vector<TemplateKernel> kernels_;
  std::shared_ptr<const Loaded> loaded_;
};

// A kernel of its own. Call without the GIL. Throws as TemplateModule does.
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

// A value in host memory that a kernel writes and the host reads once the kernel is done.
template <class T>
class HostValue {
  static_assert(sizeof(T) <= Device::kRecordBytes);

 public:
  HostValue(const std::shared_ptr<Device>& device, T value)
      : device_(device), value_(new (device->take_record()) T(value)) {}
  ~HostValue() { device_->give_record(reinterpret_cast<std::byte*>(value_)); }
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  // With unified addressing, also that on the device.
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(value_); }
  // Waits for the stream. Throws load::CudaError.
  const T& wait(Stream& stream) const {
    stream.synchronize();
    return *value_;
  }

 private:
  std::shared_ptr<Device> device_;
  T* value_;
};

// A number, at first 0.
class HostNumber : public HostValue<std::uint64_t> {
 public:
  explicit HostNumber(const std::shared_ptr<Device>& device) : HostValue(device, 0) {}
};

}  // namespace numpy_plugin::run
