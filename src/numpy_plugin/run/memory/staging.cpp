#include "numpy_plugin/run/memory/device_memory.hpp"

#include <utility>

namespace numpy_plugin::run {

Staging::Staging(std::shared_ptr<Device> device)
    : device_(std::move(device)), data_(device_->take_pinned_block(kStagingBytes)) {}

Staging::~Staging() { device_->give_pinned_block(data_); }

}  // namespace numpy_plugin::run
