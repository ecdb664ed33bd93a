// Entry points of the stand-in for nvJitLink, which has the names of NVIDIA's library in programs
// of others: what it calls a cubin is an image of PTX. NVIDIA's own checks options and links
// LTO-IR.
#include <cstring>
#include <span>

#include "simulator/interface/driver/call.hpp"
#include "simulator/interface/driver/handles.hpp"
#include "simulator/interface/driver/image.hpp"
#include "simulator/interface/linking/linker.hpp"

using namespace numpy_plugin::sim;

namespace {

using Handle = struct nvJitLink*;

// nvJitLinkResult, as in nvJitLink.h.
enum Result : int {
  kSuccess = 0,
  kInvalidInput = 3,
  kPtxCompile = 4,
  kNvvmCompile = 5,
  kInternal = 6,
  kUnrecognizedInput = 8,
  kUnsupportedArch = 17,
  kLtoNotEnabled = 18
};

struct NvJitLinkState {
  Linker linker;
  std::string errors;
};

Handles<Handle, NvJitLinkState>& nvjitlink_states() {
  static auto& handles = *new Handles<Handle, NvJitLinkState>;
  return handles;
}

Result result_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return kPtxCompile;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return kUnrecognizedInput;
    case CUDA_ERROR_INVALID_IMAGE:
      return kNvvmCompile;
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      return kInternal;
    case CUDA_ERROR_NOT_SUPPORTED:
      return kLtoNotEnabled;
    default:
      return kInvalidInput;
  }
}

// Result of an entry point that runs `function`. Neither cuInit nor a context is needed.
template <typename Function>
int answer_linker(Function&& function,
                  const std::source_location& entry_point = std::source_location::current()) {
  try {
    function();
    return kSuccess;
  } catch (const CallError& error) {
    report_failed_link(entry_point.function_name(), error.report());
    return result_of(error.code());
  } catch (const std::exception& error) {
    report_failed_link(entry_point.function_name(), error.what());
    return kInternal;
  }
}

// Runs `function` with the link's linker, and keeps the report of a failure for its error log.
template <typename Function>
void guard(Handle handle, Function&& function) {
  const auto link = nvjitlink_states().find(handle);
  try {
    function(link->linker);
  } catch (const CallError& error) {
    link->errors += error.report() + "\n";
    throw;
  }
}

const Architecture* architecture_of(std::span<const std::string> options) {
  constexpr std::string_view kOption = "-arch=";
  const Architecture* found = nullptr;
  for (const std::string& option : options) {
    if (!option.starts_with(kOption)) continue;
    const int number = target_number(option.substr(kOption.size()));  // of "compute_90a", too
    found = find_architecture(numpy_plugin::format("sm_{}", number));
  }
  return found;
}

// Sizes of texts count the null character at their end.
void write_size(std::size_t* to, std::size_t size) {
  require_pointer(to);
  *to = size;
}

void write_text(char* to, const std::string& text) {
  require_pointer(to);
  std::memcpy(to, text.c_str(), text.size() + 1);
}

}  // namespace

NPP_EXPORT int npp_simulator_nvJitLinkVersion(unsigned* major, unsigned* minor) {
  int result = kSuccess;
  const int failure = answer_linker([&] { result = nvjitlink_version(major, minor); });
  return failure == kSuccess ? result : failure;
}

NPP_EXPORT int npp_simulator_nvJitLinkCreate(Handle* handle, std::uint32_t n_options,
                                             const char** options) {
  int result = kSuccess;
  const int failure = answer_linker([&] {
    require_pointer(handle);
    const std::vector<std::string> words(options, options + n_options);
    result = check_nvjitlink_options(words);
    if (result != kSuccess) return;
    const Architecture* const architecture = architecture_of(words);
    if (architecture == nullptr) {
      result = kUnsupportedArch;
      return;
    }
    *handle = nvjitlink_states().add(
        std::make_shared<NvJitLinkState>(NvJitLinkState{Linker(*architecture, words), ""}));
  });
  return failure == kSuccess ? result : failure;
}

NPP_EXPORT int npp_simulator_nvJitLinkDestroy(Handle* handle) {
  return answer_linker([&] {
    require_pointer(handle);
    nvjitlink_states().remove(*handle);
    *handle = nullptr;
  });
}

NPP_EXPORT int npp_simulator_nvJitLinkAddData(Handle handle, int, const void* data,
                                              std::size_t n_bytes, const char* name) {
  return answer_linker([&] {
    guard(handle, [&](Linker& linker) {
      require_pointer(data);
      linker.add({static_cast<const char*>(data), n_bytes}, name);
    });
  });
}

NPP_EXPORT int npp_simulator_nvJitLinkAddFile(Handle handle, int, const char* path) {
  return answer_linker([&] {
    guard(handle, [&](Linker& linker) {
      require_pointer(path);
      linker.add(read_file(path), path);
    });
  });
}

NPP_EXPORT int npp_simulator_nvJitLinkComplete(Handle handle) {
  return answer_linker([&] { guard(handle, [](Linker& linker) { linker.complete(); }); });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetLinkedCubinSize(Handle handle, std::size_t* size) {
  return answer_linker(
      [&] { write_size(size, nvjitlink_states().find(handle)->linker.image().size()); });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetLinkedCubin(Handle handle, void* cubin) {
  return answer_linker([&] {
    require_pointer(cubin);
    const auto link = nvjitlink_states().find(handle);
    std::memcpy(cubin, link->linker.image().data(), link->linker.image().size());
  });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetLinkedPtxSize(Handle handle, std::size_t* size) {
  return answer_linker(
      [&] { write_size(size, nvjitlink_states().find(handle)->linker.linked_ptx().size() + 1); });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetLinkedPtx(Handle handle, char* ptx) {
  return answer_linker(
      [&] { write_text(ptx, nvjitlink_states().find(handle)->linker.linked_ptx()); });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetErrorLogSize(Handle handle, std::size_t* size) {
  return answer_linker(
      [&] { write_size(size, nvjitlink_states().find(handle)->errors.size() + 1); });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetErrorLog(Handle handle, char* log) {
  return answer_linker([&] { write_text(log, nvjitlink_states().find(handle)->errors); });
}

// Only errors are logged.
NPP_EXPORT int npp_simulator_nvJitLinkGetInfoLogSize(Handle handle, std::size_t* size) {
  return answer_linker([&] {
    nvjitlink_states().find(handle);
    write_size(size, 1);
  });
}

NPP_EXPORT int npp_simulator_nvJitLinkGetInfoLog(Handle handle, char* log) {
  return answer_linker([&] {
    nvjitlink_states().find(handle);
    write_text(log, "");
  });
}
