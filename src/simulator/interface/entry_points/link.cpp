// Entry points: linking of several inputs to one image.
#include "simulator/interface/driver/image.hpp"
#include "simulator/interface/driver/jit_options.hpp"
#include "simulator/interface/linking/linker.hpp"
#include "simulator/interface/objects/context.hpp"

using namespace numpy_plugin::sim;

namespace {

struct Link {
  JitOptions options;
  Linker linker;
};

Handles<CUlinkState, Link>& links() {
  static auto& handles = *new Handles<CUlinkState, Link>;
  return handles;
}

}  // namespace

NPP_EXPORT CUresult cuLinkCreate_v2(unsigned n_options, CUjit_option* options, void** values,
                                    CUlinkState* state) {
  return answer([&] {
    require_pointer(state);
    const Architecture& architecture = current_context()->device().architecture();
    *state = links().add(std::make_shared<Link>(
        Link{JitOptions(n_options, options, values),
             Linker(architecture, {"-arch=" + architecture.name(), "-lto"})}));
  });
}

NPP_EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void* data,
                                     std::size_t n_bytes, const char* name, unsigned, CUjit_option*,
                                     void**) {
  return answer([&] {
    require_pointer(data);
    const auto link = links().find(state);
    const std::string_view bytes(static_cast<const char*>(data), n_bytes);
    link->options.guard([&] { link->linker.add(bytes, name); });
  });
}

NPP_EXPORT CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType, const char* path, unsigned,
                                     CUjit_option*, void**) {
  return answer([&] {
    require_pointer(path);
    const auto link = links().find(state);
    link->options.guard([&] { link->linker.add(read_file(path), path); });
  });
}

NPP_EXPORT CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* n_bytes) {
  return answer([&] {
    require_pointer(image);
    const auto link = links().find(state);
    link->options.guard([&] { link->linker.complete(); });
    // An output that the driver's interface declares without const.
    *image = const_cast<char*>(link->linker.image().data());
    if (n_bytes != nullptr) *n_bytes = link->linker.image().size();
  });
}

NPP_EXPORT CUresult cuLinkDestroy(CUlinkState state) {
  return answer([&] { links().remove(state); });
}
