// Declarations of nvJitLink's functions, as in its header.
#include "simulator/interface/linking/linker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>

#include "numpy_plugin/system/dynamic_library.hpp"
#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {
namespace {

using Handle = struct LinkState*;
constexpr int kLtoIr = 3;  // nvJitLinkInputType

struct NvJitLink {
  int (*version)(unsigned*, unsigned*) = nullptr;
  int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*add_data)(Handle, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*ptx_size)(Handle, std::size_t*) = nullptr;
  int (*ptx)(Handle, char*) = nullptr;
  int (*log_size)(Handle, std::size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;
  bool is_whole = false;
};

struct Search {
  std::mutex mutex;
  std::string path;
  NvJitLink found;
};

Search& search() {
  static Search& one = *new Search;
  return one;
}

NvJitLink open(const std::string& path) {
  NvJitLink link;
  const system::DynamicLibrary library(path);
  link.is_whole = library.is_open() && library.find("nvJitLinkVersion", link.version) &&
                  library.find("nvJitLinkCreate", link.create) &&
                  library.find("nvJitLinkDestroy", link.destroy) &&
                  library.find("nvJitLinkAddData", link.add_data) &&
                  library.find("nvJitLinkComplete", link.complete) &&
                  library.find("nvJitLinkGetLinkedPtxSize", link.ptx_size) &&
                  library.find("nvJitLinkGetLinkedPtx", link.ptx) &&
                  library.find("nvJitLinkGetErrorLogSize", link.log_size) &&
                  library.find("nvJitLinkGetErrorLog", link.log);
  return link;
}

// In programs that find the stand-in by nvJitLink's names, NVIDIA's library has the first of these.
const char* const kNames[] = {"libnvJitLink_nvidia.so", "libnvJitLink.so.13", "libnvJitLink.so.12"};

NvJitLink find_nvjitlink() {
  const std::lock_guard lock(search().mutex);
  std::vector<std::string> paths = {search().path};
  paths.insert(paths.end(), std::begin(kNames), std::end(kNames));
  for (const std::string& path : paths) {
    if (search().found.is_whole) break;
    if (!path.empty()) search().found = open(path);
  }
  require(search().found.is_whole, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
          "LTO-IR is linked by nvJitLink, which was not found; install it with "
          "pip install nvidia-nvjitlink");
  return search().found;
}

// The options as nvJitLink takes them.
std::vector<const char*> pointers_to(const std::vector<std::string>& options) {
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  return pointers;
}

class Linking {
 public:
  Linking(const NvJitLink& link, const std::vector<std::string>& options) : link_(link) {
    std::vector<const char*> words = pointers_to(options);
    require(link_.create(&handle_, static_cast<std::uint32_t>(words.size()), words.data()) == 0,
            CUDA_ERROR_INVALID_VALUE, "nvJitLink does not link with these options");
  }
  ~Linking() { link_.destroy(&handle_); }
  Linking(const Linking&) = delete;
  Linking& operator=(const Linking&) = delete;

  void add(const LinkInput& input) {
    check(link_.add_data(handle_, kLtoIr, input.bytes.data(), input.bytes.size(),
                         input.name.c_str()));
  }

  std::string complete() {
    check(link_.complete(handle_));
    return read(link_.ptx_size, link_.ptx);
  }

 private:
  void check(int result) {
    if (result == 0) return;
    throw CallError(CUDA_ERROR_INVALID_IMAGE,
                    "nvJitLink failed: " + read(link_.log_size, link_.log));
  }

  std::string read(int (*size_of)(Handle, std::size_t*), int (*read_text)(Handle, char*)) {
    std::size_t n_bytes = 0;
    if (size_of(handle_, &n_bytes) != 0) return "";
    std::string text(n_bytes, '\0');
    if (read_text(handle_, text.data()) != 0) return "";
    return text.substr(0, text.find('\0'));
  }

  const NvJitLink link_;
  Handle handle_ = nullptr;
};

}  // namespace

void set_nvjitlink_path(const std::string& path) {
  const std::lock_guard lock(search().mutex);
  search().path = path;
}

std::string link_lto_ir(const std::vector<LinkInput>& inputs,
                        const std::vector<std::string>& options) {
  std::vector<std::string> all = options;
  if (std::find(all.begin(), all.end(), "-ptx") == all.end()) all.emplace_back("-ptx");
  Linking linking(find_nvjitlink(), all);
  for (const LinkInput& input : inputs) linking.add(input);
  return linking.complete();
}

int nvjitlink_version(unsigned* major, unsigned* minor) {
  return find_nvjitlink().version(major, minor);
}

int check_nvjitlink_options(const std::vector<std::string>& options) {
  const NvJitLink link = find_nvjitlink();
  std::vector<const char*> words = pointers_to(options);
  Handle handle = nullptr;
  const int result = link.create(&handle, static_cast<std::uint32_t>(words.size()), words.data());
  if (handle != nullptr) link.destroy(&handle);
  return result;
}

}  // namespace numpy_plugin::sim
