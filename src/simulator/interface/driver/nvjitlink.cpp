// Declarations of nvJitLink's functions, as in its header.
#include "simulator/interface/driver/nvjitlink.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "numpy_plugin/system/dynamic_library.hpp"
#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {
namespace {

using Handle = struct LinkState*;
constexpr int kLtoIr = 3;  // nvJitLinkInputType

struct NvJitLink {
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
  const base::DynamicLibrary library(path);
  link.is_whole = library.is_open() && library.find("nvJitLinkCreate", link.create) &&
                  library.find("nvJitLinkDestroy", link.destroy) &&
                  library.find("nvJitLinkAddData", link.add_data) &&
                  library.find("nvJitLinkComplete", link.complete) &&
                  library.find("nvJitLinkGetLinkedPtxSize", link.ptx_size) &&
                  library.find("nvJitLinkGetLinkedPtx", link.ptx) &&
                  library.find("nvJitLinkGetErrorLogSize", link.log_size) &&
                  library.find("nvJitLinkGetErrorLog", link.log);
  return link;
}

NvJitLink find_nvjitlink() {
  const std::lock_guard lock(search().mutex);
  for (const std::string& path :
       {search().path, std::string("libnvJitLink.so.13"), std::string("libnvJitLink.so.12")}) {
    if (search().found.is_whole) break;
    if (!path.empty()) search().found = open(path);
  }
  require(search().found.is_whole, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
          "LTO-IR is linked by nvJitLink, which was not found; install it with "
          "pip install nvidia-nvjitlink");
  return search().found;
}

class Linking {
 public:
  Linking(const NvJitLink& link, const std::string& architecture) : link_(link) {
    const std::string target = "-arch=" + architecture;
    const char* options[] = {target.c_str(), "-lto", "-ptx"};
    require(link_.create(&handle_, 3, options) == 0, CUDA_ERROR_NOT_SUPPORTED,
            "nvJitLink does not link for this architecture");
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

std::string link_lto_ir(const std::vector<LinkInput>& inputs, const std::string& architecture) {
  Linking linking(find_nvjitlink(), architecture);
  for (const LinkInput& input : inputs) linking.add(input);
  return linking.complete();
}

}  // namespace numpy_plugin::sim
