// The library is found as NVRTC is: the bindings' candidates first, then names that dlopen knows.
#include "numpy_plugin/jit/nvjitlink.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::jit {
namespace {

struct NvJitLinkLibrary {
#define NPP_NVJITLINK(name, parameters) int(*name) parameters = nullptr;
#include "numpy_plugin/jit/nvjitlink.def"
  std::string path;  // empty where the library was not found
};

struct State {
  std::mutex mutex;
  std::vector<std::string> candidates;
  NvJitLinkLibrary library;
};

// Never destroyed: threads may link while the process ends.
State& state() {
  static State* const state = new State;
  return *state;
}

template <class Function>
bool look_up(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

NvJitLinkLibrary open_file(const std::string& file) {
  NvJitLinkLibrary library;
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  bool is_complete = true;
#define NPP_NVJITLINK(name, parameters) is_complete &= look_up(handle, #name, library.name);
#include "numpy_plugin/jit/nvjitlink.def"
  if (is_complete) library.path = file;
  return library;
}

const NvJitLinkLibrary& open_library() {
  State& current = state();
  const std::lock_guard lock(current.mutex);
  std::vector<std::string> files = current.candidates;
  files.insert(files.end(), {"libnvJitLink.so.13", "libnvJitLink.so.12"});
  for (const std::string& file : files) {
    if (!current.library.path.empty()) break;
    current.library = open_file(file);
  }
  return current.library;
}

class Link {
 public:
  Link(const NvJitLinkLibrary& library, std::vector<const char*> options) : library_(library) {
    const int result = library_.nvJitLinkCreate(&link_, static_cast<std::uint32_t>(options.size()),
                                                options.data());
    check(result, "to begin");
  }
  ~Link() { library_.nvJitLinkDestroy(&link_); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(const LinkedPart& part) {
    constexpr int kAny = 10;  // NVJITLINK_INPUT_ANY: the bytes say what they are
    check(library_.nvJitLinkAddData(link_, kAny, part.bytes.data(), part.bytes.size(),
                                    part.name.c_str()),
          "to read " + part.name);
  }

  std::string complete() {
    check(library_.nvJitLinkComplete(link_), "to link");
    std::size_t n_bytes = 0;
    check(library_.nvJitLinkGetLinkedCubinSize(link_, &n_bytes), "to read the result");
    std::string cubin(n_bytes, '\0');
    check(library_.nvJitLinkGetLinkedCubin(link_, cubin.data()), "to read the result");
    return cubin;
  }

 private:
  void check(int result, const std::string& step) const {
    if (result == 0) return;
    const std::string log = read_log();
    throw base::Error(base::ErrorKind::kCompiler,
                      "nvJitLink failed " + step + (log.empty() ? "" : ":\n" + log), log);
  }

  std::string read_log() const {
    std::size_t n_bytes = 0;
    if (link_ == nullptr || library_.nvJitLinkGetErrorLogSize(link_, &n_bytes) != 0) return "";
    std::string log(n_bytes, '\0');
    if (n_bytes == 0 || library_.nvJitLinkGetErrorLog(link_, log.data()) != 0) return "";
    return log.substr(0, log.find('\0'));
  }

  const NvJitLinkLibrary& library_;
  void* link_ = nullptr;
};

}  // namespace

void set_nvjitlink_candidates(std::vector<std::string> paths) {
  State& current = state();
  const std::lock_guard lock(current.mutex);
  current.candidates = std::move(paths);
}

std::string find_nvjitlink() { return open_library().path; }

std::string link_to_cubin(std::span<const LinkedPart> parts, const std::string& arch) {
  const std::string target = "-arch=" + arch;
  std::vector<const char*> options = {target.c_str()};
  const bool has_lto_ir = std::any_of(parts.begin(), parts.end(), [](const LinkedPart& part) {
    return code_kind(part.bytes) == CodeKind::kLtoIr;
  });
  if (has_lto_ir) options.push_back("-lto");
  Link link(open_library(), std::move(options));
  for (const LinkedPart& part : parts) link.add(part);
  return link.complete();
}

}  // namespace numpy_plugin::jit
