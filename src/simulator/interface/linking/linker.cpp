// Inputs are checked as they are added, and once more together.
#include "simulator/interface/linking/linker.hpp"

#include <algorithm>

#include "simulator/handlers/handlers.hpp"
#include "simulator/interface/driver/call.hpp"
#include "simulator/interface/driver/image.hpp"

namespace numpy_plugin::sim {
namespace {

// Links only to report errors; loading the image links again.
void try_linking(const std::vector<std::string>& texts) {
  constexpr std::uint64_t kSomewhere = 256;
  const auto place = [](const GlobalVariable&) { return kSomewhere; };
  decode_modules(parse_texts(texts), {handler_finder(), place});
}

}  // namespace

void Linker::add(std::string_view bytes, const char* name) {
  if (is_device_runtime(bytes)) {
    texts_.emplace_back(kDeviceRuntime);
    return;
  }
  if (is_machine_code(bytes)) refuse_machine_code();
  if (is_lto_ir(bytes)) {
    require(std::find(options_.begin(), options_.end(), "-lto") != options_.end(),
            CUDA_ERROR_NOT_SUPPORTED, "LTO-IR is linked with the option -lto, which was not given");
    lto_ir_.push_back({name == nullptr ? "LTO-IR" : name, std::string(bytes)});
    return;
  }
  std::string text = is_fatbin(bytes) ? ptx_of_fatbin(bytes, *architecture_)
                                      : std::string(bytes.substr(0, bytes.find('\0')));
  require_target(parse_texts({text}), *architecture_);
  texts_.push_back(std::move(text));
}

void Linker::complete() {
  std::vector<std::string> texts = texts_;
  if (!lto_ir_.empty()) {
    linked_ptx_ = link_lto_ir(lto_ir_, options_);
    texts.push_back(linked_ptx_);
  }
  require(!texts.empty(), CUDA_ERROR_INVALID_VALUE, "there is nothing to link");
  try_linking(texts);
  image_ = make_image(texts);
}

}  // namespace numpy_plugin::sim
