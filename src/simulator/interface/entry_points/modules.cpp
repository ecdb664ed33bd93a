// Entry points: modules, libraries, kernels.
#include "simulator/interface/driver/image.hpp"
#include "simulator/interface/driver/jit_options.hpp"
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/objects/module.hpp"

using namespace numpy_plugin::sim;

namespace {

CUmodule load(const void* image, const JitOptions& options) {
  CodeDescription description = std::exchange(this_thread().next_code, {});
  require_pointer(image);
  const auto context = current_context();
  require_safe();
  return options.guard([&] {
    const auto texts = ptx_of_image(image, context->device().architecture());
    return load_module(context, parse_texts(texts), std::move(description));
  });
}

// A library is loaded into the current context immediately, so that errors are reported here;
// without one, at the first request for a kernel.
CUlibrary load_library(const void* image, const JitOptions& options) {
  require_pointer(image);
  const bool has_context = !this_thread().contexts.empty();
  const auto device =
      has_context ? find_device(current_context()->device().ordinal()) : find_device(0);
  return options.guard([&] {
    const auto texts = ptx_of_image(image, device->architecture());
    const auto library = std::make_shared<Library>(parse_texts(texts));
    if (has_context) library->module_in(current_context());
    return libraries().add(library);
  });
}

}  // namespace

NPP_EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return answer([&] {
    require_pointer(module);
    *module = load(image, {});
  });
}

NPP_EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned n_options,
                                       CUjit_option* options, void** values) {
  return answer([&] {
    require_pointer(module);
    *module = load(image, {n_options, options, values});
  });
}

NPP_EXPORT CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

NPP_EXPORT CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return answer([&] {
    require_pointer(module);
    require_pointer(path);
    *module = load(read_file(path).c_str(), {});
  });
}

NPP_EXPORT CUresult cuModuleUnload(CUmodule module) {
  return answer([&] {
    const auto context = modules().find(module)->context();
    require_safe();
    context->synchronize();
    unload_module(module);
  });
}

NPP_EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return answer([&] {
    require_pointer(function);
    require_pointer(name);
    *function = modules().find(module)->function(name);
  });
}

NPP_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* n_bytes,
                                         CUmodule module, const char* name) {
  return answer([&] {
    require_pointer(name);
    const auto place = modules().find(module)->find_variable(name);
    if (address != nullptr) *address = place.address;
    if (n_bytes != nullptr) *n_bytes = place.n_bytes;
  });
}

NPP_EXPORT CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return answer([&] {
    require_pointer(count);
    *count = static_cast<unsigned>(modules().find(module)->entry_names().size());
  });
}

NPP_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction* found, unsigned most, CUmodule module) {
  return answer([&] {
    require_pointer(found);
    const auto loaded = modules().find(module);
    const auto names = loaded->entry_names();
    for (unsigned index = 0; index < most && index < names.size(); ++index) {
      found[index] = loaded->function(names[index]);
    }
  });
}

NPP_EXPORT CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options,
                                      void** values, unsigned n_options, CUlibraryOption*, void**,
                                      unsigned) {
  return answer([&] {
    require_pointer(library);
    *library = load_library(code, {n_options, options, values});
  });
}

NPP_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path,
                                          CUjit_option* options, void** values, unsigned n_options,
                                          CUlibraryOption*, void**, unsigned) {
  return answer([&] {
    require_pointer(library);
    require_pointer(path);
    *library = load_library(read_file(path).c_str(), {n_options, options, values});
  });
}

NPP_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return answer([&] {
    for (const auto& context : contexts().all()) context->synchronize();
    libraries().remove(library);
  });
}

NPP_EXPORT CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return answer([&] {
    require_pointer(kernel);
    require_pointer(name);
    *kernel = libraries().find(library)->kernel(library, name);
  });
}

NPP_EXPORT CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return answer([&] {
    require_pointer(module);
    *module = libraries().find(library)->module_in(current_context());
  });
}

NPP_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* n_bytes,
                                       CUlibrary library, const char* name) {
  return answer([&] {
    require_pointer(name);
    const CUmodule module = libraries().find(library)->module_in(current_context());
    const auto place = modules().find(module)->find_variable(name);
    if (address != nullptr) *address = place.address;
    if (n_bytes != nullptr) *n_bytes = place.n_bytes;
  });
}

NPP_EXPORT CUresult cuKernelGetFunction(CUfunction* function, CUkernel handle) {
  return answer([&] {
    require_pointer(function);
    const auto kernel = kernels().find(handle);
    const CUmodule module = libraries().find(kernel->library)->module_in(current_context());
    *function = modules().find(module)->function(kernel->name);
  });
}

NPP_EXPORT CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return answer([&] {
    require_pointer(library);
    *library = kernels().find(kernel)->library;
  });
}

NPP_EXPORT CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return answer([&] {
    require_pointer(name);
    *name = kernels().find(kernel)->name.c_str();
  });
}
