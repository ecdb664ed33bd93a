// Entry points: linking of several inputs to one image.
#include <algorithm>

#include "simulator/handlers/handlers.hpp"
#include "simulator/interface/driver/image.hpp"
#include "simulator/interface/driver/jit_options.hpp"
#include "simulator/interface/driver/nvjitlink.hpp"
#include "simulator/interface/objects/context.hpp"

using namespace numpy_plugin::sim;

namespace {

struct Link {
  JitOptions options;
  const Architecture* architecture = nullptr;
  std::vector<std::string> texts;
  std::vector<LinkInput> lto_ir;
  std::string image;
};

Handles<CUlinkState, Link>& links() {
  static auto& handles = *new Handles<CUlinkState, Link>;
  return handles;
}

// Detects the type by the bytes' magic number, ignoring the client's input type.
void add(Link& link, std::string_view bytes, const char* name) {
  if (is_machine_code(bytes)) refuse_machine_code();
  if (is_lto_ir(bytes)) {
    link.lto_ir.push_back({name == nullptr ? "LTO-IR" : name, std::string(bytes)});
    return;
  }
  std::string text = is_fatbin(bytes) ? ptx_of_fatbin(bytes, *link.architecture)
                                      : std::string(bytes.substr(0, bytes.find('\0')));
  require_target(parse_texts({text}), *link.architecture);
  link.texts.push_back(std::move(text));
}

// Links only to report errors; loading the image links again.
void try_linking(const Link& link) {
  constexpr std::uint64_t kSomewhere = 256;
  const auto place = [](const GlobalVariable&) { return kSomewhere; };
  decode_modules(parse_texts(link.texts), {handler_finder(best_host_isa()), place});
}

}  // namespace

NPP_EXPORT CUresult cuLinkCreate_v2(unsigned n_options, CUjit_option* options, void** values,
                                    CUlinkState* state) {
  return answer([&] {
    require_pointer(state);
    auto link = std::make_shared<Link>();
    link->architecture = &current_context()->device().architecture();
    link->options = JitOptions(n_options, options, values);
    *state = links().add(link);
  });
}

NPP_EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void* data,
                                     std::size_t n_bytes, const char* name, unsigned, CUjit_option*,
                                     void**) {
  return answer([&] {
    require_pointer(data);
    const auto link = links().find(state);
    const std::string_view bytes(static_cast<const char*>(data), n_bytes);
    link->options.guard([&] { add(*link, bytes, name); });
  });
}

NPP_EXPORT CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType, const char* path, unsigned,
                                     CUjit_option*, void**) {
  return answer([&] {
    require_pointer(path);
    const auto link = links().find(state);
    link->options.guard([&] { add(*link, read_file(path), path); });
  });
}

NPP_EXPORT CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* n_bytes) {
  return answer([&] {
    require_pointer(image);
    const auto link = links().find(state);
    link->options.guard([&] {
      if (!link->lto_ir.empty()) {
        link->texts.push_back(link_lto_ir(link->lto_ir, link->architecture->name()));
        link->lto_ir.clear();
      }
      require(!link->texts.empty(), CUDA_ERROR_INVALID_VALUE, "there is nothing to link");
      try_linking(*link);
    });
    link->image = make_image(link->texts);
    *image = link->image.data();
    if (n_bytes != nullptr) *n_bytes = link->image.size();
  });
}

NPP_EXPORT CUresult cuLinkDestroy(CUlinkState state) {
  return answer([&] { links().remove(state); });
}
