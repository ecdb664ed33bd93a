// The library is found like NVRTC, and chosen by the same rule.
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/events/events.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::jit {
namespace {

// NVRTC's options for each part do not apply to LTO-IR.

struct NvJitLinkLibrary {
#define NPP_NVJITLINK(name, parameters) int(*name) parameters = nullptr;
#include "numpy_plugin/jit/nvrtc/nvjitlink.def"
  std::string path;  // empty where the library was not found
};

struct NvJitLinkState {
  system::Mutex mutex;
  std::map<int, NvJitLinkLibrary> opened;  // by the driver's CUDA version
};

// Leaked on purpose: threads may link while the process exits.
NvJitLinkState& nvjitlink_state() { return system::the_only<NvJitLinkState>(); }

NvJitLinkLibrary open_file(const std::string& file) {
  NvJitLinkLibrary library;
  const system::DynamicLibrary opened(file);
  bool is_complete = opened.is_open();
#define NPP_NVJITLINK(name, parameters) \
  is_complete = is_complete && opened.find(#name, library.name);
#include "numpy_plugin/jit/nvrtc/nvjitlink.def"
  if (is_complete) library.path = file;
  return library;
}

// A library that was not found is looked for again.
const NvJitLinkLibrary& open_library(int driver_version) {
  NvJitLinkState& current = nvjitlink_state();
  const std::lock_guard lock(current.mutex);
  const system::ForkHold hold;
  NvJitLinkLibrary& library = current.opened[driver_version];
  if (!library.path.empty()) return library;
  std::vector<CudaLibraryFile> files = find_cuda_libraries("nvJitLink");
  put_usable_first(files, driver_version);
  for (const CudaLibraryFile& file : files) {
    library = open_file(file.path);
    if (!library.path.empty()) break;
  }
  return library;
}

class Link {
 public:
  Link(const NvJitLinkLibrary& library, const std::vector<std::string>& words) : library_(library) {
    std::vector<const char*> texts;
    for (const std::string& word : words) texts.push_back(word.c_str());
    check(library_.nvJitLinkCreate(&link_, static_cast<std::uint32_t>(texts.size()), texts.data()),
          "to begin");
  }
  ~Link() { library_.nvJitLinkDestroy(&link_); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void add(const LinkedPart& part) {
    constexpr int kAny = 10;  // NVJITLINK_INPUT_ANY: detected by content
    check(library_.nvJitLinkAddData(link_, kAny, part.bytes.data(), part.bytes.size(),
                                    part.name.c_str()),
          "to read " + part.name);
  }

  void complete() { check(library_.nvJitLinkComplete(link_), "to link"); }

  std::string cubin() const {
    return read(library_.nvJitLinkGetLinkedCubinSize, library_.nvJitLinkGetLinkedCubin);
  }
  std::string ptx() const {
    const std::string text =
        read(library_.nvJitLinkGetLinkedPtxSize, library_.nvJitLinkGetLinkedPtx);
    return text.substr(0, text.find('\0'));
  }

 private:
  template <class GetBytes>
  std::string read(int (*get_size)(void*, std::size_t*), GetBytes get_bytes) const {
    std::size_t n_bytes = 0;
    check(get_size(link_, &n_bytes), "to read the result");
    std::string bytes(n_bytes, '\0');
    check(get_bytes(link_, bytes.data()), "to read the result");
    return bytes;
  }

  void check(int result, const std::string& step) const {
    if (result == 0) return;
    const std::string log = read_log();
    throw base::Error(base::ErrorKind::kCompiler,
                      format("nvJitLink failed {}{}", step, log.empty() ? "" : ":\n" + log), log);
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

bool is_lto_ir(const LinkedPart& part) { return code_kind(part.bytes) == CodeKind::kLtoIr; }

std::vector<std::string> words_of(std::span<const LinkedPart> parts, const LinkOptions& options) {
  std::vector<std::string> words = {"-arch=" + options.target.arch};
  if (!std::any_of(parts.begin(), parts.end(), is_lto_ir)) return words;
  words.push_back("-lto");
  const auto add = [&words](const char* option, bool is_set) {
    words.push_back(std::string(option) + (is_set ? "=1" : "=0"));
  };
  add("-fma", options.fast_math.contract);
  add("-ftz", options.fast_math.ftz);
  add("-prec-div", !options.fast_math.arcp);
  add("-prec-sqrt", !options.fast_math.afn);
  return words;
}

std::string digest_of(const NvJitLinkLibrary& library, std::span<const LinkedPart> parts,
                      const std::vector<std::string>& words) {
  CacheKey key;
  key.add("cache format", kCacheFormat);
  key.add("nvJitLink", file_identity(library.path).value_or(library.path));
  for (const std::string& word : words) key.add("option", word);
  for (const LinkedPart& part : parts) key.add("part", part.bytes);
  return key.digest();
}

std::string linked(const NvJitLinkLibrary& library, const std::vector<std::string>& words,
                   std::span<const LinkedPart> parts, std::string (Link::*result)() const) {
  const system::ForkHold hold;
  Link link(library, words);
  for (const LinkedPart& part : parts) link.add(part);
  link.complete();
  return (link.*result)();
}

std::string link_or_find(std::span<const LinkedPart> parts, const LinkOptions& options,
                         std::string_view suffix, std::string (Link::*result)() const) {
  const NvJitLinkLibrary& library = open_library(options.target.driver_version);
  std::vector<std::string> words = words_of(parts, options);
  if (result == &Link::ptx) words.push_back("-ptx");
  const Cache cache = options.use_cache ? Cache::user_cache() : Cache();
  const std::string digest = digest_of(library, parts, words);
  const std::string subject =
      format("{} for {}", base::counted(static_cast<std::int64_t>(parts.size()), "linked part"),
             options.target.arch);
  auto found = cache.load(digest, suffix);
  if (options.use_cache) system::record_lookup(subject, found.has_value(), cache.reason());
  if (found.has_value()) return std::move(*found);
  const std::string bytes =
      system::followed(subject, "nvJitLink", [&] { return linked(library, words, parts, result); });
  cache.store(digest, suffix, bytes);
  return bytes;
}

}  // namespace

std::string find_nvjitlink(int driver_version) { return open_library(driver_version).path; }

std::string link_to_cubin(std::span<const LinkedPart> parts, const LinkOptions& options) {
  return link_or_find(parts, options, ".linked", &Link::cubin);
}

std::string link_to_ptx(std::span<const LinkedPart> parts, const LinkOptions& options) {
  return link_or_find(parts, options, ".linkedptx", &Link::ptx);
}

}  // namespace numpy_plugin::jit
