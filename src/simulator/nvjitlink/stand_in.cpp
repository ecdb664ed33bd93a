// A library with nvJitLink's names, loaded first into programs of `simulator run`: hands every call
// to the simulated driver, which links PTX. Without C++'s library: it is loaded into any program.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#define NPP_VISIBLE extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInternalError = 6;  // NVJITLINK_ERROR_INTERNAL

// Never closed: its functions are in use until the process ends.
template <typename Function>
Function* find(const char* name) {
  void* const simulator = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return simulator == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(simulator, name));
}

}  // namespace

#define NPP_NVJITLINK(name, parameters, arguments)                                  \
  NPP_VISIBLE int name parameters {                                                 \
    int(*const function) parameters = find<int parameters>("npp_simulator_" #name); \
    return function == nullptr ? kInternalError : function arguments;               \
  }
#include "simulator/nvjitlink/functions.def"
#undef NPP_NVJITLINK

// Programs that were linked with nvJitLink ask for the names of the version that they were built
// with.
#define NPP_OF_VERSION(name, parameters, version) \
  NPP_VISIBLE int __##name##_##version parameters __attribute__((alias(#name)));
#define NPP_NVJITLINK(name, parameters, arguments) \
  NPP_OF_VERSION(name, parameters, 12_0)           \
  NPP_OF_VERSION(name, parameters, 12_1)           \
  NPP_OF_VERSION(name, parameters, 12_2)           \
  NPP_OF_VERSION(name, parameters, 12_3)           \
  NPP_OF_VERSION(name, parameters, 12_4)           \
  NPP_OF_VERSION(name, parameters, 12_5)           \
  NPP_OF_VERSION(name, parameters, 12_6)           \
  NPP_OF_VERSION(name, parameters, 12_7)           \
  NPP_OF_VERSION(name, parameters, 12_8)           \
  NPP_OF_VERSION(name, parameters, 12_9)           \
  NPP_OF_VERSION(name, parameters, 13_0)
#include "simulator/nvjitlink/functions.def"
