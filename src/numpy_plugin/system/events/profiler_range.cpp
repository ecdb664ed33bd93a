// The functions of NVTX are in its headers: they open the library that the profiler names in
// $NVTX_INJECTION64_PATH.
#include "numpy_plugin/system/events/events.hpp"

#include <nvtx3/nvToolsExt.h>

#include <string>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::system {
namespace {

// Null without a profiler.
nvtxDomainHandle_t profiled_domain() {
  return made_once<[] { return nvtxDomainCreateA("numpy_plugin"); }>();
}

}  // namespace

ProfilerRange::ProfilerRange(std::string_view what, std::string_view subject)
    : is_open_(profiled_domain() != nullptr) {
  if (!is_open_) return;
  const std::string text = std::string(what) + ' ' + std::string(subject);
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text.c_str();
  nvtxDomainRangePushEx(profiled_domain(), &attributes);
}

ProfilerRange::~ProfilerRange() {
  if (is_open_) nvtxDomainRangePop(profiled_domain());
}

}  // namespace numpy_plugin::system
